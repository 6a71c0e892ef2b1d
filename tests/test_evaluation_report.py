"""Reports: classes of wrong answers, tables, figures, comparisons, experiments."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kgneo.errors import DataError, EntityNotFound, GraphUnavailable, ModelError, UsageError
from kgneo.evaluation import failures
from kgneo.evaluation.compare import compare, comparison_text
from kgneo.evaluation.evaluate import Control, Outcome, evaluate
from kgneo.evaluation.experiment import Plan, read_experiment
from kgneo.evaluation.failures import CLASSES, MINDFUL_CLASSES, classify, rerun_command
from kgneo.evaluation.figures import COLOURS, SHADES
from kgneo.evaluation.provenance import hash_triples
from kgneo.evaluation.published import read_published
from kgneo.evaluation.records import Record, read_records
from kgneo.evaluation.report import write_report
from kgneo.evaluation.run import Backend, Configuration, Retrieved, ask_record
from kgneo.model import Answer, AnswerNode, Entity, Reading, Step, TopicEntity, Triple
from kgneo.questions import Dataset, GoldNode, Question
from kgneo.strategies import find_strategy
from tests.evaluation_stand_in import Oracle, backend, dataset, gold, question, retrieve, right_answer

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
KEYS = [
    "dataset",
    "split",
    "variant",
    "question_hops",
    "strategy",
    "hops",
    "top_k",
    "seed",
    "n",
    "hit_at_1",
    "hit_at_1_text",
    "f1",
    "precision",
    "recall",
    "exact",
    "ci95",
    "p50_ms",
    "p95_ms",
    "calls",
    "tokens",
    "errors",
    "outcomes",
    "exact_of_answers",
    "exact_first",
    "by_type",
]


def cell(strategy: str = "paths", hops: int = 3, top_k: int = 10) -> Configuration:
    return Configuration(strategy, hops, top_k, 0, 2)


ASKED = question(4, hops=2)


def kind_of(answer: Answer, where: Configuration, asked: Question = ASKED) -> str:
    record = ask_record(asked, where, Oracle({asked.id: answer}))
    row = failures.diagnose(asked, record=record, configuration=where, backend=backend())
    return str(row["class"])


def wrong(strategy: str = "paths", answers: tuple[str, ...] = ("Nowhere",), **changes: object) -> Answer:
    right = right_answer(question(4, hops=2), strategy)
    return replace(right, answer=", ".join(answers), answers=answers, **changes)  # type: ignore[arg-type]


def steps(count: int) -> tuple[Step, ...]:
    return tuple(Step(f"step {number}", "") for number in range(count))


@pytest.mark.parametrize(
    ("answer", "where", "kind"),
    [
        (wrong(entities=(TopicEntity(Entity("Elsewhere"), "Elsewhere"),)), cell(), "not-linked"),
        (wrong(), cell(hops=1), "not-among-candidates"),
        (wrong(readings=(Reading("", "lies_in", 1.0),)), cell(), "too-few-steps"),
        (wrong(readings=(Reading("", "lies_in/lies_in/lies_in", 1.0),)), cell(), "too-many-steps"),
        (wrong(readings=(Reading("", "lies_in/^lies_in", 1.0),)), cell(), "other-path"),
        (wrong("kg-rag", steps=()), cell("kg-rag"), "too-few-steps"),
        (wrong("kg-rag", steps=steps(3)), cell("kg-rag"), "too-many-steps"),
        (wrong("llm-qd", steps=steps(1)), cell("llm-qd"), "too-few-steps"),
        (wrong("kaping", steps=(), evidence=()), cell("kaping", top_k=1), "not-in-top-k"),
        (wrong(answers=()), cell(), "unanswered"),
        (wrong(grounded=False), cell(), "not-grounded"),
        (wrong(), cell(), "right-triples"),
        (wrong("kaping", steps=()), cell("kaping"), "right-triples"),
        (wrong("llm", steps=(), grounded=False, evidence=()), cell("llm"), "not-grounded"),
    ],
)
def test_a_wrong_answer_is_put_where_its_question_went_astray(answer: Answer, where: Configuration, kind: str) -> None:
    assert kind_of(answer, where) == kind


def test_some_right_answers_and_no_wrong_one_are_incomplete() -> None:
    asked = replace(question(4, hops=2), answers=("Level 2 of 4", "Level 2 of 5"))
    assert kind_of(wrong(answers=("Level 2 of 4",)), cell(), asked) == "incomplete"


def test_all_right_answers_with_others_are_an_excess() -> None:
    assert kind_of(wrong(answers=("Nowhere", "Level 2 of 4")), cell()) == "excess"


def test_an_entity_that_is_not_in_the_graph_is_not_linked() -> None:
    asked = question(1)
    record = {"id": asked.id, "error": {"type": "EntityNotFound", "message": "no such town"}, "scores": {}}
    assert classify(asked, find_strategy("paths"), record, failures.Checks()).kind == "not-linked"


def test_without_a_gold_path_only_what_can_be_checked_is_said() -> None:
    asked = replace(question(4, hops=2), path=None, hops=None)
    answer = replace(wrong(readings=()), evidence=())
    assert kind_of(answer, cell(), asked) == "other"


def test_evidence_shows_that_triples_were_selected_even_when_the_top_k_is_not_what_selected_them() -> None:
    assert kind_of(wrong("kaping", steps=()), cell("kaping", top_k=1)) == "right-triples"


def test_each_sub_question_selects_its_own_triples() -> None:
    texts: list[str] = []

    def listed(asked: Question, where: Configuration, wanted: Sequence[Triple]) -> Retrieved:
        texts.append(asked.text)
        return retrieve(asked, where, wanted)

    asked, where = question(4, hops=2), cell("kg-rag")
    record = ask_record(asked, where, Oracle({asked.id: wrong("kg-rag", steps=steps(2))}))
    nearest = partial(find_strategy, select="top-k")
    failures.check(asked, where, record, Backend(Oracle(), retrieve=listed, gold=gold, strategy=nearest))
    assert texts == [asked.text, "step 0", "step 1"]


def test_a_graph_that_refuses_a_check_does_not_end_the_report() -> None:
    def refuse(_: Question) -> tuple[Triple, ...]:
        raise DataError("no")

    asked, where = question(4, hops=2), cell()
    record = ask_record(asked, where, Oracle({asked.id: wrong()}))
    row = failures.diagnose(asked, record=record, configuration=where, backend=replace(backend(), gold=refuse))
    assert "the graph could not be asked: no" in row["detail"]


def test_the_command_that_reruns_a_question_has_all_that_matters() -> None:
    words = shlex.split(rerun_command(question(4, hops=2), cell("kg-rag", top_k=20)))
    assert words[:3] == ["kgneo", "ask", "where does [Town 4] lie, 2 up?"]
    assert words[3:] == ["--strategy", "kg-rag", "--hops", "3", "--top-k", "20", "--seed", "0"]
    bare = replace(question(4), text="it's where?", entities=("Town 4",))
    assert shlex.split(rerun_command(bare, cell()))[-2:] == ["--entity", "Town 4"]
    assert "--entity" not in rerun_command(bare.without_brackets(), cell())


def measure(folder: Path, plan: Plan | None = None, oracle: Oracle | None = None, **options: object) -> Outcome:
    plan = plan or Plan("towns", limit=12, seeds=(0, 1))
    return evaluate(plan, dataset(), backend(oracle), out=folder, control=Control(**options))  # type: ignore[arg-type]


def some_wrong() -> Oracle:
    """Of twenty questions a part, several go wrong in several ways."""
    answers: dict[str, Answer | Exception] = {}
    for number in range(0, 20, 3):
        asked = question(number, 2)
        answers[asked.id] = replace(right_answer(asked, "paths"), answers=("Nowhere",), answer="Nowhere")
    answers["1/1"] = ModelError("empty")
    answers["1/2"] = EntityNotFound("no Town 2")
    return Oracle(answers)


def test_the_json_of_a_run_has_the_documented_keys_in_order(tmp_path: Path) -> None:
    outcome = measure(tmp_path, oracle=some_wrong())
    printed = json.loads(json.dumps(outcome.to_dict()))
    assert [list(run) for run in printed["runs"]] == [KEYS] * 4
    assert (printed["runs"][0]["dataset"], printed["runs"][0]["split"]) == ("towns", "dev")
    for run in printed["runs"]:
        for name, (low, high) in run["ci95"].items():
            assert low <= run[name] <= high


def test_the_figures_of_a_run_are_those_of_its_records(tmp_path: Path) -> None:
    outcome = measure(tmp_path, Plan("towns"), some_wrong())
    for item in outcome.summaries:
        records = list(read_records(outcome.folder.records(item.configuration)))
        assert item.n == len(records) == 20
        assert item.means["hit_at_1"] == pytest.approx(sum(row["scores"]["hit_at_1"] for row in records) / 20)
        assert item.errors == sum(bool(row["error"]) for row in records)
        assert sum(part.n for part in item.by_type.values()) == 20
    assert outcome.summaries[0].errors == 2
    assert outcome.summaries[0].calls == pytest.approx(2 * 18 / 20)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a grid with mistakes."""
    plan = Plan("towns", limit=15, seeds=(0, 1), strategies=("paths", "kg-rag"), hops=(1, 2), top_k=(1, 5))
    folder = tmp_path_factory.mktemp("report")
    write_report(measure(folder / "run", plan, some_wrong()))
    return folder / "run"


