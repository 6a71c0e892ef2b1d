"""`kgneo index`: embeddings and the vector index, brought up to date, estimated or taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kgneo import defaults
from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    choice_options,
    connection_options,
    json_option,
    option,
    print_json,
    progress,
    say,
    with_options,
)
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.encoders.encoder import Encoder
    from kgneo.graph import Graph
    from kgneo.graph.attach import Choices
    from kgneo.graph.estimate import Estimate
    from kgneo.graph.index import IndexReport, Progress
    from kgneo.graph.passages import PassagesReport, TextKey
    from kgneo.graph.schema import Schema
    from kgneo.graph.shape import Shape

LONG_TEXTS = "all"
"""What stands for the texts that are found."""
WORTH_TELLING = 2_000
"""Triples from which on encoding takes long enough to ask questions meanwhile."""


@click.command(cls=Command)
@option("--encoder", metavar="NAME|PATH", help="minilm (default), mpnet, fast, openai:MODEL, a folder or a hub name.")
@option("--dry-run", is_flag=True, help="Say what would be written, how long it would take and how large it would be.")
@option(
    "--remove", "take_away", envvar=None, is_flag=True, help="Take away everything that kgneo wrote into the graph."
)
@option(
    "--texts",
    metavar="[LABEL.KEY,…]",
    envvar=None,
    is_flag=False,
    flag_value=LONG_TEXTS,
    help="Index what long texts say instead, on this machine: those that are found, or those named.",
)
@option(
    "--ray",
    metavar="ADDRESS",
    help="Encode on the Ray cluster at HOST:PORT, at auto, or on this machine's cores with local (extra: ray).",
)
@click.option(
    "--mirror/--no-mirror",
    default=None,
    help="Keep structure and embeddings on this machine, too, where candidates are found faster.  [default: up to "
    f"{defaults.MIRRORED_UP_TO:,} triples]",
)
@with_options(*choice_options)
@json_option
@connection_options
def index(
    encoder: str | None,
    dry_run: bool,
    take_away: bool,
    texts: str | None,
    ray: str | None,
    mirror: bool | None,
    choices: Choices,
    as_json: bool,
    settings: Settings,
) -> None:
    """Encode what has no embedding or whose text changed, and make the vector index.

    In a graph that was there before kgneo, nothing of the user's is touched: kgneo adds properties, indexes and one
    node, all with names that begin with kgneo, and --remove takes them away again. With --read-only, and where the
    server allows no writing, embeddings go into a file on this machine. Without --encoder, the graph's own is used. An
    interruption loses at most one batch: run it again.

    With --texts, questions about what descriptions, reviews or articles say are answered, too ("films about time travel
    after 2000"): texts are cut into passages, which are found by their words and by their meaning. These are kept on
    this machine alone, and are brought up to date whenever the graph is indexed.

    After a graph was changed, its mirror is not used until `kgneo index` has brought it up to date, which reads only
    what changed; answers are the same without it.

    \b
    Examples:
      kgneo index
      kgneo index --dry-run --uri neo4j://localhost:7687
      kgneo index --ray head-node:6379
      kgneo index --exclude Person.email --display Movie=title
      kgneo index --texts
      kgneo index --texts Review.text,Film.plot
      kgneo index --remove
    """
    with open_graph(settings, report=say) as graph:
        if take_away:
            _remove(graph, as_json)
        elif texts is not None:
            _refuse_beside_texts(
                {"--dry-run": dry_run, "--display, --include and --exclude": bool(choices), "--ray": ray}
            )
            _index_texts(graph, encoder, () if texts == LONG_TEXTS else texts.split(","), as_json)
        elif dry_run:
            _show_estimate(_estimate(graph, encoder, choices), as_json)
        else:
            report = run_index(graph, encoder, choices, mirror=mirror, ray=ray)
            renew_texts(graph)
            if as_json:
                print_json(asdict(report))
            else:
                told = 'Next: kgneo ask "…", with the entity that the question is about in [brackets]'
                click.echo(about_this_graph(told))


def run_index(
    graph: Graph,
    encoder: str | None,
    choices: Choices | None = None,
    *,
    mirror: bool | None = None,
    ray: str | None = None,
) -> IndexReport:
    """Build the index with progress bars, and say what was done. `mirror` None: as the number of triples says. `ray` is
    the address of a cluster to encode on."""
    from kgneo.encoders.encoder import load_encoder
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.index import build, build_locally
    from kgneo.graph.record import usable_record

    refusal = graph.refuses_writes()
    local = LocalCache(graph).embeddings() if refusal else None
    record = local.read_record() if local else usable_record(graph)
    finished = record is not None and record.complete
    schema, shape = _schema_and_shape(graph, choices)
    name = encoder or (record.encoder if record else defaults.ENCODER)
    loaded = load_encoder(name, report=say)
    bars = {
        "encoding": progress(None, "Embedding", " triples"),
        "indexing": progress(100, "Building indexes", "%"),
    }

    def show(step: Progress) -> None:
        if (step.stage, step.done) == ("encoding", 0) and step.total >= WORTH_TELLING and not finished:
            say('Questions can be asked from now on: kgneo ask "…" in another terminal. Embeddings are being made.')
        bar = bars[step.stage]
        bar.total = step.total
        bar.update(step.done - bar.n)

    try:
        with _on(ray, loaded) as encoding:
            if local:
                report = build_locally(graph, encoding, shape=shape, schema=schema, on_progress=show)
            else:
                report = build(graph, encoding, shape=shape, schema=schema, on_progress=show)
    finally:
        for bar in bars.values():
            bar.close()
    place = f" in {local.folder}, since {refusal}" if local else ""
    say(f"Indexed {report.triples:,} triples with the encoder {name}; {report.encoded:,} were encoded now{place}.")
    if not local:
        _keep_mirror(graph, loaded.dimensions, report.triples <= defaults.MIRRORED_UP_TO if mirror is None else mirror)
    return report


def _schema_and_shape(graph: Graph, choices: Choices | None) -> tuple[Schema | None, Shape]:
    """What indexing has to know of the graph. Triples that kgneo loaded need no schema, which takes seconds to read."""
    from kgneo.graph.attach import is_loaded, loaded_shape
    from kgneo.graph.open import known_shape, refuse_choices
    from kgneo.graph.schema import read_relations

    if is_loaded(graph):
        refuse_choices(choices)
        return None, loaded_shape(read_relations(graph))
    return known_shape(graph, choices=choices, report=say)


@contextmanager
def _on(ray: str | None, encoder: Encoder) -> Iterator[Encoder]:
    """The encoder on a cluster, where one is named."""
    if ray is None:
        yield encoder
        return
    from kgneo.encoders.ray import on_cluster

    with on_cluster(encoder, ray, report=say) as there:
        yield there


def _keep_mirror(graph: Graph, dimensions: int, wanted: bool) -> None:
    from kgneo.cache_files import going_on
    from kgneo.graph.cache import LocalCache

    folder = LocalCache(graph).mirror()
    if not wanted:
        folder.remove()
        return
    bar = progress(None, "Mirroring", " triples")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        with going_on():
            if folder.renew(graph, dimensions, show):
                return
            say("The graph was changed meanwhile: candidates are found without its mirror. Next: kgneo index")
    finally:
        bar.close()


def renew_mirror(graph: Graph) -> None:
    """Bring the mirror up to what kgneo itself, or others, wrote into the graph, where there is a mirror."""
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.record import usable_record

    record = usable_record(graph)
    if record is not None and LocalCache(graph).mirror().current() is not None:
        _keep_mirror(graph, record.dimensions, True)


def _refuse_beside_texts(options: Mapping[str, object]) -> None:
    """Raises UsageError for options that say nothing of texts."""
    if given := [name for name, value in options.items() if value]:
        raise UsageError(
            f"With --texts, {given[0]} would do nothing.",
            hint="Name the properties that are to be indexed (--texts LABEL.KEY), and index triples by a command of "
            "its own. What is to be hidden is said to `kgneo index` or in the terms, and holds for texts, too.",
        )


def _index_texts(graph: Graph, encoder: str | None, named: Sequence[str], as_json: bool) -> None:
    """Index the texts of a graph, and say what was done."""
    keys, report = index_texts(graph, encoder, named)
    if as_json:
        print_json(asdict(report) | {"keys": [str(key) for key in keys]} if report else {})
    else:
        click.echo(about_this_graph('Next: kgneo ask "Which … are about …?"'))


def index_texts(
    graph: Graph, encoder: str | None = None, named: Sequence[str] = ()
) -> tuple[tuple[TextKey, ...], PassagesReport | None]:
    """Index the texts of a graph, those that are `named` ("Review.text") or all that are long; gives their properties
    and what was done. Raises UsageError where there are none."""
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.passages import text_keys

    schema, shape = _schema_and_shape(graph, None)
    keys = text_keys(schema or LocalCache(graph).schema(shape), shape, [name.strip() for name in named])
    if not keys:
        hint = "Name the ones that say something: kgneo index --texts LABEL.KEY"
        if shape.loaded:
            hint += "; of triples, texts need a label of their own (the column object_label)"
        raise UsageError("The graph has no property with long texts.", hint=f"{hint}.")
    return keys, renew_texts(graph, encoder, keys)


def renew_texts(
    graph: Graph, encoder: str | None = None, keys: Sequence[TextKey] | None = None
) -> PassagesReport | None:
    """Bring the passages of a graph's texts up to date; without `keys` those that there are, if any."""
    from kgneo.cache_files import needed
    from kgneo.encoders.encoder import load_encoder
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.passages import PassageFile

    file = PassageFile(LocalCache(graph).passages())
    before = file.read_record()
    chosen = keys if keys is not None else before.keys if before else ()
    if not chosen:
        return None
    loaded = load_encoder(encoder or (before.encoder if before else defaults.ENCODER), report=say)
    bar = progress(None, "Reading", " texts")

    def show(done: int) -> None:
        bar.update(done - bar.n)

    try:
        with needed(file.file):
            report = file.bring_up_to_date(graph, loaded, chosen, show)
    finally:
        bar.close()
    told = ", ".join(map(str, chosen))
    say(f"Indexed {report.texts:,} texts of {told}: {report.passages:,} passages, {report.encoded:,} encoded now.")
    return report


def _estimate(graph: Graph, encoder: str | None, choices: Choices) -> Estimate:
    from kgneo.encoders.encoder import load_encoder
    from kgneo.graph.estimate import estimate
    from kgneo.graph.open import known_shape
    from kgneo.graph.record import usable_record

    record = usable_record(graph)
    schema, shape = known_shape(graph, choices=choices, keep=False, report=say)
    loaded = load_encoder(encoder or (record.encoder if record else defaults.ENCODER), report=say)
    return estimate(graph, loaded, shape, schema)


def _show_estimate(found: Estimate, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
        return
    click.echo(f"{found.relationships:,} relationships, {found.values:,} property values: {found.triples:,} triples")
    click.echo(
        f"Encoding them takes about {_minutes(found.seconds)} ({found.rate:,.0f} triples a second were measured)."
    )
    if found.indexed:
        click.echo("The graph is indexed with this encoder: only what changed is encoded, which takes less.")
    if found.refusal:
        click.echo(f"Embeddings would go into {found.place}, since {found.refusal}: {_size(found.local_bytes)}.")
        return
    click.echo(f"On the server's disk: about {_size(found.graph_bytes)}. Would be written:")
    for owner, keys in (("relationships", found.relationship_keys), ("nodes", found.node_keys)):
        if keys:
            click.echo(f"  properties of {owner}: {', '.join(keys)}")
    click.echo(f"  indexes: {', '.join(found.indexes)}")
    click.echo("  one node: (:KgneoIndex)")
    told = "Nothing has been written. `kgneo index` does it, `kgneo index --remove` takes it away again."
    click.echo(about_this_graph(told))


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _size(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _remove(graph: Graph, as_json: bool) -> None:
    from kgneo.graph.removal import remove

    removed = remove(graph)
    if as_json:
        print_json(asdict(removed))
    else:
        if removed.files:
            click.echo("Removed what was kept of this graph on this machine.")
        click.echo(
            f"Removed {len(removed.indexes)} indexes and constraints, every property whose name begins with kgneo, "
            "and kgneo's own nodes."
        )
