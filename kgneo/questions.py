"""Questions with known answers, read from files, to be learned or measured.

A path and a choice of split, variant and numbers of hops come in; a `Dataset` goes out, its questions in the
order of the file, one tuple for each number of hops. Readers are found by name through the entry-point group
`kgneo.datasets`, so that any package can add one; what a data set calls its relations stays with its reader.
`read_labelled` takes any file or folder that one of them reads, `sample` draws some of the questions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, cast

from kgneo.errors import DataError, UsageError
from kgneo.model import Hop, RelationPath
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json

ENTRY_POINTS = "kgneo.datasets"
SEPARATOR = "|"
"""What stands between the answers of a line of text."""


@dataclass(frozen=True, slots=True)
class GoldNode:
    """A node that is a right answer: its label (empty: any) and properties as the graph has them."""

    label: str
    properties: Mapping[str, Any] = field(hash=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """The property values as texts, those of lists one by one."""
        values = (value if isinstance(value, list | tuple) else [value] for value in self.properties.values())
        return tuple(dict.fromkeys(str(item) for items in values for item in items if item is not None))


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold answers: texts (`answers`) or `nodes`; neither where the graph holds no answer.

    `text` is as the source has it, topic entities in [brackets] where it marks them, and `entities` are their
    names. `hops` and `type` may be unknown (None, empty); `path` is the gold relation path from the topic
    entity to the answers, where the source tells it; `cypher` or `query_graph` is the gold query, where it tells that.
    `told` says whether who answers is told the entities.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    entities: tuple[str, ...] = ()
    hops: int | None = None
    type: str = ""
    path: RelationPath | None = None
    told: bool = True
    nodes: tuple[GoldNode, ...] = ()
    cypher: str = ""
    query_graph: QueryGraph | None = None

    @property
    def gold(self) -> tuple[str, ...]:
        """The gold answers as texts for people: nodes by their first property value."""
        return self.answers or tuple(node.texts[0] if node.texts else node.label for node in self.nodes)

    def without_brackets(self) -> Question:
        """The same question for one who has to find its topic entities."""
        text = self.text
        for name in bracketed(text):
            text = text.replace(f"[{name}]", name, 1)
        return replace(self, text=text, told=False)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions grouped by their number of hops (None where the source does not tell)."""

    name: str
    split: str
    variant: str
    parts: Mapping[int | None, tuple[Question, ...]]

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def without_brackets(self) -> Dataset:
        """The same questions, see `Question.without_brackets`."""
        parts = {hops: tuple(item.without_brackets() for item in part) for hops, part in self.parts.items()}
        return replace(self, parts=parts)


class DatasetReader(Protocol):
    """What an entry point of the group `kgneo.datasets` names: an object made without arguments."""

    def read(self, path: Path, *, split: str, variant: str, question_hops: Sequence[int]) -> Dataset:
        """The questions under `path`. No `question_hops` means all there are. Raises DataError."""
        ...


def reader(name: str) -> DatasetReader:
    """The reader registered as `name`. Raises UsageError, which lists what is registered."""
    found = entry_points(group=ENTRY_POINTS)
    for point in found:
        if point.name == name:
            return cast(DatasetReader, point.load()())
    known = ", ".join(sorted({point.name for point in found})) or "none"
    raise UsageError(f"no data set reader is called {name!r}; there are: {known}")


def reader_names() -> list[str]:
    """The names of all registered readers, sorted."""
    return sorted({point.name for point in entry_points(group=ENTRY_POINTS)})


def hash_questions(questions: Sequence[Question]) -> str:
    """SHA-256 over identifiers, texts and gold answers: the same questions give the same hash anywhere."""
    digest = hashlib.sha256()
    for question in questions:
        row: list[Any] = [question.id, question.text, list(question.answers), list(question.entities), question.type]
        row += [[node.label, dict(node.properties)] for node in question.nodes]
        digest.update(json.dumps(row, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def bracketed(text: str) -> tuple[str, ...]:
    """The pieces of `text` that stand in outermost [square brackets]; none where they do not balance."""
    depth, start = 0, 0
    found: list[str] = []
    for position, character in enumerate(text):
        if character == "[":
            if depth == 0:
                start = position + 1
            depth += 1
        elif character == "]" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start:position].strip())
    return tuple(name for name in found if name) if depth == 0 else ()


