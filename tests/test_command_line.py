"""The commands as a user runs them, on a real Neo4j: results on standard output, the rest on standard error."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import click
import pytest
from neo4j.graph import Node

from kgneo.cli.hints import about_this_graph
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.graph.index import build
from kgneo.graph.shape import LOADED
from kgneo.sample import questions_path, triples_path
from tests.conftest import load_file, on_one_version

SAMPLE = str(triples_path())


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line."""
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def count(graph: Graph) -> int:
    return int(graph.read("MATCH ()-[r]->() RETURN count(r) AS n")[0]["n"])


def test_load_then_ask_answers_with_evidence(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "load", SAMPLE)
    assert (code, count(graph)) == (0, 327), err
    assert "kgneo ask" in out
    code, out, err = run(capsys, "ask", "what is the capital of [Ethiopia]?")
    assert code == 0, err
    assert out.splitlines()[0] == "Addis Ababa"
    assert "(Ethiopia, has_capital, Addis Ababa)" in out
    assert "MATCH (x0)<-[r0:has_capital]-(x1:Entity)" in out


def test_the_sample_questions_are_answered(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample_graph
    questions = [json.loads(line) for line in questions_path().read_text(encoding="utf-8").splitlines()]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(record["question"] for record in questions)))
    code, out, err = run(capsys, "ask", "--json")
    assert code == 0, err
    answers = json.loads("[" + out.replace("}\n{", "},{") + "]")
    right = [
        bool(set(found["answers"][:1]) & set(record["answers"]))
        for found, record in zip(answers, questions, strict=True)
    ]
    assert sum(right) >= 0.9 * len(questions)


