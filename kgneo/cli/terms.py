"""`kgneo terms`: the file that says what names and values mean here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    ModelSettings,
    connection_options,
    json_option,
    model_options,
    option,
    own_user,
    print_json,
    progress,
    say,
)
from kgneo.errors import DataError, UsageError
from kgneo.settings import Settings, open_graph
from kgneo.terms import FILE

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.feedback.trial import Tried
    from kgneo.graph import Graph
    from kgneo.query.graph import QueryGraph
    from kgneo.terms.draft import Drafted
    from kgneo.terms.file import Terms


@click.group()
def terms() -> None:
    """Write down what names and values mean here, in one file that people review: kgneo.terms.toml.

    The file stands beside kgneo.toml and is read by every command: other words for labels, relationship types,
    properties and values, readable names for codes, what is hidden, terms with a meaning of their own, and questions
    that somebody verified.

    \b
    Examples:
      kgneo terms draft
      kgneo terms add client --for Customer
      kgneo terms add "active" --for Customer.status=A
      kgneo terms add VIP --means "customers that placed more than ten orders"
      kgneo terms check
      kgneo terms test
    """


def _file(settings: Settings) -> Path:
    return settings.terms or Path(FILE)


def _needed(settings: Settings) -> Path:
    """The file, which must be there. Raises UsageError."""
    file = _file(settings)
    if not file.is_file():
        raise UsageError(f"There is no file {file}.", hint="`kgneo terms draft` writes a first one.")
    return file


# Draft, import --------------------------------------------------------------------------------------------------------


@terms.command("draft", cls=Command)
@json_option
@model_options
@connection_options
def draft_command(as_json: bool, model: ModelSettings, settings: Settings) -> None:
    """Write a first file from the graph, or add what it does not have yet; each entry is marked as a guess.

    Without a language model, short forms in names are written out, and values that look like codes are listed for you
    to fill in. With --llm, a model that sees the schema with examples writes readable names, descriptions and other
    words, one call for each label and relationship type.

    \b
    Examples:
      kgneo terms draft
      kgneo terms draft --llm openai:gpt-5-mini
    """
    from kgneo.context import Clock
    from kgneo.graph.open import known_shape
    from kgneo.stages.generate import ModelCalls
    from kgneo.terms.draft import drafts

    speaking = model.load()
    calls = None
    if speaking is not None:
        calls = ModelCalls(speaking, model.load_prompts(), Clock(), timeout=model.llm_timeout)
    with open_graph(settings, report=say) as graph, _bar() as show:
        schema, shape = known_shape(graph, report=say)
        made = list(drafts(schema, shape, calls, on_progress=show, warn=say))
    _write_drafts(made, _file(settings), as_json)


@terms.command("import", cls=Command)
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@connection_options
def import_command(source: Path, as_json: bool, settings: Settings) -> None:
    """Take descriptions and readable names from a manifest of WrenAI, a schema file of dbt or a graph schema of
    neo4j-graphrag, for what the graph calls as they do.

    \b
    Examples:
      kgneo terms import mdl.json
      kgneo terms import models/schema.yml
    """
    from kgneo.graph.open import known_shape
    from kgneo.terms.importing import drafts_of, told_by

    told = told_by(source)
    with open_graph(settings, report=say) as graph:
        schema, _ = known_shape(graph, report=say)
    made = list(drafts_of(told, schema))
    if not made:
        names = ", ".join(item.name for item in told[:5])
        raise DataError(f"nothing in it is called as something in the graph; it has {names}.", file=str(source))
    _write_drafts(made, _file(settings), as_json)


@contextmanager
def _bar() -> Iterator[Any]:
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars:
            bars.append(progress(total, "Drafting", " names"))
        bars[0].update(done - bars[0].n)

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()


def _write_drafts(made: Sequence[Drafted], file: Path, as_json: bool) -> None:
    from kgneo.terms.draft import write_draft
    from kgneo.terms.edit import opened, saved
    from kgneo.terms.file import terms_of

    document = opened(file)
    known = terms_of(document.unwrap(), str(file))
    new = sum(write_draft(document, item, known) for item in made)
    saved(document, file)
    if as_json:
        print_json({"file": str(file), "entries": new})
        return
    click.echo(f"{new:,} new entries in {file}, each marked as a guess.")
    click.echo(about_this_graph("Next: look at them, then kgneo terms check"))


# Add -----------------------------------------------------------------------------------------------------------------


@terms.command("add", cls=Command)
@click.argument("text")
@option("--for", "of", metavar="NAME", help="A label, relationship type, LABEL.PROPERTY or LABEL.PROPERTY=VALUE.")
@option("--means", metavar="WORDS", help="What a term of its own means, as a question would say it.")
@option("--name", "as_name", is_flag=True, help="With --for: what people call it, not only another word.")
@option("--question", is_flag=True, help="TEXT is a question, whose reading you verify.")
@option("--pick", type=click.IntRange(1), default=1, show_default=True, help="The reading that is right.")
@json_option
@connection_options
def add_command(
    text: str,
    of: str | None,
    means: str | None,
    as_name: bool,
    question: bool,
    pick: int,
    as_json: bool,
    settings: Settings,
) -> None:
    """Add a word, a term or a verified question to the file, without any Cypher.

    A word with --for stands for something that the graph has. A term with --means stands for what the words of a
    question find, or the number that it asks for: the readings of these words are shown, and --pick chooses another
    than the first. With --question the reading of a question is verified: it is what that question means from now on.

    \b
    Examples:
      kgneo terms add client --for Customer
      kgneo terms add "date of birth" --for Person.DOB --name
      kgneo terms add active --for Customer.STAT_CD=A
      kgneo terms add VIP --means "customers that placed orders of more than 500"
      kgneo terms add revenue --means "total amount of orders"
      kgneo terms add --question "How many customers are from Bonn?"
    """
    if bool(of) + bool(means) + question != 1:
        raise UsageError("Expected one of --for, --means and --question.", hint="See kgneo terms add --help.")
    with open_graph(settings, report=say) as graph:
        if of:
            added = _add_word(graph, _file(settings), text, of, as_name)
        else:
            added = _add_meaning(graph, _file(settings), text, means, pick)
    if as_json:
        print_json(added)
    else:
        click.echo(f"Added to {_file(settings)}: {added['told']}")


def _add_word(graph: Graph, file: Path, text: str, of: str, as_name: bool) -> dict[str, Any]:
    from kgneo.graph.open import known_shape
    from kgneo.terms.edit import add_words, opened, saved, table

    schema, _ = known_shape(graph, report=say)
    kind, owner, key, value = _place(of, schema)
    document = opened(file)
    at = table(document, kind, owner, *(("properties", key) if key else ()))
    told = f"{text!r} for {of}"
    if value:
        if as_name:
            raise UsageError("A value has words; --name goes with a label, a relationship type or a property.")
        new = bool(add_words(table(document, kind, owner, "properties", key, "values"), value, [text]))
    elif as_name:
        new, at["name"] = at.get("name") != text, text
    else:
        new = bool(add_words(at, "words", [text]))
    saved(document, file)
    return {"file": str(file), "told": told if new else f"nothing, since {told} is there", "new": new}


def _place(of: str, schema: Any) -> tuple[str, str, str, str]:
    """Which part of the file a name of the graph stands in: labels or relations, the owner, the property, the value.
    Raises UsageError for one that the graph does not have."""
    from kgneo.query.nearest import nearest

    owners = {item.name: ("labels", item) for item in schema.labels}
    owners |= {item.name: ("relations", item) for item in schema.relations if item.name not in owners}
    name, _, value = of.partition("=")
    owner = max((known for known in owners if name == known or name.startswith(known + ".")), key=len, default="")
    key = name.removeprefix(owner).removeprefix(".") if owner else ""
    keys = [item.key for item in owners[owner][1].properties] if owner else []
    if not owner or (key and key not in keys) or (value and not key):
        every = [*owners, *(f"{known}.{item.key}" for known, (_, each) in owners.items() for item in each.properties)]
        near = nearest(name, every)
        raise UsageError(
            f"The graph has no {name!r}; expected a label, a type, LABEL.PROPERTY or LABEL.PROPERTY=VALUE.",
            hint=f"Did you mean {near}?" if near else "`kgneo schema` shows what there is.",
        )
    return owners[owner][0], owner, key, value


def _add_meaning(graph: Graph, file: Path, text: str, means: str | None, pick: int) -> dict[str, Any]:
    """A term with a meaning, or a verified question: what the reader makes of the words."""
    from kgneo.asking.question import interpret, open_context
    from kgneo.feedback.durable import durable
    from kgneo.terms.edit import add_question, opened, saved, table
    from kgneo.terms.said import owner_of

    context = open_context(graph, report=say)
    offered = interpret(context, means or text)
    for number, item in enumerate(offered[:5], start=1):
        say(f"{'→' if number == pick else ' '} {number}. {item.wording}")
    if pick > len(offered):
        raise UsageError(f"There are {len(offered)} readings of {means or text!r}; there is no number {pick}.")
    chosen = offered[pick - 1]
    meant = durable(context, chosen.graph)
    if means and not owner_of(meant):
        raise UsageError(
            f"{means!r} was read as {chosen.wording!r}, which asks neither for nodes of one label nor for a number.",
            hint="Say it as in “customers that …” or “total amount of orders”, or pick another reading.",
        )
    document = opened(file)
    written = _written(meant)
    if means:
        at = table(document, "terms", text)
        at.update({"query_graph": written, "description": at.get("description", chosen.wording)})
        at.pop("cypher", None)
    else:
        record = {"question": text, "query_graph": written, "by": own_user(), "on": date.today()}
        add_question(document, record)
    saved(document, file)
    return {"file": str(file), "told": f"{text!r} means: {chosen.wording}", "reading": chosen.wording}


def _written(graph: QueryGraph) -> str:
    from kgneo.query.json import to_json

    return json.dumps(to_json(graph), ensure_ascii=False)


# Show, check, test ---------------------------------------------------------------------------------------------------


@terms.command("show", cls=Command)
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON schema of the file, for editors.")
@json_option
@option(
    "--terms",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file.  [default: kgneo.terms.toml]",
)
def show_command(as_schema: bool, as_json: bool, file: Path | None) -> None:
    """Show what the file says, without a look at the graph.

    \b
    Examples:
      kgneo terms show
      kgneo terms show --schema > kgneo.terms.schema.json
    """
    from kgneo.terms.file import json_schema, read_terms

    if as_schema:
        print_json(json_schema())
        return
    known = read_terms(_needed(Settings(terms=file)))
    if as_json:
        print_json(known.model_dump(mode="json", exclude_defaults=True))
    else:
        click.echo("\n".join(_lines(known)) or "The file says nothing yet.")


def _lines(known: Terms) -> Iterator[str]:
    for owner, item in known.owners():
        yield _line(owner, item)
        yield from (f"  {_line(key, each)}{_values(each.values)}" for key, each in item.properties.items())
    for name, term in known.terms.items():
        yield f"“{name}” {', '.join(term.words)}".rstrip() + f"  {term.description or term.cypher or term.query_graph}"
    for question in known.questions:
        yield f"? {question.question}" + (f"  ({question.by}, {question.on})" if question.by else "")


def _line(name: str, item: Any) -> str:
    parts = [name, f"“{item.name}”" if item.name else "", ", ".join(item.words), item.description]
    marks = [mark for mark, there in (("hidden", item.hidden), ("guess", item.guess)) if there]
    return "  ".join(filter(None, [*parts, f"[{', '.join(marks)}]" if marks else ""]))


def _values(values: Any) -> str:
    told = [f"{value} = {', '.join(words)}" for value, words in values.items() if words]
    return f"  ({'; '.join(told)})" if told else ""


@terms.command("check", cls=Command)
@json_option
@connection_options
def check_command(as_json: bool, settings: Settings) -> None:
    """Say what in the file does not fit the graph; ends with status 1 where something does not, for CI.

    \b
    Examples:
      kgneo terms check
    """
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.catalogue import catalogue
    from kgneo.graph.open import known_shape
    from kgneo.terms.file import read_terms
    from kgneo.terms.fit import findings

    file = _needed(settings)
    known = read_terms(file)
    with open_graph(settings, report=say) as graph:
        shown, shape = known_shape(graph, report=say)
        found = findings(known, graph, LocalCache(graph).schema(), catalogue(shown, shape))
    wrong = [item for item in found if item.wrong]
    if as_json:
        print_json({"wrong": [str(item) for item in wrong], "notes": [str(item) for item in found if not item.wrong]})
    else:
        for item in found:
            click.echo(f"{'wrong' if item.wrong else 'note '}  {item}")
        click.echo(f"{file}: {len(wrong)} wrong." if wrong else f"{file} fits the graph.")
    if wrong:
        click.get_current_context().exit(1)


@terms.command("test", cls=Command)
@json_option
@connection_options
def test_command(as_json: bool, settings: Settings) -> None:
    """Ask the verified questions as if nobody had verified them, and compare; status 1 where one comes out otherwise.

    \b
    Examples:
      kgneo terms test
    """
    from kgneo.asking.question import open_context
    from kgneo.feedback.trial import tried
    from kgneo.terms.file import read_terms

    file = _needed(settings)
    known = read_terms(file)
    if not known.questions:
        raise UsageError(f"{file} has no verified questions.", hint="Add one: kgneo terms add --question QUESTION")
    with open_graph(settings, report=say) as graph:
        context: Context = open_context(graph, report=say)
        found = list(tried(context, known.questions))
    same = sum(item.same for item in found)
    if as_json:
        print_json({"same": same, "questions": [_tried(item) for item in found]})
    else:
        for item in found:
            click.echo(f"{'same ' if item.same else 'other'}  {item.question}")
            if not item.same:
                click.echo(f"       verified: {item.verified}\n       now:      {item.told}")
        click.echo(f"{same} of {len(found)} verified questions are read as verified.")
    if same < len(found):
        click.get_current_context().exit(1)


def _tried(item: Tried) -> dict[str, Any]:
    return {"question": item.question, "same": item.same, "verified": item.verified, "now": item.told}