def test_a_report_names_every_class_that_occurs_with_the_command_to_rerun_one(report: Path) -> None:
    text = (report / "report.md").read_text()
    rows = [row for path in (report / "diagnosis").iterdir() for row in read_records(path)]
    kinds = {row["class"] for row in rows if row["class"]}
    assert kinds
    for kind in kinds:
        title = f"### {CLASSES[kind][0].upper()}{CLASSES[kind][1:]}"
        assert title in text
        assert "kgneo ask" in text.split(title)[1].split("###")[0]


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_a_report_lists_failed_questions(report: Path) -> None:
    assert "ModelError: empty" in (report / "report.md").read_text()
    rows = table(report / "failed.csv")
    records = [row for path in (report / "records").iterdir() for row in read_records(path)]
    assert len(rows) == sum(bool(row["error"]) for row in records) > 0


def test_a_report_says_what_is_needed_to_make_it_again(report: Path) -> None:
    text = (report / "report.md").read_text().split("## Where these numbers come from")[1]
    for key in ("versions", "encoder", "questions", "seeds", "kgneo", "top_k"):
        assert f"- {key}: " in text


def test_the_table_has_a_row_for_every_configuration(report: Path) -> None:
    rows = table(report / "summary.csv")
    assert len(rows) == 2 * 2 * 2 * 2 * 2
    assert all(0 <= float(row["hit_at_1_low"]) <= float(row["hit_at_1"]) <= float(row["hit_at_1_high"]) for row in rows)
    lines = [line for line in (report / "report.md").read_text().splitlines() if re.match(r"\| \d-hop questions", line)]
    assert len(lines) == 2 * 2 * 2 * 2


