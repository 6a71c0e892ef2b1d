"""Options that several commands share, and how they become settings.

Every option has an environment variable (`KGNEO_` and its name, Neo4j's own for the connection) and may stand in
`kgneo.toml`. Flags beat the environment, which beats the file.
"""

from __future__ import annotations

import functools
import getpass
import json
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kgneo import defaults
from kgneo.cli.help import Option
from kgneo.cli.hints import about_this_graph
from kgneo.cli.progress import progress as progress
from kgneo.cli.progress import say as say
from kgneo.errors import KgneoError, UsageError
from kgneo.settings import Settings

if TYPE_CHECKING:
    from kgneo.llm import LanguageModel
    from kgneo.llm.spending import Price
    from kgneo.prompts import Prompts

Command = TypeVar("Command", bound=Callable[..., Any])
GRAPH, SERVER, MODEL_GROUP = "Graph", "Server", "Language model"
ANSWER, RETRIEVAL, OUTPUT = "Answering", "Retrieval", "Output"
FEEDBACK = "Feedback"
"""Groups of options, as --help-all heads them."""


def option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    """`click.option` with the environment variable of its name. One of a `group` is shown with --help-all alone."""
    long = next(name for name in names if name.startswith("--")).split("/")[0]
    attributes.setdefault("envvar", "KGNEO_" + long.removeprefix("--").replace("-", "_").upper())
    attributes.setdefault("show_envvar", True)
    attributes.setdefault("cls", Option)
    return click.option(*names, **attributes)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")