def test_ask_prints_the_object_that_is_documented(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    _, out, _ = run(capsys, "ask", "which seas does the [Danube] flow into?", "--json")
    answer = json.loads(out)
    documented = [
        "question",
        "strategy",
        "answer",
        "answers",
        "entities",
        "steps",
        "evidence",
        "cypher",
        "cypher_parameters",
        "confidence",
        "grounded",
        "llm",
        "timings_ms",
        "warnings",
    ]
    assert set(documented) <= set(answer)
    assert answer["strategy"] == "auto"
    assert answer["grounded"] is True
    assert answer["llm"] is None
    assert 0 <= answer["confidence"] <= 1
    assert {"name", "labels", "id", "matched", "score"} <= set(answer["entities"][0])
    assert {"subject", "relation", "object", "hop", "score"} <= set(answer["evidence"][0])


def test_the_cypher_of_an_answer_finds_it_and_its_picture_shows_its_evidence(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "ask", "what is the capital of [Ethiopia]?", "--json")
    answer = json.loads(out)
    found = sample_graph.read(answer["cypher"], **answer["cypher_parameters"])
    assert [row["properties"]["name"] for row in found] == ["Addis Ababa"]
    shown = sample_graph.read(answer["picture"], **answer["cypher_parameters"])
    nodes = {value["name"] for row in shown for value in row.values() if isinstance(value, Node)}
    assert nodes == {"Ethiopia", "Addis Ababa"}


def test_quiet_prints_only_the_answers(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, out, _ = run(capsys, "ask", "--quiet", "what is the capital of [Ethiopia]?")
    assert (code, out) == (0, "Addis Ababa\n")


def test_an_unknown_entity_is_answered_with_the_nearest_names(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sample_graph
    code, out, err = run(capsys, "ask", "what is the capital of [Ethiopa]?")
    assert (code, out) == (1, "")
    assert "no entity named 'Ethiopa'" in err
    assert "Ethiopia" in err


def test_a_question_without_any_entity_says_how_to_name_one(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sample_graph
    code, _, err = run(capsys, "ask", "-s", "paths", "qqq zzz xyxy")
    assert code == 1
    assert "--entity" in err


def test_an_entity_can_be_given(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, out, err = run(capsys, "ask", "what is its capital?", "--entity", "Ethiopia", "--quiet")
    assert (code, out) == (0, "Addis Ababa\n"), err


def test_retrieve_lists_candidates_by_hop_and_the_top_triples(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sample_graph
    arguments = ("--hops", "2", "--top-k", "5", "--candidates", "--json")
    code, out, err = run(capsys, "retrieve", "what is the capital of [Ethiopia]?", *arguments)
    assert code == 0, err
    found = json.loads(out)
    assert found["candidates_by_hop"] == [len(one_hop) for one_hop in found["candidates"]]
    assert len(found["triples"]) == 5
    assert found["triples"][0]["object"] == "Addis Ababa"


def test_candidates_that_are_left_out_are_told(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    command = ("retrieve", "what is the capital of [Ethiopia]?", "--max-candidates", "3")
    code, out, err = run(capsys, *command, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert sum(found["candidates_by_hop"]) == len(found["triples"]) == 3
    assert "more than 3 candidates" in found["warnings"][0]
    assert f"Warning: {found['warnings'][0]}" in run(capsys, *command)[1]


@on_one_version
def test_claims_are_verified_over_triples_without_an_index(
    graph: Graph, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(capsys, "load", SAMPLE, "--no-index")[0] == 0
    code, out, err = run(capsys, "verify", "The capital of [Ethiopia] is [Addis Ababa].", "--quiet")
    assert (code, out) == (0, "supported\n"), err
    claims = tmp_path / "claims.jsonl"
    claims.write_text('{"claim": "The [Danube] flows through [Austria].", "label": "supported"}\n', encoding="utf-8")
    code, out, err = run(capsys, "eval", "claims", str(claims), "--json")
    assert code == 0, err
    assert json.loads(out)["claims"][0]["right"]
    assert not graph.read("MATCH (n:KgneoIndex) RETURN n")


@on_one_version
def test_claims_are_judged_while_embeddings_are_being_made(
    graph: Graph, encoder: OnnxEncoder, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    load_file(graph, triples_path())
    build(graph, encoder, shape=LOADED)
    graph.write("MATCH (n:KgneoIndex) SET n.complete = false, n.embedded = 3")
    claims = tmp_path / "claims.jsonl"
    claims.write_text('{"claim": "The [Danube] flows through [Austria].", "label": "supported"}\n', encoding="utf-8")
    assert run(capsys, "eval", "claims", str(claims))[0] == 0


@on_one_version
def test_hints_name_the_graph_that_the_command_was_about(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert graph
    _, _, err = run(capsys, "ask", "what is [this]?", "--username", "neo4j", "--database", "neo4j")
    assert "`kgneo load --username neo4j --database neo4j PATH`" in err
    _, out, _ = run(capsys, "load", SAMPLE, "--no-index", "--username", "neo4j")
    assert out == "Next: kgneo index --username neo4j\n"


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ('Next: kgneo ask "…", with', "Next: kgneo ask --store 'my films' \"…\", with"),
        ("runs until `kgneo server stop`.", "runs until `kgneo server stop --store 'my films'`."),
        ("`kgneo load PATH --store other`", "`kgneo load PATH --store other`"),
        ("No kgneo server answers.", "No kgneo server answers."),
    ],
)
def test_a_command_in_a_hint_gets_the_store(told: str, shown: str) -> None:
    command = click.Command("ask", params=[click.Option(["--store"])])
    with command.make_context("ask", ["--store", "my films"]):
        assert about_this_graph(told) == shown
    with command.make_context("ask", []):
        assert about_this_graph(told) == told


@pytest.mark.parametrize(
    "command", [["ask", "who?"], ["index"], ["schema"], ["serve", "--port", "0"], ["mcp"], ["browse"]]
)
def test_a_mistyped_store_starts_nothing_and_names_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    made = tmp_path / "stores" / "demo"
    made.mkdir(parents=True)
    (made / "store.json").write_text('{"version": "2026.08.1", "bolt_port": 1, "http_port": 2}')
    code, out, err = run(capsys, *command, "--store", "dmeo")
    assert (code, out) == (2, "")
    assert err.startswith("Error: There is no store 'dmeo'. Did you mean 'demo'?")
    assert "Stores there are: demo. One of that name is made by `kgneo load PATH --store dmeo`." in err
    assert [item.name for item in made.parent.iterdir()] == ["demo"]


def test_before_anything_was_loaded_no_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    code, _, err = run(capsys, "ask", "what is the capital of [Ethiopia]?")
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert "kgneo load PATH" in err
    assert "kgneo demo" in err


class Dialogue:
    """`kgneo` in a terminal."""

    def __init__(self) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ |= {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}  # nobody answers where the cursor is
            os.execv(sys.executable, [sys.executable, "-m", "kgneo"])  # noqa: S606
        self.seen = ""

    def until(self, text: str) -> None:
        """Read on until a text comes."""
        self.seen = ""
        deadline = time.monotonic() + 120
        while text not in self.seen:
            ready = select.select([self.terminal], [], [], max(deadline - time.monotonic(), 0))[0]
            assert ready, self.seen
            self.seen += os.read(self.terminal, 4096).decode(errors="replace")

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.terminal, text.encode())

    def ended(self) -> int:
        """The exit code."""
        with suppress(OSError):
            while os.read(self.terminal, 4096):
                pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.parametrize("end", ["exit\n", "/exit\n", "\x04"])
def test_a_dialogue_ends_where_people_end_it(sample_graph: Graph, end: str) -> None:
    assert sample_graph
    dialogue = Dialogue()
    dialogue.until(">")
    dialogue.type(end)
    assert dialogue.ended() == 0


def test_ctrl_c_ends_the_question_and_not_the_dialogue(sample_graph: Graph, tmp_path: Path) -> None:
    assert sample_graph
    dialogue = Dialogue()
    dialogue.until(">")
    dialogue.type("what is the cap")
    dialogue.until("cap")
    time.sleep(1)  # so that the key comes while the line is waited for, as a person's does
    dialogue.type("\x03")
    dialogue.until(">")
    dialogue.type("what is the capital of [Ethiopia]?\n")
    dialogue.until("/cypher shows the query")
    dialogue.type("and Germany?\n")
    dialogue.until("Berlin")
    dialogue.type("/cypher\n")
    dialogue.until("MATCH (x0)<-[r0:has_capital]-(x1:Entity)")
    dialogue.type(f"/save {tmp_path / 'answer.csv'}\n")
    dialogue.until("Saved")
    dialogue.type("what does the [Meko\t")
    dialogue.until("ng]")  # what Tab added
    dialogue.type("\x03exit\n")
    assert dialogue.ended() == 0
    assert (tmp_path / "answer.csv").read_text(encoding="utf-8").splitlines() == ["answer", "Berlin"]


def test_an_unknown_command_is_told_with_the_nearest_and_a_question_with_ask(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = run(capsys, "lod", "x.csv")
    assert code == 2
    assert "Did you mean `kgneo load`?" in err
    code, _, err = run(capsys, "which", "rivers", "flow", "through", "Germany?")
    assert 'kgneo ask "which rivers flow through Germany?"' in err


def test_a_question_and_a_claim_need_no_quotes(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, out, err = run(capsys, "ask", "-q", *["what", "is", "the", "capital", "of", "[Ethiopia]?"])
    assert (code, out) == (0, "Addis Ababa\n"), err
    code, out, err = run(capsys, "verify", "-q", *["The", "[Danube]", "flows", "through", "[Austria]."])
    assert (code, out) == (0, "supported\n"), err


def test_init_tries_a_server_and_keeps_its_address_without_the_password(
    sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample_graph
    monkeypatch.chdir(tmp_path)
    address = os.environ["NEO4J_URI"]
    code, out, err = run(capsys, "init", address, "--yes")
    assert code == 0, err
    assert "327 relationships" in out
    kept = Path("kgneo.toml").read_text(encoding="utf-8")
    assert f'uri = "{address}"' in kept
    assert os.environ["NEO4J_PASSWORD"] not in kept
    monkeypatch.delenv("NEO4J_URI")
    assert run(capsys, "ask", "-q", "what is the capital of [Ethiopia]?")[1] == "Addis Ababa\n"
    code, _, err = run(capsys, "init", address, "--yes")
    assert code == 2
    assert "kgneo.toml is in this folder already" in err


WORDLESS = ("", "?", ":", "[]", "\t", "\U0001f600", "what?", "how many are there?")


@pytest.mark.parametrize("command", ["ask", "retrieve", "verify"])
def test_a_text_without_words_is_refused_in_one_line(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert sample_graph
    for text in WORDLESS:
        code, out, err = run(capsys, command, text)
        assert (code, out) == (2, ""), err
        assert err.startswith("Error: The ")
        assert "has no words" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["ask", "retrieve", "verify"])
def test_bytes_of_a_command_line_that_are_no_text_are_refused_in_one_line(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert sample_graph
    for arguments in (["what is the capital of \udce9?"], ["what is the capital?", "--entity", "\udce9"]):
        code, _, err = run(capsys, command, *arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert "not UTF-8" in err


@on_one_version
def test_an_empty_graph_and_one_without_an_index_are_told_apart(
    graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "ask", "what is [this]?")
    assert code == 1
    assert "empty" in err
    assert "kgneo load" in err
    assert run(capsys, "load", SAMPLE, "--no-index")[0] == 0
    code, _, err = run(capsys, "ask", "what is [this]?")
    assert (code, count(graph)) == (1, 327)
    assert "kgneo index" in err


def test_asking_with_another_encoder_is_refused(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, _, err = run(capsys, "ask", "what is [Kenya]?", "--encoder", "mpnet")
    assert code == 1
    assert "'minilm'" in err
    assert "'mpnet'" in err


BAD_FILES = {
    "empty": (b"", "empty"),
    "binary": (b"PK\x03\x04\x00\x00\x08\x00" * 100, "binary"),
    "fields": (b"a,r,b\nc,r,d\ne,r\n", "3"),
    "encoding": (b"a\tr\tb\nc\tr\t\xe9t\xe9\n", "UTF-8"),
    "name": (b"a\tr\tb\n\tr\td\n", "empty"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_one_clear_message_and_nothing_is_written(
    sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    content, expected = BAD_FILES[kind]
    file = tmp_path / f"{kind}.tsv"
    file.write_bytes(content)
    before = count(sample_graph)
    code, out, err = run(capsys, "load", str(file))
    assert (code, out) == (1, "")
    assert str(file) in err
    assert expected in err
    assert "Traceback" not in err
    assert count(sample_graph) == before


@on_one_version
def test_a_missing_file_writes_nothing_of_the_others(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "load", SAMPLE, "nowhere.tsv")
    assert code == 1
    assert "nowhere.tsv" in err
    assert count(graph) == 0


@on_one_version
def test_bad_lines_are_left_out_counted_and_kept(
    graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, rejected = tmp_path / "some.tsv", tmp_path / "rejected.tsv"
    file.write_bytes(b"a\tr\tb\nc\tr\nd\tr\te\n")
    arguments = ("--skip-bad-lines", "--rejected", str(rejected), "--no-index")
    code, _, err = run(capsys, "load", str(file), *arguments)
    assert (code, count(graph)) == (0, 2), err
    assert "1 bad line" in err
    assert len(rejected.read_text().splitlines()) == 1


@on_one_version
def test_standard_input_can_be_loaded(
    graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"subject\trelation\tobject\na\tr\tb\n")))
    code, _, err = run(capsys, "load", "-", "--no-index")
    assert (code, count(graph)) == (0, 1), err


def test_a_wrong_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "ask", "--no-such-option")
    assert (code, out) == (2, "")
    assert "--no-such-option" in err


def test_an_unknown_strategy_names_those_there_are(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, _, err = run(capsys, "ask", "what is [Kenya]?", "--strategy", "guess")
    assert code == 2
    assert "paths" in err


def test_a_server_that_is_not_there_is_one_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    code, _, err = run(capsys, "ask", "what is [this]?")
    assert code == 1
    assert "bolt://127.0.0.1:9" in err
    assert "Traceback" not in err


def test_a_wrong_password_is_one_message_without_the_password(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample_graph
    monkeypatch.setenv("NEO4J_PASSWORD", "wrong-secret")
    code, _, err = run(capsys, "ask", "what is [this]?")
    assert code == 1
    assert "NEO4J_PASSWORD" in err
    assert "wrong-secret" not in err


def test_options_come_from_flag_then_environment_then_file(
    sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample_graph
    monkeypatch.chdir(tmp_path)
    Path("kgneo.toml").write_text("top-k = 3\n[retrieve]\nhops = 1\n")

    def triples(*arguments: str) -> int:
        code, out, err = run(capsys, "retrieve", "which countries does the [Danube] cross?", "--json", *arguments)
        assert code == 0, err
        return len(json.loads(out)["triples"])

    assert triples() == 3
    monkeypatch.setenv("KGNEO_TOP_K", "2")
    assert triples() == 2
    assert triples("--top-k", "1") == 1


def test_a_password_in_the_options_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kgneo.toml").write_text('password = "my-secret"\n')
    code, _, err = run(capsys, "doctor")
    assert code == 1
    assert "NEO4J_PASSWORD" in err
    assert "my-secret" not in err


def test_doctor_says_what_works(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    code, out, _ = run(capsys, "doctor")
    assert code == 0, out
    assert "327 triples" in out
    assert "SHA-256 53aa51172d14" in out


def test_ask_never_imports_torch_or_transformers(sample_graph: Graph) -> None:
    assert sample_graph
    program = (
        "import sys; from kgneo.cli.main import main\n"
        "code = main(['ask', '-q', 'what is the capital of [Ethiopia]?'])\n"
        "print(code, sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert result.stdout.splitlines() == ["Addis Ababa", "0 []"]


def test_completion_prints_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "completion", "bash")
    assert code == 0
    assert "_KGNEO_COMPLETE" in out