def test_hit_at_1_and_exact_sets_are_told_by_type_of_question(tmp_path: Path) -> None:
    asked = [replace(question(number), type="who" if number < 3 else "when") for number in range(4)]
    half = replace(right_answer(asked[0]), answers=(*asked[0].answers, "Nowhere"))
    towns = Dataset("towns", "dev", "plain", {1: tuple(asked)})
    outcome = evaluate(Plan("towns"), towns, backend(Oracle({asked[0].id: half})), out=tmp_path / "run")
    (run,) = outcome.to_dict()["runs"]
    assert run["by_type"] == {
        "when": {"n": 1, "hit_at_1": 1.0, "exact": 1.0},
        "who": {"n": 3, "hit_at_1": 1.0, "exact": 0.666667},
    }
    text = write_report(outcome, with_figures=False).read_text()
    assert "| who | 1-hop questions | auto | 3 | 30 | 3 | 1.000 | 0.667 |" in text


def test_a_question_that_the_graph_cannot_answer_is_right_when_it_is_refused(tmp_path: Path) -> None:
    asked = [replace(question(number), answers=(), type="none") for number in range(3)]
    given: dict[str, Answer | Exception] = {
        asked[0].id: EntityNotFound("no Town 0"),
        asked[1].id: Answer(asked[1].text, "paths", "not found", confidence=0.04),
        asked[2].id: Answer(asked[2].text, "paths", "Ulm", answers=("Ulm",), confidence=0.9),
    }
    towns = Dataset("towns", "dev", "plain", {1: tuple(asked)})
    outcome = evaluate(Plan("towns"), towns, backend(Oracle(given)), out=tmp_path / "run")
    (summary,) = outcome.summaries
    assert (summary.errors, summary.by_type["none"].sets) == (0, 2)
    (row,) = [row for row in read_records(outcome.folder.diagnosis(summary.configuration)) if row["class"]]
    assert row["class"] in ("not-refused", "not-linked")


