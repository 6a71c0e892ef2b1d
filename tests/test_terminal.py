"""What a terminal gets to see: control characters of names, files, models and servers are shown, never sent."""

from __future__ import annotations

import ast
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgneo.cli.interrupt import arm, interruptible
from kgneo.cli.main import main
from kgneo.cli.options import print_json, progress, say
from kgneo.cli.render import print_answer
from kgneo.cli.terminal import Screen, print_bold, screened, visible
from kgneo.cli.watch import Watcher
from kgneo.events import StageEvent, Text
from kgneo.graph import Graph
from tests.conftest import on_one_version

TITLE, CLIPBOARD = "\x1b]0;owned\x07", "\x1b]52;c;cm0gLXJm\x07"
HOSTILE = f"\x1b[31mred{TITLE}{CLIPBOARD}\x08\x9b2J\x7f\r\u202eback\u2066"
SENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
KGNEO = Path(__file__).resolve().parent.parent / "kgneo"


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, on both streams, in which nothing is sent."""
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert not SENT.search(text)
    return text


def test_a_text_without_control_characters_stays_as_it_is() -> None:
    text = "Ünïcode – 東京\tשלום\n😀 \\u001b\u200f"
    assert visible(text) == text


def test_control_characters_are_shown_by_their_numbers() -> None:
    assert visible("a\x1b[1m\x9b\x7f\u202e\ud83d") == "a\\u001b[1m\\u009b\\u007f\\u202e\\ud83d"


def test_what_an_encoding_does_not_have_is_shown_too() -> None:
    behind = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    screen = Screen(behind)
    screen.write("東 \x1b")
    screen.flush()
    assert behind.buffer.getvalue() == b"\\u6771 \\u001b"


def test_every_way_of_printing_goes_through_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with screened():
        say(HOSTILE)
        print_bold(HOSTILE)
        print(HOSTILE)
        print(HOSTILE, file=sys.stderr)
        sys.stderr.writelines([HOSTILE])
        progress(3, HOSTILE, HOSTILE).close()
    assert shown(capsys).count("\\u001b[31mred") == 5


def test_json_says_what_was_there_to_the_character(capsys: pytest.CaptureFixture[str]) -> None:
    with screened():
        print_json({"name": HOSTILE})
    assert json.loads(shown(capsys)) == {"name": HOSTILE}


def test_a_reply_of_a_model_is_shown_as_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = Watcher()
    with screened():
        watcher(Text(HOSTILE))
        watcher.bold = False
        watcher(Text(HOSTILE))
        watcher(StageEvent("relations", "done", text=HOSTILE))
        watcher(StageEvent("decompose", "done", total=2, text=HOSTILE))
        watcher.end_line()
    assert shown(capsys).count("\\u001b[31mred") == 4


def test_an_answer_is_shown_with_all_that_belongs_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    triple = {"subject": HOSTILE, "relation": HOSTILE, "object": HOSTILE}
    record = {"answer": HOSTILE, "confidence": 0.5, "steps": [{"question": HOSTILE}], "evidence": [triple],
              "warnings": [HOSTILE]}  # fmt: skip
    with screened():
        print_answer(record, HOSTILE)
    assert shown(capsys).count("\\u001b[31mred") == 7


@pytest.mark.parametrize("arguments", [["load"], ["--debug", "load"], []])
def test_errors_and_tracebacks_are_shown(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, HOSTILE]) in (1, 2)
    assert "red" in shown(capsys)


def test_a_bad_line_of_a_file_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.nt"
    path.write_text(f"<http://e/a> <http://e/b> {HOSTILE} .\n", encoding="utf-8", newline="")
    assert main(["load", str(path)]) == 1
    shown(capsys)


def test_a_terminal_is_sent_nothing_by_the_installed_program() -> None:
    ours, theirs = pty.openpty()
    arguments = [sys.executable, "-c", "from kgneo.cli.main import entry_point; entry_point()", "load", HOSTILE]
    with subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        found = bytearray()
        while block := _read(ours):
            found += block
        assert process.wait() == 1
    os.close(ours)
    text = found.decode().replace("\r\n", "\n")  # as a terminal ends lines
    assert "\\u001b[31mred" in text
    assert not SENT.search(text)


def in_a_terminal(program: str, **environment: str) -> str:
    """What a program sends to a terminal."""
    ours, theirs = pty.openpty()
    surroundings = {**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=surroundings
    ) as process:
        os.close(theirs)
        found = bytearray()
        while block := _read(ours):
            found += block
        assert process.wait() == 0, found.decode()
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


SHOWN_IN_A_TERMINAL = """
from kgneo.cli.render import print_answer, print_verdict
from kgneo.cli.terminal import screened
name = {name!r}
triples = [dict(subject=name, relation="knows", object="B" * 30)] * 12
record = dict(answer=name, answers=[name] * {answers}, more=0, confidence=0.5, steps=[dict(question=name)],
              evidence=triples, warnings=[name], readings=[], table=None, llm=None, verdict="refuted",
              explanation=name)
