"""`kgneo load`: triples from files into the graph, embedded and indexed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import click

from kgneo.cli.index import run_index
from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say, with_options
from kgneo.errors import DataError
from kgneo.graph import Graph
from kgneo.graph.load import LoadReport, source_digest
from kgneo.graph.load import load as load_into
from kgneo.loader import Check, LoadOptions, Source, check, open_source, read_triples
from kgneo.settings import Settings, open_graph

FORMAT_OPTIONS = (
    option(
        "--format",
        "format_",
        envvar="KGNEO_FORMAT",
        metavar="NAME",
        help="csv, tsv, nt, turtle, metaqa …; found from the file where not given.",
    ),
    option(
        "--columns", metavar="S,R,O", help="Columns of subject, relation, object: header names or positions from 1."
    ),
    option("--separator", metavar="CHARACTER", help="Between fields of delimited text, one character or 'tab'."),
    option(
        "--header",
        type=click.Choice(["auto", "yes", "no"]),
        default="auto",
        show_default=True,
        help="Whether the first line names the columns.",
    ),
    option("--no-quotes", is_flag=True, help="Take quotes in delimited text as plain characters."),
    option(
        "--names",
        type=click.Choice(["local", "iri"]),
        default="local",
        show_default=True,
        help="RDF: local names of IRIs, or whole IRIs.",
    ),
    option("--language", metavar="TAG", help="RDF: keep only literals in this language or in none."),
)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@with_options(*FORMAT_OPTIONS)
@option(
    "--skip-bad-lines",
    is_flag=True,
    help="Load the rest where lines cannot be used, and keep them in a file.",
)
@option(
    "--rejected",
    type=click.Path(path_type=Path),
    default="kgneo-rejected.tsv",
    show_default=True,
    help="That file.",
)
@option("--no-index", is_flag=True, help="Only load; embed and index later with `kgneo index`.")
@option("--encoder", metavar="NAME|PATH", help="Encoder: minilm (default), mpnet, a folder or a hub name.")
@json_option
@connection_options
def load(
    paths: tuple[str, ...],
    format_: str | None,
    columns: str | None,
    separator: str | None,
    header: str,
    no_quotes: bool,
    names: str,
    language: str | None,
    skip_bad_lines: bool,
    rejected: Path,
    no_index: bool,
    encoder: str | None,
    as_json: bool,
    settings: Settings,
) -> None:
    """Load triples from files (or - for standard input), then embed and index them.

    Every file is read to its end before anything is written. Loading twice changes nothing; an interrupted load
    goes on when it is run again.

    \b
    Examples:
      kgneo load kb.txt
      kgneo load people.csv --columns person,relation,value
      gunzip -c dump.nt.gz | kgneo load - --format nt --no-index
    """
    options = LoadOptions(
        separator=separator,
        columns=_columns(columns),
        header=header,  # type: ignore[arg-type]
        quote=None if no_quotes else '"',
        names=names,  # type: ignore[arg-type]
        language=language,
    )
    sources = [open_source(path) for path in paths]
    checks = [_check(source, format_, options, skip_bad_lines) for source in sources]
    with open_graph(settings, report=say) as graph, ExitStack() as stack:
        bad = sum(item.bad_lines for item in checks)
        file = stack.enter_context(_writable(rejected)) if bad else None
        reports = [
            _load(graph, source, item, format_, options, skip_bad_lines, file)
            for source, item in zip(sources, checks, strict=True)
        ]
        _tell(sources, reports, bad, rejected)
        indexed = None if no_index else run_index(graph, encoder)
    if as_json:
        print_json(
            {
                "files": [
                    {
                        "file": source.name,
                        "loader": item.loader,
                        "bad_lines": item.bad_lines,
                        **asdict(report),
                    }
                    for source, item, report in zip(sources, checks, reports, strict=True)
                ],
                "rejected": str(rejected) if bad else None,
                "index": asdict(indexed) if indexed else None,
            }
        )
    elif no_index:
        click.echo("Next: kgneo index")
    else:
        click.echo('Next: kgneo ask "…", with the entity that the question is about in [brackets]')


def _columns(columns: str | None) -> tuple[str, str, str] | None:
    if columns is None:
        return None
    parts = tuple(part.strip() for part in columns.split(","))
    if len(parts) != 3 or not all(parts):
        raise click.UsageError(f"--columns takes three names or positions (S,R,O), and got {columns!r}.")
    return parts


def _check(source: Source, format_: str | None, options: LoadOptions, skip_bad_lines: bool) -> Check:
    with progress(source.size, f"Checking {source.short_name}", "B") as bar:
        return check(
            source,
            format=format_,
            options=options,
            skip_bad_lines=skip_bad_lines,
            on_progress=lambda position: bar.update(position - bar.n) and None,
        )


def _load(
    graph: Graph,
    source: Source,
    item: Check,
    format_: str | None,
    options: LoadOptions,
    skip_bad_lines: bool,
    rejected: TextIO | None,
) -> LoadReport:
    triples = read_triples(source, format=format_, options=options, skip_bad_lines=skip_bad_lines, rejected=rejected)
    with progress(item.triples, f"Loading {source.short_name}", " triples") as bar:
        return load_into(
            graph,
            triples,
            name=source_digest(source),
            on_progress=lambda done: bar.update(done - bar.n) and None,
        )


def _writable(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise DataError(
            f"the file for rejected lines cannot be written: {error.strerror}",
            file=str(path),
            hint="Name another with --rejected.",
        ) from error


def _tell(sources: Sequence[Source], reports: Sequence[LoadReport], bad: int, rejected: Path) -> None:
    for source, report in zip(sources, reports, strict=True):
        resumed = f", {report.resumed:,} of them by an earlier, interrupted load" if report.resumed else ""
        say(
            f"{source.short_name}: {report.triples:,} triples read{resumed}; "
            f"new in the graph: {report.entities:,} entities, {report.relationships:,} relationships."
        )
    if bad:
        say(f"Left out {bad:,} bad lines; they and their reasons are in {rejected}.")