def test_gold_nodes_are_kept_in_the_records_and_the_sample(tmp_path: Path) -> None:
    asked = replace(question(0), answers=(), nodes=(GoldNode("Land", {"name": "Level 1 of 0", "code": "L"}),))
    node = AnswerNode("4:0:1", ("Land",), ("Level one", "L"))
    answer = Answer(asked.text, "paths", "Level one", answers=("Level one",), answer_nodes=(node,))
    towns = Dataset("towns", "dev", "plain", {1: (asked,)})
    outcome = evaluate(Plan("towns"), towns, backend(Oracle({asked.id: answer})), out=tmp_path / "run")
    (record,) = read_records(outcome.folder.records(outcome.summaries[0].configuration))
    assert record["scores"]["exact"] == 1
    names = {"names": ["Level one", "L"], "described": False}
    assert record["answer_nodes"] == [{"id": "4:0:1", "labels": ["Land"], **names}]
    (row,) = read_records(tmp_path / "run/questions.jsonl")
    assert record["gold_nodes"] == row["nodes"] == [{"label": "Land", "name": "Level 1 of 0", "code": "L"}]


def test_figures_are_drawn_as_png_and_svg(report: Path) -> None:
    names = {path.stem for path in (report / "figures").glob("*.png")}
    assert names == {path.stem for path in (report / "figures").glob("*.svg")}
    assert {
        "figure-5-paths",
        "figure-5-kg-rag",
        "figure-6-N2-K5",
        "figure-8-kg-rag",
        "types-1-hop",
        "types-2-hop",
        "latency",
    } <= names
    for name in names:
        assert (report / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert ElementTree.parse(report / "figures" / f"{name}.svg").getroot().tag.endswith("svg")  # noqa: S314
        assert f"figures/{name}.png" in (report / "report.md").read_text()


def test_a_report_is_the_same_when_it_is_written_again(tmp_path: Path) -> None:
    write_report(measure(tmp_path / "run", oracle=some_wrong()))
    first = {path.name: path.read_bytes() for path in (tmp_path / "run/figures").iterdir()}
    text = (tmp_path / "run/report.md").read_text()
    write_report(measure(tmp_path / "run", oracle=some_wrong()))
    assert (tmp_path / "run/report.md").read_text() == text
    assert {path.name: path.read_bytes() for path in (tmp_path / "run/figures").iterdir()} == first


def brightness(colour: str) -> float:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_shades_of_an_ordered_quantity_get_darker_and_colours_differ() -> None:
    assert [brightness(shade) for shade in SHADES] == sorted(map(brightness, SHADES), reverse=True)
    assert len(set(COLOURS)) == len(COLOURS)


def test_retrieval_alone_has_a_report_of_its_own(tmp_path: Path) -> None:
    plan = Plan("towns", stage="retrieve", limit=10, hops=(1, 2), top_k=(1, 5))
    outcome = measure(tmp_path / "run", plan)
    write_report(outcome)
    found = {
        (item.configuration.question_hops, item.configuration.hops, item.configuration.top_k): item
        for item in outcome.retrieval
    }
    assert len(found) == 8
    assert (found[2, 1, 5].recall_candidates, found[2, 1, 5].complete_candidates) == (0.5, 0)
    assert (found[2, 2, 1].recall_candidates, found[2, 2, 1].recall_top_k) == (1, 0.5)
    assert found[2, 2, 5].complete_top_k == 1
    assert (tmp_path / "run/figures/retrieval.png").exists()
    assert "recall, top K" in (tmp_path / "run/report.md").read_text()
    keys = list(outcome.to_dict()["runs"][0])
    assert keys[:7] == ["dataset", "split", "variant", "question_hops", "hops", "top_k", "seed"]


def test_a_server_lost_while_causes_are_looked_for_is_waited_for(tmp_path: Path) -> None:
    state = {"left": 1}

    def walk(asked: Question) -> tuple[Triple, ...]:
        if state["left"]:
            state["left"] -= 1
            raise GraphUnavailable("gone")
        return gold(asked)

    said: list[str] = []
    asking = replace(backend(some_wrong()), gold=walk, alive=lambda: None)
    evaluate(Plan("towns"), dataset(), asking, out=tmp_path / "run", control=Control(notify=said.append))
    assert any(line.startswith("Lost the server (gone)") for line in said)


def test_comparing_says_which_questions_changed_and_how_likely_that_is(tmp_path: Path) -> None:
    measure(tmp_path / "a", Plan("towns"), some_wrong())
    measure(tmp_path / "b", Plan("towns", strategies=("kg-rag",)))
    found = compare(tmp_path / "a", tmp_path / "b")
    assert (found.n, found.only_a, found.only_b) == (40, 0, 0)
    assert (found.gained, found.lost) == (9, 0)
    assert found.mcnemar == pytest.approx(2 / 2**9)
    assert found.permutation < 0.05
    text = comparison_text(found)
    assert "Right in B alone" in text
    assert "[error: ModelError -> Level 1 of 1]" in text
    back = compare(tmp_path / "b", tmp_path / "a")
    assert (back.gained, back.lost, back.mcnemar) == (0, 9, found.mcnemar)
    assert back.to_dict()["changed"][0]["better"] is False


def test_comparing_a_run_with_itself_finds_nothing(tmp_path: Path) -> None:
    measure(tmp_path / "a", oracle=some_wrong())
    found = compare(tmp_path / "a", tmp_path / "a")
    assert (found.changes, found.mcnemar, found.permutation) == ((), 1.0, 1.0)


def test_runs_of_several_configurations_are_compared_where_they_agree(tmp_path: Path) -> None:
    measure(tmp_path / "a", Plan("towns", strategies=("paths", "kg-rag")), some_wrong())
    measure(tmp_path / "b", Plan("towns", strategies=("paths", "kaping")), some_wrong())
    assert compare(tmp_path / "a", tmp_path / "b").n == 40


def test_record_files_can_be_compared_by_name(tmp_path: Path) -> None:
    outcome = measure(tmp_path / "a", Plan("towns", strategies=("paths", "kg-rag")), some_wrong())
    files = [outcome.folder.records(item.configuration) for item in outcome.summaries]
    assert compare(files[0], files[2]).n == 20


def test_runs_that_have_nothing_in_common_are_refused(tmp_path: Path) -> None:
    measure(tmp_path / "a", Plan("towns", strategies=("paths", "kg-rag")))
    measure(tmp_path / "b", Plan("towns", strategies=("kaping", "llm")))
    with pytest.raises(UsageError, match=r"has paths N=3 K=30, kg-rag N=3 K=30, .* has kaping"):
        compare(tmp_path / "a", tmp_path / "b")
    with pytest.raises(DataError, match="no results here"):
        compare(tmp_path / "a", tmp_path / "nowhere")


def test_runs_on_other_gold_answers_are_refused(tmp_path: Path) -> None:
    def record(answers: list[str]) -> Record:
        scores = {"hit_at_1": 1, "f1": 1}
        return {
            "id": "1",
            "question": "q",
            "gold_answers": answers,
            "answers": answers,
            "error": None,
            "scores": scores,
        }

    for name, answers in (("a", ["x"]), ("b", ["y"])):
        (tmp_path / name).write_text(json.dumps(record(answers)) + "\n")
    with pytest.raises(DataError, match="other gold answers"):
        compare(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("number", [1, 2])
def test_the_papers_experiments_are_plans_with_published_numbers(number: int) -> None:
    plan = read_experiment(EXPERIMENTS / f"experiment-{number}.toml")
    assert plan.published is not None
    published = read_published(plan.published)
    for part in plan.question_hops:
        for strategy in plan.strategies:
            for hops in plan.hops:
                for top_k in plan.top_k:
                    value = published.find(part, strategy, hops=hops, top_k=top_k)
                    assert value is not None
                    assert 0 < value.value < 1


def test_experiment_1_is_what_the_paper_did() -> None:
    plan = read_experiment(EXPERIMENTS / "experiment-1.toml")
    assert (plan.hops, plan.top_k, plan.limit, plan.seeds) == ((1, 2, 3), (10, 20, 30), 100, tuple(range(10)))
    assert plan.published is not None
    printed = read_published(plan.published).find(2, "kg-rag", hops=3, top_k=30)
    assert printed is not None
    assert (printed.value, printed.deviation, printed.read_off) == (0.787, 0.046, False)


def test_published_numbers_stand_beside_ours(tmp_path: Path) -> None:
    plan = replace(
        read_experiment(EXPERIMENTS / "experiment-2.toml"), dataset="towns", limit=5, seeds=(0,), question_hops=(1, 2)
    )
    text = write_report(measure(tmp_path / "run", plan)).read_text()
    assert "published Hit@1" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| 2-hop questions | kaping")]
    assert row.endswith("| ≈ 0.58 |")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dataset = ", "not TOML"),
        ('dataset = "x"\ncolour = 3', "unknown key 'colour'"),
        ("split = 'dev'", 'no "dataset"'),
        ('dataset = "x"\nhops = 3', "hops is 3; expected a list of int"),
        ('dataset = "x"\nseeds = ["a"]', "expected a list of int"),
        ('dataset = "x"\nlimit = "many"', "expected int"),
    ],
)
def test_a_bad_experiment_is_refused_with_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_experiment(path)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stage": "guess"}, "the stage 'guess'"),
        ({"hops": (0,)}, "hops of 0"),
        ({"limit": 0}, "a limit of 0"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Plan("towns").changed(**options)


def test_a_bad_file_of_published_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"accuracy": [{}]}')
    with pytest.raises(DataError, match="not a file of published numbers"):
        read_published(path)