with screened():
    print_answer(record, "MATCH (n) RETURN n")
    print_verdict(record)
"""


def test_names_are_laid_out_in_a_terminal_and_send_it_nothing() -> None:
    sent = in_a_terminal(SHOWN_IN_A_TERMINAL.format(name=HOSTILE, answers=1))
    without_colours = re.sub(r"\x1b\[[0-9;]*m", "", sent)
    assert without_colours != sent
    assert not SENT.search(without_colours)
    assert "TITLE" not in sent
    assert "\x1b]0;" not in sent


def test_colours_are_left_out_where_nobody_wants_them() -> None:
    assert "\x1b[3" not in in_a_terminal(SHOWN_IN_A_TERMINAL.format(name="A", answers=1), NO_COLOR="1")


def test_a_long_list_is_shortened_and_says_how_to_see_all_and_the_query_is_not_shown() -> None:
    sent = re.sub(r"\x1b\[[0-9;]*m", "", in_a_terminal(SHOWN_IN_A_TERMINAL.format(name="A", answers=70)))
    assert "… 10 more of 70: -q prints all of them" in sent
    assert "… 2 more: --json has all of them" in sent
    assert "--cypher shows the query" in sent
    assert "MATCH" not in sent


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:  # the other end is closed
        return b""


def test_nothing_goes_around_the_screen_but_what_makes_its_texts_visible_itself() -> None:
    around = {"behind", "buffer", "__stdout__", "__stderr__"}
    found = {
        file.name
        for file in (KGNEO / "cli").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr in around)
        or (isinstance(node, ast.Name) and node.id == "behind")
    }
    assert found == {"terminal.py", "progress.py", "pretty.py", "dialogue.py"}


@on_one_version
@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "what does [X] know?", "--here"],
        ["ask", "what does [X] know?", "--here", "--quiet"],
        ["ask", "what does [X] know?", "--here", "--json"],
        ["ask", "what does [Y] know?", "--here", "--strategy", "all"],
        ["ask", "what does [Xred owned] know?", "--here"],
        ["retrieve", "what does [X] know?"],
        ["verify", "[X] knows [Y]."],
        ["schema"],
        ["schema", "--prompt"],
        ["index", "--dry-run"],
        ["learn", "--list"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_every_command_shows_the_names_of_a_graph(
    graph: Graph, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    graph.write(
        "CREATE (x:Person {name: 'X'})-[:knows {since: $text}]->(y:Person {name: 'Y'}), "
        "(y)-[:knows]->(:Person {name: $text}), "
        "(x)-[:knows]->(:Thing {name: $text, colour: $text})",
        text=HOSTILE,
    )
    main(arguments)
    shown(capsys)


# Ctrl-C --------------------------------------------------------------------------------------------------------------


def test_the_second_interrupt_ends_a_process_at_once_and_without_a_word() -> None:
    code = "import time\nfrom kgneo.cli.interrupt import interruptible\nprint('there', flush=True)\n"
    code += "with interruptible():\n  try:\n    time.sleep(60)\n  finally:\n    time.sleep(60)\n"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    time.sleep(0.3)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    _, told = process.communicate(timeout=20)
    assert (process.returncode, told) == (-signal.SIGINT, b"")


def test_an_interrupt_that_was_armed_again_is_the_first_one() -> None:
    with interruptible():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            arm()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_fails_while_an_interrupt_is_tidied_up_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> object:
        try:
            raise KeyboardInterrupt
        finally:
            raise BufferError("the driver closes a connection in the middle of a message")

    monkeypatch.setattr("kgneo.cli.main._run", interrupted)
    assert main(["schema"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"
