"""A server for a team under 32 clients: wrong answers, answers of another graph, and memory.

    python -m benchmarks.team [--seconds 300] [--clients 32]

Three graphs of the same form and with other names, each in a store of its own, behind one `kgneo serve --team`. Each of
three users may ask one of them; clients ask at random who mentors whom in their own graph, what is right is known, and
every tenth request goes for another user's graph. Told are requests, wrong answers, answers that hold a name of another
graph, refusals that were none, and how much memory the server has in the middle and at the end.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from benchmarks.common import kgneo, scratch_graph, table
from kgneo.serve.team_file import new_token

GRAPHS = ("north", "south", "west")
PEOPLE = 200
SYLLABLES = ["ba", "da", "fe", "gi", "ho", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu"]
OTHERS = 10
"""Every so many requests are for a graph that the user may not ask."""
PORT = 7591


def people(name: str) -> list[tuple[str, str]]:
    """Who mentors whom in a graph: each somebody else, under names that no other graph has."""
    draw = random.Random(name)  # noqa: S311
    names: dict[str, None] = {}
    while len(names) < PEOPLE:
        word = "".join(draw.choice(SYLLABLES) for _ in range(3)).capitalize()
        names[f"{word} {name.capitalize()}son"] = None
    known = list(names)
    return list(zip(known, [*known[1:], known[0]], strict=True))


def write_team(folder: Path) -> dict[str, str]:
    """The file of the team, and the tokens of its users by their graphs."""
    tokens, lines = {}, []
    for name in GRAPHS:
        token, digest = new_token()
        tokens[name] = token
        lines += [f'[graphs.{name}]\nstore = "benchmark-team-{name}"']
        lines += [f'[users.{name}]\ntoken_sha256 = "{digest}"\ngraphs = ["{name}"]\nrate = 100000']
    (folder / "team.toml").write_text("\n".join(lines), encoding="utf-8")
    return tokens


class Client(threading.Thread):
    """Asks until it is time to stop."""

    def __init__(self, number: int, tokens: dict[str, str], until: float, found: Counter[str]) -> None:
        super().__init__(daemon=True)
        self.graph = GRAPHS[number % len(GRAPHS)]
        self.draw, self.until, self.found = random.Random(number), until, found  # noqa: S311
        self.headers = {"Authorization": f"Bearer {tokens[self.graph]}"}

    def run(self) -> None:
        """Ask and count."""
        known = people(self.graph)
        others = [name for name in GRAPHS if name != self.graph]
        with httpx.Client(base_url=f"http://127.0.0.1:{PORT}", headers=self.headers, timeout=120) as http:
            while time.monotonic() < self.until:
                foreign = self.draw.randrange(OTHERS) == 0
                graph = self.draw.choice(others) if foreign else self.graph
                name, friend = self.draw.choice(people(graph) if foreign else known)
                response = http.post(f"/g/{graph}/api/v1/ask", json={"question": f"who does {name} mentor?"})
                self.found.update(self._of(response, friend, others, foreign=foreign))

    def _of(self, response: httpx.Response, friend: str, others: Sequence[str], *, foreign: bool) -> list[str]:
        if foreign:
            return ["refused" if response.status_code == 404 else "let in"]
        leaked = any(f"{name.capitalize()}son" in response.text for name in others)
        right = response.status_code == 200 and response.json()["answers"] == [friend]
        return ["asked", *([] if right else ["wrong"]), *(["of another graph"] if leaked else [])]


def memory(process: subprocess.Popen[Any]) -> int:
    """Megabytes that a process has in memory."""
    lines = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0, help="How long.")
    parser.add_argument("--clients", type=int, default=32, help="How many at a time.")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        for name in GRAPHS:
            graph = stack.enter_context(scratch_graph(f"team-{name}"))
            graph.write(
                "UNWIND $pairs AS pair MERGE (a:Person {name: pair[0]}) MERGE (b:Person {name: pair[1]}) "
                "CREATE (a)-[:MENTORS]->(b)",
                pairs=[list(pair) for pair in people(name)],
            )
        tokens = write_team(folder)
        command = kgneo("serve", "--team", str(folder / "team.toml"), "--port", str(PORT), "--rate", "0")
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        _wait(server)
        found: Counter[str] = Counter()
        clients = [
            Client(number, tokens, time.monotonic() + options.seconds, found) for number in range(options.clients)
        ]
        for client in clients:
            client.start()
        time.sleep(options.seconds / 2)
        half = memory(server)
        for client in clients:
            client.join()
        end = memory(server)
    header = (
        "clients",
        "seconds",
        "asked",
        "wrong",
        "of another graph",
        "refused",
        "let in",
        "MB at half",
        "MB at end",
    )
    counts = [found[name] for name in ("asked", "wrong", "of another graph", "refused", "let in")]
    table(header, [(options.clients, f"{options.seconds:g}", *counts, half, end)])


def _wait(server: subprocess.Popen[Any]) -> None:
    """Until the server answers."""
    for _ in range(300):
        try:
            if httpx.get(f"http://127.0.0.1:{PORT}/api/v1/health").status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
        if server.poll() is not None:
            break
    sys.exit("The server did not start.")


if __name__ == "__main__":
    main()