def read_lines(file: Path) -> list[str]:
    """The lines of a text file without their ends. Raises DataError."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("no such file", file=str(file)) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start}); expected text", file=str(file)) from None
    lines = text.split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def split_line(line: str, file: Path, number: int) -> tuple[str, tuple[str, ...]]:
    """Question and answers of a line `number`: a tab between them, the answers separated by "|". Raises DataError."""
    text, _, rest = line.partition("\t")
    answers = tuple(dict.fromkeys(answer.strip() for answer in rest.split(SEPARATOR) if answer.strip()))
    if not text.strip() or not answers:
        raise DataError(
            "expected a question, a tab, and answers separated by |",
            file=str(file),
            line=number,
            hint="Files of JSON objects need a name that ends in .jsonl.",
        )
    return text.strip(), answers


def read_labelled(path: Path, *, split: str = "train", variant: str = "vanilla") -> tuple[Question, ...]:
    """The questions of a file or folder, whichever reader takes it; `split` and `variant` choose among those of a
    folder. A `.jsonl` file is read by `JsonlReader`, any other file has a line as `split_line` takes it.

    Raises DataError, which names file and line.
    """
    if path.is_dir():
        return _of_dataset(_read_folder(path, split, variant), path)
    if path.suffix in (".jsonl", ".ndjson"):
        return _of_dataset(JsonlReader().read(path, split="", variant="", question_hops=()), path)
    return tuple(_labelled_lines(path))


def _of_dataset(dataset: Dataset, path: Path) -> tuple[Question, ...]:
    """Its questions with identifiers that stay apart when several files are read."""
    return tuple(replace(item, id=f"{path}/{item.id}") for part in dataset.parts.values() for item in part)


def _read_folder(path: Path, split: str, variant: str) -> Dataset:
    refusals: list[DataError] = []
    for name in reader_names():
        if name == JsonlReader.name:
            continue
        try:
            return reader(name).read(path, split=split, variant=variant, question_hops=())
        except DataError as error:
            refusals.append(error)
    raise refusals[0] if refusals else DataError("a folder, and no reader of folders is installed", file=str(path))


def _labelled_lines(path: Path) -> Iterator[Question]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            text, answers = split_line(line, path, number)
            yield Question(f"{path}/{number}", text, answers, entities=bracketed(text))


class JsonlReader:
    """Reads one's own questions: a JSON object a line with `question`, `answers` and, optionally, `entities`.

    In place of `answers` there may be `nodes`: objects with `label` and the node's properties. An empty list of
    either says that the graph holds no answer. Optional as well: `id` (else the line number), `hops` (a number),
    `type`, `path`: the gold relation path, "relation/^relation" with ^ for a step from object to subject, or a list of
    such steps, and for learning the gold query: `cypher`, or `query_graph` (`kgneo.query.json`). Other keys are left
    alone.
    """

    name = "jsonl"

    def read(
        self,
        path: Path,
        *,
        split: str,  # noqa: ARG002
        variant: str,  # noqa: ARG002
        question_hops: Sequence[int],
    ) -> Dataset:
        """See `DatasetReader.read`; `split` and `variant` are not used."""
        questions: dict[str, Question] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            question = _own_question(line, str(path), number)
            if question.id in questions:
                raise DataError(f"the id {question.id!r} occurs twice", file=str(path), line=number)
            questions[question.id] = question
        chosen = [item for item in questions.values() if not question_hops or item.hops in question_hops]
        if not questions:
            raise DataError("no questions in the file; expected a JSON object a line", file=str(path))
        if not chosen:
            raise DataError(f'no question has "hops" among {", ".join(map(str, question_hops))}', file=str(path))
        parts: dict[int | None, list[Question]] = {}
        for item in chosen:
            parts.setdefault(item.hops, []).append(item)
        ordered = sorted(parts, key=lambda hops: -1 if hops is None else hops)
        return Dataset(path.stem, "", "", {hops: tuple(parts[hops]) for hops in ordered})


def _own_question(line: str, file: str, number: int) -> Question:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at column {error.colno}", file=file, line=number) from None
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise DataError(f"a JSON {kind}; expected an object", file=file, line=number)
    text = record.get("question")
    if not isinstance(text, str) or not text.strip():
        raise DataError('no "question" (a text) in the object', file=file, line=number)
    if not {"answers", "nodes"} & record.keys():
        raise DataError('neither "answers" (a list of texts) nor "nodes" (a list of objects)', file=file, line=number)
    hops = record.get("hops")
    if hops is not None and (not isinstance(hops, int) or isinstance(hops, bool) or hops < 1):
        raise DataError(f'"hops" is {hops!r}; expected a number from 1', file=file, line=number)
    return Question(
        id=str(record.get("id", number)),
        text=text.strip(),
        answers=_names(record, "answers", file, number),
        entities=_names(record, "entities", file, number) or bracketed(text),
        hops=hops,
        type=str(record.get("type", "")),
        path=_own_path(record.get("path"), file, number),
        nodes=_nodes(record.get("nodes", []), file, number),
        cypher=_cypher(record.get("cypher", ""), file, number),
        query_graph=_query_graph(record.get("query_graph"), file, number),
    )


def _cypher(value: Any, file: str, number: int) -> str:
    if not isinstance(value, str):
        raise DataError(f'"cypher" is {value!r}; expected a text', file=file, line=number)
    return value


def _query_graph(value: Any, file: str, number: int) -> QueryGraph | None:
    if value is None:
        return None
    try:
        return from_json(value)
    except DataError as error:
        raise DataError(f'"query_graph": {error.message}', file=file, line=number) from error


def _nodes(value: Any, file: str, number: int) -> tuple[GoldNode, ...]:
    if not isinstance(value, list) or not all(
        isinstance(item, dict) and len(item) > ("label" in item) for item in value
    ):
        raise DataError(
            f'"nodes" is {value!r}; expected a list of objects with "label" and properties', file=file, line=number
        )
    rows = [{key: part for key, part in item.items() if key != "label"} for item in value]
    return tuple(GoldNode(str(item.get("label", "")), row) for item, row in zip(value, rows, strict=True))


def _own_path(value: Any, file: str, number: int) -> RelationPath | None:
    if value is None:
        return None
    steps = value.split("/") if isinstance(value, str) else value
    if not isinstance(steps, list) or not all(isinstance(step, str) and step.strip("^ ") for step in steps):
        raise DataError(
            f'"path" is {value!r}; expected "relation/^relation" or a list of such steps', file=file, line=number
        )
    hops = (Hop(step.removeprefix("^"), forward=not step.startswith("^")) for step in steps)
    return RelationPath(tuple(hops))


def _names(record: Mapping[str, Any], key: str, file: str, number: int) -> tuple[str, ...]:
    value = record.get(key, [])
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, list) or not all(
        isinstance(item, str | int | float) and not isinstance(item, bool) for item in value
    ):
        raise DataError(f'"{key}" is {value!r}; expected a list of names', file=file, line=number)
    return tuple(dict.fromkeys(name for name in (str(item).strip() for item in value) if name))


def sample(questions: Sequence[Question], limit: int | None, *, seed: int) -> tuple[Question, ...]:
    """`limit` of `questions` drawn by `seed`, in their original order; all of them where that is fewer.

    Each question gets the number that hashing the seed with its identifier gives, and the smallest numbers are drawn.
    So every strategy, machine and Python version draws the same, and a larger sample of the same seed holds the
    smaller one. Raises UsageError for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"a sample of {limit} questions; expected 1 or more")
    if limit is None or limit >= len(questions):
        return tuple(questions)
    drawn = sorted(range(len(questions)), key=lambda index: _number(seed, questions[index].id))[:limit]
    return tuple(questions[index] for index in sorted(drawn))


def _number(seed: int, identifier: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{identifier}".encode(), digest_size=16).digest()