def test_the_hash_of_a_graph_does_not_depend_on_the_order_of_its_triples() -> None:
    triples = [Triple(f"s{number}", "r", "o") for number in range(5)]
    assert hash_triples(triples) == hash_triples(reversed(triples))
    assert hash_triples(triples) != hash_triples(triples[1:])
    assert hash_triples([Triple("a", "b", "c")]) != hash_triples([Triple("b", "a", "c")])


@pytest.mark.parametrize(
    ("path", "kind"),
    [("a|lies_in/lies_in", "excess"), ("a|b/lies_in", "other-path"), ("a|lies_in", "too-few-steps")],
)
def test_a_way_of_several_relations_a_hop_is_right_where_each_hop_takes_the_gold_one(path: str, kind: str) -> None:
    asked = question(4, hops=2)
    record = ask_record(asked, Configuration("refkg", 3, 10, 0, 1), Oracle())
    record |= {"counts": {"found": 2, "right": 1, "gold": 1, "met": 1}, "path": path}
    assert classify(asked, find_strategy("refkg"), record, failures.Checks()).kind == kind


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"answers": ["_:b1"]}, "nameless"),
        ({"warnings": ["Ignored: 'current'."]}, "constraint"),
        ({}, "excess"),
    ],
)
def test_failures_of_mindful_rags_taxonomy_are_told_apart(changes: dict[str, list[str]], kind: str) -> None:
    asked = question(4)
    record = ask_record(asked, Configuration("mindful", 3, 10, 0, 1), Oracle())
    record |= {"counts": {"found": 2, "right": 1, "gold": 1, "met": 1}, "path": "", **changes}
    assert classify(asked, find_strategy("mindful"), record, failures.Checks()).kind == kind
    assert kind in MINDFUL_CLASSES


def test_a_strategy_that_answers_in_words_has_no_figures_of_names(tmp_path: Path) -> None:
    asked = [item for part in dataset().parts.values() for item in part]
    spoken = {item.id: Answer(item.text, "llm", f"{item.answers[0]}.") for item in asked}
    outcome = measure(tmp_path / "run", Plan("towns", strategies=("llm",)), Oracle(spoken))
    row = outcome.to_dict()["runs"][0]
    assert (row["hit_at_1_text"], row["hit_at_1"], row["f1"], row["exact"]) == (1, None, None, None)
    assert set(row["ci95"]) == {"hit_at_1_text"}
    report = write_report(outcome).read_text()
    table = next(line for line in report.splitlines() if "| llm |" in line).split(" | ")
    assert table[6] == "–"
    assert table[7].startswith("1.000")
    assert "names no entity" in report
    assert not list((tmp_path / "run/figures").glob("*-first-answer*"))
    with (tmp_path / "run/summary.csv").open() as file:
        written = next(csv.DictReader(file))
    assert (written["hit_at_1"], float(written["hit_at_1_text"])) == ("", 1.0)
