"""`kgneo load`: triples, or a property graph, from files into the graph, embedded and indexed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say, with_options
from kgneo.errors import DataError, UsageError
from kgneo.folders import check_room, store_path
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.cli.progress import Bar
    from kgneo.graph import Graph
    from kgneo.graph.load import LoadReport
    from kgneo.graph.load_graph import GraphLoadReport
    from kgneo.loader import Check, LoadedTriple, LoadOptions, Source
    from kgneo.property_graph import GraphFiles

FORMAT_OPTIONS = (
    option(
        "--format",
        "format_",
        envvar="KGNEO_FORMAT",
        metavar="NAME",
        help="csv, tsv, nt, turtle, metaqa …; found from the file where not given.",
    ),
    option(
        "--columns",
        metavar="S,R,O",
        help="Columns of subject, relation, object: header names or positions from 1.",
        group="Format",
    ),
    option(
        "--separator",
        metavar="CHARACTER",
        help="Between fields of delimited text, one character or 'tab'.",
        group="Format",
    ),
    option(
        "--header",
        type=click.Choice(["auto", "yes", "no"]),
        default="auto",
        show_default=True,
        help="Whether the first line names the columns.",
        group="Format",
    ),
    option("--no-quotes", is_flag=True, help="Take quotes in delimited text as plain characters.", group="Format"),
    option(
        "--names",
        type=click.Choice(["local", "iri"]),
        default="local",
        show_default=True,
        help="RDF: local names of IRIs, or whole IRIs.",
        group="Format",
    ),
    option("--language", metavar="TAG", help="RDF: keep only literals in this language or in none.", group="Format"),
)


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@with_options(*FORMAT_OPTIONS)
@option(
    "--skip-bad-lines",
    is_flag=True,
    help="Load the rest where lines cannot be used, and keep them in a file.",
    group="Format",
)
@option(
    "--rejected",
    type=click.Path(path_type=Path),
    default="kgneo-rejected.tsv",
    show_default=True,
    help="That file.",
    group="Format",
)
@option(
    "--offline",
    is_flag=True,
    help="Write into the files of an empty local store, by neo4j-admin's import: for many millions.",
)
@option("--no-index", is_flag=True, help="Only load; embed and index later with `kgneo index`.")
@option("--encoder", metavar="NAME|PATH", help="minilm (default), mpnet, fast, openai:MODEL, a folder or a hub name.")
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
    offline: bool,
    no_index: bool,
    encoder: str | None,
    as_json: bool,
    settings: Settings,
) -> None:
    """Load triples from files (or - for standard input), then embed and index them; or load a property graph.

    A property graph comes as CSV files with neo4j-admin's headers or as JSON lines; a folder or a zip archive of such
    files is one graph. It can be asked at once, and is embedded and indexed only where --encoder is given.

    Every file is read to its end before anything is written. Loading twice changes nothing; an interrupted load goes on
    when it is run again. As soon as the triples are in the graph it can be asked, while it gets their embeddings. With
    --offline it begins again, and the store must be stopped and empty.

    \b
    Examples:
      kgneo load kb.txt
      kgneo load movies.zip
      kgneo load people.csv knows.csv
      kgneo load people.csv --columns person,relation,value
      gunzip -c dump.nt.gz | kgneo load - --format nt --no-index
      kgneo load dump.nt.gz --offline --store dump
    """
    from kgneo.cli.index import run_index
    from kgneo.loader import LoadOptions
    from kgneo.property_graph import GraphFiles, open_graph_files

    options = LoadOptions(
        separator=separator,
        columns=_columns(columns),
        header=header,  # type: ignore[arg-type]
        quote=None if no_quotes else '"',
        names=names,  # type: ignore[arg-type]
        language=language,
    )
    reading = _Reading(format_, options, skip_bad_lines, rejected)
    store = _offline_store(settings) if offline else None
    found = open_graph_files(paths, format=format_)
    checked = _checked_graph(found, reading) if isinstance(found, GraphFiles) else _checked_triples(found, reading)
    # A property graph is asked from its schema at once; embedding all its values can take hours.
    wanted = not no_index and (encoder is not None or not isinstance(found, GraphFiles))
    if store is None:
        with open_graph(settings, report=say, create=True) as graph:
            record = checked.write(graph)
            indexed = run_index(graph, encoder) if wanted else None
    else:
        record, indexed = checked.write_offline(store), None
        if wanted:
            with open_graph(settings, report=say, create=True) as graph:
                indexed = run_index(graph, encoder)
    if as_json:
        print_json({**record, "index": asdict(indexed) if indexed else None})
    elif isinstance(found, GraphFiles):
        click.echo(
            about_this_graph('Next: kgneo schema, kgneo ask "…"; kgneo index adds embeddings, and can take long')
        )
    elif no_index:
        click.echo(about_this_graph("Next: kgneo index"))
    else:
        click.echo(about_this_graph('Next: kgneo ask "…", with the entity that the question is about in [brackets]'))


@dataclass(frozen=True)
class _Reading:
    """How files are read, and where lines go that cannot be used."""

    format: str | None
    options: LoadOptions
    skip_bad_lines: bool
    rejected: Path

    @contextmanager
    def rejects(self, bad: int) -> Iterator[TextIO | None]:
        """The open file for `bad` lines, None where there are none."""
        if not bad:
            yield None
            return
        with _writable(self.rejected) as file:
            yield file
        say(f"Left out {bad:,} bad lines; they and their reasons are in {self.rejected}.")


@dataclass(frozen=True)
class _Checked:
    """What writes files that were checked, into a graph or into a store that is stopped; each returns what --json
    prints of it."""

    write: Callable[[Graph], dict[str, object]]
    write_offline: Callable[[Path], dict[str, object]]


def _offline_store(settings: Settings) -> Path:
    """The store to load into offline. Raises UsageError, ServerError or GraphError for one that cannot be."""
    from kgneo.graph.load_offline import refuse_offline

    if settings.uri or settings.read_only:
        found = "the address of a server" if settings.uri else "--read-only"
        raise UsageError(
            f"--offline writes into the files of a local store, and got {found}.",
            hint="Leave --uri (NEO4J_URI) and --read-only out, and name a store with --store; or leave --offline out.",
        )
    store = store_path(settings.store)
    refuse_offline(store, report=say)
    return store


def _checked_graph(files: GraphFiles, reading: _Reading) -> _Checked:
    """Check a property graph. Raises DataError where it cannot be loaded."""
    from kgneo.graph.load import LEAST_BYTES as ONLINE
    from kgneo.graph.load_graph import load_graph
    from kgneo.graph.load_offline import LEAST_BYTES as OFFLINE
    from kgneo.graph.load_offline import load_graph_offline
    from kgneo.property_graph import check_graph, read_graph

    if files.passed_over:
        names = ", ".join(Path(name).name for name in files.passed_over)
        say(f"Passed over, since they hold no nodes or relationships: {names}.")
    with progress(None, f"Checking {files.name}", " rows") as bar:
        found = check_graph(files, options=reading.options, skip_bad_lines=reading.skip_bad_lines, on_progress=_to(bar))

    def write(graph: Graph) -> dict[str, object]:
        graph.check_room(ONLINE * (found.nodes + found.relationships))
        with reading.rejects(found.bad_lines) as rejected:
            items = read_graph(files, options=reading.options, skip_bad_lines=reading.skip_bad_lines, rejected=rejected)
            with progress(found.nodes + found.relationships, f"Loading {files.name}", " rows") as bar:
                report = load_graph(graph, items, name=files.name, digest=files.digest(), on_progress=_to(bar))
        return told(report)

    def write_offline(store: Path) -> dict[str, object]:
        check_room(store, OFFLINE * (found.nodes + found.relationships))
        with (
            reading.rejects(found.bad_lines) as rejected,
            progress(found.nodes + found.relationships, "Writing files", " rows") as bar,
            progress(100, "Importing", "%") as percent,
        ):
            items = read_graph(files, options=reading.options, skip_bad_lines=reading.skip_bad_lines, rejected=rejected)
            report = load_graph_offline(
                store,
                items,
                name=files.name,
                digest=files.digest(),
                report=say,
                on_progress=_to(bar),
                on_percent=_to(percent),
            )
        return told(report)

    def told(report: GraphLoadReport) -> dict[str, object]:
        size = f"{report.nodes:,} nodes and {report.relationships:,} relationships"
        if report.loaded_before:
            say(f"{files.name}: all of it is in the graph already, {size}.")
        else:
            resumed = f"; {report.resumed:,} rows were there from an interrupted load" if report.resumed else ""
            say(f"{files.name}: {size} loaded{resumed}.")
        names = [source.name for source in files.sources]
        rejected_to = str(reading.rejected) if found.bad_lines else None
        return {"files": names, "bad_lines": found.bad_lines, "rejected": rejected_to, **asdict(report)}

    return _Checked(write, write_offline)


def _checked_triples(sources: Sequence[Source], reading: _Reading) -> _Checked:
    """Check sources of triples. Raises DataError where one cannot be loaded."""
    from kgneo.graph.load import LEAST_BYTES as ONLINE
    from kgneo.graph.load_offline import LEAST_BYTES as OFFLINE
    from kgneo.graph.load_offline import load_offline

    checks = [_check(source, reading) for source in sources]
    bad = sum(item.bad_lines for item in checks)

    total = sum(item.triples for item in checks)

    def write(graph: Graph) -> dict[str, object]:
        graph.check_room(ONLINE * total)
        with reading.rejects(bad) as rejected:
            reports = [
                _load(graph, source, item, reading, rejected) for source, item in zip(sources, checks, strict=True)
            ]
            for source, report in zip(sources, reports, strict=True):
                _tell(source, report)
        files = [
            {"file": source.name, "loader": item.loader, "bad_lines": item.bad_lines, **asdict(report)}
            for source, item, report in zip(sources, checks, reports, strict=True)
        ]
        return {"files": files, "rejected": str(reading.rejected) if bad else None}

    def write_offline(store: Path) -> dict[str, object]:
        check_room(store, OFFLINE * total)
        with (
            reading.rejects(bad) as rejected,
            progress(total, "Writing files", " triples") as bar,
            progress(100, "Importing", "%") as percent,
        ):
            triples = chain.from_iterable(_triples(source, reading, rejected) for source in sources)
            report = load_offline(store, triples, report=say, on_progress=_to(bar), on_percent=_to(percent))
        say(
            f"{report.triples:,} triples read; in the graph: {report.entities:,} entities, "
            f"{report.relationships:,} relationships."
        )
        files = [
            {"file": source.name, "loader": item.loader, "bad_lines": item.bad_lines, "triples": item.triples}
            for source, item in zip(sources, checks, strict=True)
        ]
        return {"files": files, "rejected": str(reading.rejected) if bad else None, **asdict(report)}

    return _Checked(write, write_offline)


def _columns(columns: str | None) -> tuple[str, str, str] | None:
    if columns is None:
        return None
    parts = tuple(part.strip() for part in columns.split(","))
    if len(parts) != 3 or not all(parts):
        raise click.UsageError(f"--columns takes three names or positions (S,R,O), and got {columns!r}.")
    return parts


def _to(bar: Bar) -> Callable[[int], None]:
    """What moves a bar to a position."""
    return lambda done: bar.update(done - bar.n)


def _check(source: Source, reading: _Reading) -> Check:
    from kgneo.loader import check

    with progress(source.size, f"Checking {source.short_name}", "B") as bar:
        return check(
            source,
            format=reading.format,
            options=reading.options,
            skip_bad_lines=reading.skip_bad_lines,
            on_progress=_to(bar),
        )


def _triples(source: Source, reading: _Reading, rejected: TextIO | None) -> Iterator[LoadedTriple]:
    from kgneo.loader import read_triples

    return read_triples(
        source,
        format=reading.format,
        options=reading.options,
        skip_bad_lines=reading.skip_bad_lines,
        rejected=rejected,
    )


def _load(graph: Graph, source: Source, item: Check, reading: _Reading, rejected: TextIO | None) -> LoadReport:
    from kgneo.graph.load import load as load_into
    from kgneo.graph.load import source_digest

    triples = _triples(source, reading, rejected)
    with progress(item.triples, f"Loading {source.short_name}", " triples") as bar:
        return load_into(graph, triples, name=source_digest(source), on_progress=_to(bar))


def _tell(source: Source, report: LoadReport) -> None:
    resumed = f", {report.resumed:,} of them by an earlier, interrupted load" if report.resumed else ""
    say(
        f"{source.short_name}: {report.triples:,} triples read{resumed}; "
        f"new in the graph: {report.entities:,} entities, {report.relationships:,} relationships."
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