def complete_store(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Names of stores that begin with what was typed."""
    from kgneo.folders import stores_folder

    made = (file.parent.name for file in stores_folder().glob("*/store.json"))
    return sorted(name for name in made if name.startswith(begun))


CONNECTION = (
    option(
        "--uri",
        envvar="NEO4J_URI",
        metavar="URI",
        help="Neo4j server (bolt://, neo4j://, neo4j+s://). Without one, the local store's server is started.",
    ),
    option(
        "--username", envvar=["NEO4J_USERNAME", "NEO4J_USER"], default="neo4j", help="User of that server.", group=GRAPH
    ),
    option(
        "--password",
        envvar="NEO4J_PASSWORD",
        hidden=True,
        help="Better given in the environment: a command line can be read by others.",
    ),
    option("--token", envvar="NEO4J_TOKEN", hidden=True, help="Bearer token instead of user and password."),
    option(
        "--database", envvar="NEO4J_DATABASE", metavar="NAME", help="Database, else the server's default.", group=GRAPH
    ),
    option(
        "--store",
        metavar="NAME|PATH",
        shell_complete=complete_store,
        help="Local store to use without --uri.  [default: default]",
    ),
    option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=defaults.TIMEOUT,
        show_default=True,
        help="Seconds that one transaction may take; the server ends it then.",
        group=GRAPH,
    ),
    option(
        "--terms",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="What names and values mean here.  [default: kgneo.terms.toml]",
        group=GRAPH,
    ),
    option(
        "--read-only",
        is_flag=True,
        help="Write nothing into the graph; embeddings are kept on this machine.",
        group=GRAPH,
    ),
)


def connection_options(command: Command) -> Command:
    """Adds the options of the connection; the command gets them as one argument `settings`."""

    @functools.wraps(command)
    def wrapper(**arguments: Any) -> Any:
        fields = ("uri", "username", "token", "database", "store", "timeout", "password", "read_only", "terms")
        given = {name: arguments.pop(name) for name in fields}
        given["password"] = given["password"] or ""
        given["token"] = given["token"] or ""
        try:
            return command(settings=Settings(**given), **arguments)
        except KgneoError as error:
            error.hint = about_this_graph(error.hint)
            raise

    for add in reversed(CONNECTION):
        wrapper = add(wrapper)
    return wrapper  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which language model to use and how, and the user's own prompts. Nothing is loaded before it is asked for."""

    llm: str | None = None
    llm_url: str | None = None
    llm_adapter: Path | None = None
    llm_cache: Path | None = None
    llm_timeout: float = 120.0
    llm_context: int | None = None
    llm_gpu_layers: int = 0
    llm_threads: int | None = None
    prompts: Path | None = None

    def load(self) -> LanguageModel | None:
        """The language model, None where none is named. Raises UsageError, DataError or ModelError."""
        if not self.llm:
            return None
        from kgneo.llm import load_model

        return load_model(
            self.llm,
            url=self.llm_url,
            adapter=self.llm_adapter,
            cache=self.llm_cache,
            gpu_layers=self.llm_gpu_layers,
            context=self.llm_context,
            threads=self.llm_threads,
            report=say,
        )

    def load_prompts(self) -> Prompts:
        """The prompts, those of the user in place of kgneo's. Raises DataError or UsageError."""
        from kgneo.prompts import Prompts

        return Prompts(self.prompts)


MODEL = (
    option(
        "--llm",
        metavar="MODEL",
        help="Language model: smollm2, mistral-7b, llama:PATH.gguf, transformers:MODEL, openai:MODEL or scripted:FILE.",
    ),
    option(
        "--llm-url",
        metavar="URL",
        help="Address for openai:MODEL, such as http://127.0.0.1:11434/v1.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-adapter",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="LoRA adapter (GGUF) on top of smollm2 or a llama: model; 'none' takes kgneo's own off smollm2.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-cache",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep replies in this file; a repeated run costs nothing and gives the same.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-timeout",
        type=click.FloatRange(min=0.1),
        default=120.0,
        show_default=True,
        help="Seconds for one reply.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-context",
        type=click.IntRange(min=64),
        metavar="TOKENS",
        help="Context of the language model.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-gpu-layers",
        type=click.IntRange(min=-1),
        default=0,
        show_default=True,
        help="Layers of a llama: model on the GPU, -1 for all.",
        group=MODEL_GROUP,
    ),
    option(
        "--llm-threads",
        type=click.IntRange(min=1),
        help="Processor threads of a local model.  [default: one a core]",
        group=MODEL_GROUP,
    ),
    option(
        "--prompts",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder of your own prompts; what is not in it is kgneo's.",
        group=MODEL_GROUP,
    ),
)


def model_options(command: Command) -> Command:
    """Adds the options of the language model; the command gets them as one argument `model`."""

    @functools.wraps(command)
    def wrapper(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in ModelSettings.__dataclass_fields__}
        return command(model=ModelSettings(**given), **arguments)

    for add in reversed(MODEL):
        wrapper = add(wrapper)
    return wrapper  # type: ignore[return-value]


def complete_strategy(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Names of strategies that begin with what was typed."""
    from kgneo.strategies import strategy_names

    return [name for name in strategy_names() if name.startswith(begun)]


selection_options = (
    option(
        "--select",
        type=click.Choice(["relations", "top-k"]),
        help="Choose whole relations that matter, or the K most similar triples.  [relations; kaping: top-k]",
        group=ANSWER,
    ),
    option(
        "--follow", is_flag=True, help="Let answers of sub-questions extend the candidates beyond N hops.", group=ANSWER
    ),
    option(
        "--free",
        is_flag=True,
        help="For cypher: the model writes Cypher, held by a guard, and no query graph.",
        group=ANSWER,
    ),
)


set_option = option(
    "--set",
    "assigned",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the strategy's own. Repeatable.",
    group=ANSWER,
)


class PriceOfTokens(click.ParamType["Price"]):
    """Two numbers with a comma between them."""

    name = "price"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Price:
        """The price."""
        from kgneo.llm.spending import Price

        if isinstance(value, Price):
            return value
        read, comma, written = str(value).partition(",")
        try:
            price = Price(float(read), float(written))
        except ValueError:
            price = Price(-1, -1)
        if not comma or price.read < 0 or price.written < 0:
            self.fail(f"{value!r} is no price; expected two numbers, such as 0.15,0.60.", param, ctx)
        return price


def full_key(key: str, known: Collection[str], what: str, shown: str) -> str:
    """The only one of the known keys that begins with `key`. Raises UsageError where there is none, or several: of
    `what`, and by which option of `kgneo learn` they are `shown`."""
    found = [full for full in known if full.startswith(key)]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} {what} have a key that begins with {key!r}; expected one.",
            hint=f"Keys are in the first column of `kgneo learn {shown}`.",
        )
    return found[0]


def own_user() -> str:
    """Who spends what a command spends."""
    with suppress(KeyError, OSError):  # a user without a name
        return getpass.getuser()
    return ""


feedback_options = (
    option(
        "--right",
        is_flag=True,
        help="Say that the answer is right: it waits for `kgneo learn --review`, as what follows.",
        group=FEEDBACK,
    ),
    option("--wrong", is_flag=True, help="Say that the answer is wrong.", group=FEEDBACK),
    option(
        "--means",
        metavar="TEXT",
        help="Say what the question means: in other words, as Cypher or as a query graph.",
        group=FEEDBACK,
    ),
    option("--answers", metavar="A|B", help="Say which answers are right.", group=FEEDBACK),
)

budget_options = (
    option(
        "--max-calls",
        type=click.IntRange(1),
        help="Calls to the language model for one question at most.",
        group=ANSWER,
    ),
    option(
        "--max-tokens",
        type=click.IntRange(1),
        help="Tokens read and written for one question at most; then it is answered with what there is.",
        group=ANSWER,
    ),
    option(
        "--llm-price",
        "price",
        type=PriceOfTokens(),
        metavar="READ,WRITTEN",
        help="Money for a million tokens, read and written, such as 0.15,0.60: what is spent is told in it.",
        group=MODEL_GROUP,
    ),
    option(
        "--max-cost",
        type=click.FloatRange(0),
        help="Money for one question at most; goes with --llm-price.",
        group=MODEL_GROUP,
    ),
    option(
        "--day-tokens",
        type=click.IntRange(1),
        help="Tokens that you may spend on one day (UTC).",
        group=MODEL_GROUP,
    ),
    option(
        "--day-cost",
        type=click.FloatRange(0),
        help="Money for one day (UTC) at most; goes with --llm-price.",
        group=MODEL_GROUP,
    ),
)
"""What one question may cost."""


def print_json(record: object) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(record, ensure_ascii=False, indent=1, default=str))


retrieval_options = (
    option(
        "--hops",
        "-n",
        type=click.IntRange(1, 6),
        default=3,
        show_default=True,
        help="How far to reach (N).",
        group=RETRIEVAL,
    ),
    option(
        "--top-k",
        "-k",
        type=click.IntRange(1, 1000),
        default=30,
        show_default=True,
        help="Triples to keep (K).",
        group=RETRIEVAL,
    ),
    option(
        "--direction",
        type=click.Choice(["both", "out"]),
        default="both",
        show_default=True,
        help="Walk relationships both ways, or only from subject to object.",
        group=RETRIEVAL,
    ),
    option("--exact", is_flag=True, help="Score every candidate instead of asking the vector index.", group=RETRIEVAL),
    option(
        "--max-candidates",
        type=click.IntRange(1),
        help="Triples to choose the K from at most; where there are more, those of the nearest hops are kept.  "
        f"[default: {defaults.MOST_CANDIDATES:,}, in a mirror {defaults.MIRRORED_UP_TO:,}]",
        group=RETRIEVAL,
    ),
    option(
        "--entity",
        "-e",
        "entities",
        multiple=True,
        metavar="NAME",
        help="Topic entity, instead of [brackets] in the question. Repeatable.",
        group=ANSWER,
    ),
    option(
        "--encoder",
        metavar="NAME|PATH",
        help="Insist on this encoder; it must be the one of the index.",
        group=RETRIEVAL,
    ),
)


def _display(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for label, equals, key in pairs:
        if not (label and equals and key):
            raise click.BadParameter(f"{label!r} has no property: expected LABEL=PROPERTY, as in Movie=title.")
    return {label: key for label, _, key in pairs}


def _choices(command: Command) -> Command:
    """Gathers --display, --include and --exclude into one argument `choices`."""

    @functools.wraps(command)
    def wrapper(**arguments: Any) -> Any:
        from kgneo.graph.attach import Choices

        given = {name: arguments.pop(name) for name in ("display", "include", "exclude")}
        return command(choices=Choices(**given), **arguments)

    return wrapper  # type: ignore[return-value]


choice_options = (
    option(
        "--display",
        multiple=True,
        callback=_display,
        metavar="LABEL=PROPERTY",
        help="The property that names the nodes of a label, or several: Person=first+last. Repeatable.",
        group=GRAPH,
    ),
    option(
        "--include",
        multiple=True,
        metavar="NAME",
        help="Use only these labels, relationship types or properties (KEY or OWNER.KEY). Repeatable.",
        group=GRAPH,
    ),
    option(
        "--exclude", multiple=True, metavar="NAME", help="Leave these out of every answer. Repeatable.", group=GRAPH
    ),
    _choices,
)
"""What of a graph is used; the command gets it as one argument `choices`."""


def server_options(alike: str) -> tuple[Callable[[Command], Command], ...]:
    """The options by which a running server is asked, with those that are `alike` with it."""
    return (
        option(
            "--server",
            metavar="URL",
            help="Ask this running `kgneo serve`; its token is read from KGNEO_ACCESS_TOKEN. "
            f"Goes with {alike}. One that runs on the same store is asked with these options by itself.",
            group=SERVER,
        ),
        option(
            "--here",
            is_flag=True,
            help="Answer in this process, even if a `kgneo serve` runs on the store.",
            group=SERVER,
        ),
    )


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which help shows them."""

    def add(command: Command) -> Command:
        for decorator in reversed(options):
            command = decorator(command)
        return command

    return add
