"""Inputs that are guided by which lines of the code they reach, for each parser.

    python -m tests.faults.fuzz [PARSER …] [--seconds 600] [--corpus FOLDER]

PARSER is a name of `tests.faults.parsers` (all). Each runs in a process of its own, begins with inputs that are right,
and goes on for so long. An input on which a parser ends with anything but an error of kgneo's, or takes longer than a
minute, is kept in the corpus and told; the exit code is 1 then. What was found becomes a test in test_bad_input.py.
Needs atheris (`pip install atheris`), which is no requirement of the tests: Linux and macOS only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

SLOW = 60
"""Seconds after which an input is taken to have no end."""
MEMORY = 2048
"""Megabytes of a process."""
FOUND = "found-"


def target(name: str, seconds: int, corpus: Path) -> None:
    """Fuzz one parser in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["kgneo"]):
        from kgneo.errors import KgneoError
        from tests.faults.parsers import PARSERS
    file_name, parse, seeds = PARSERS[name]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    folder = Path(tempfile.mkdtemp())
    file = folder / file_name
    file.parent.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")

    def one(data: bytes) -> None:
        file.write_bytes(data)
        try:
            parse(file)
        except (KgneoError, json.JSONDecodeError):
            return

    bounds = (f"-max_total_time={seconds}", f"-timeout={SLOW}", f"-rss_limit_mb={MEMORY}", "-max_len=4096")
    kept = (f"-artifact_prefix={corpus.parent}/{FOUND}{corpus.name}-", "-print_final_stats=1", "-verbosity=0")
    atheris.Setup([sys.argv[0], *bounds, *kept, str(corpus)], one)
    atheris.Fuzz()


def main() -> None:
    """Fuzz and print."""
    from tests.faults.parsers import PARSERS

    parser = argparse.ArgumentParser(description="Coverage-guided inputs for each parser.")
    parser.add_argument("parsers", nargs="*", metavar="PARSER", help=f"of: {', '.join(PARSERS)}")
    parser.add_argument("--seconds", type=int, default=600, help="for each parser")
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"), help="folder of the inputs")
    parser.add_argument("--here", action="store_true", help="one parser in this process")
    options = parser.parse_args()
    if unknown := [name for name in options.parsers if name not in PARSERS]:
        parser.error(f"there is no parser {unknown[0]!r}; expected one of: {', '.join(PARSERS)}")
    if options.here:
        target(options.parsers[0], options.seconds, options.corpus)
    failed = []
    for name in options.parsers or PARSERS:
        corpus = options.corpus / name.replace(" ", "-").replace("'", "")
        here = ["--here", "--seconds", str(options.seconds), "--corpus", str(corpus)]
        command = [sys.executable, "-m", "tests.faults.fuzz", name, *here]
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        runs = [line.split(":")[-1].strip() for line in ended.stderr.splitlines() if "number_of_executed_units" in line]
        print(f"{name}: {runs[0] if runs else '?'} inputs, {'nothing' if ended.returncode == 0 else 'something'} found")
        if ended.returncode:
            failed.append(name)
            print("\n".join(ended.stderr.splitlines()[-40:]))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
