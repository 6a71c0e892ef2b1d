"""The command `kgneo`: its sub-commands, and the one place where errors become messages and exit codes.

0 done, 1 data, connection or model, 2 usage, 130 interrupted. `main(argv)` returns the code, so that tests call it.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from kgneo.cli.interrupt import interruptible
from kgneo.cli.terminal import print_help, screen, screened
from kgneo.errors import KgneoError, UsageError
from kgneo.options_file import read_configuration
from kgneo.version import __version__

COMMANDS = {
    "demo": "kgneo.cli.demo",
    "init": "kgneo.cli.init",
    "server": "kgneo.cli.server",
    "load": "kgneo.cli.load",
    "index": "kgneo.cli.index",
    "ask": "kgneo.cli.ask",
    "verify": "kgneo.cli.verify",
    "retrieve": "kgneo.cli.retrieve",
    "learn": "kgneo.cli.learn",
    "terms": "kgneo.cli.terms",
    "eval": "kgneo.cli.eval",
    "serve": "kgneo.cli.serve",
    "tune": "kgneo.cli.tune",
    "schema": "kgneo.cli.schema",
    "browse": "kgneo.cli.browse",
    "mcp": "kgneo.cli.mcp",
    "prepare": "kgneo.cli.prepare",
    "doctor": "kgneo.cli.doctor",
    "costs": "kgneo.cli.costs",
    "completion": "kgneo.cli.completion",
}
"""Commands in the order of help, with the module that holds each. Imported when used: `ask` must start fast."""
SUMMARIES = {
    "demo": "Load a small sample graph into a store of its own and answer its questions.",
    "init": "Set up for a graph: a server or a file is tried, kgneo.toml written, a first question asked.",
    "server": "Start, stop or look at the local Neo4j of a store.",
    "load": "Load triples from files (or - for standard input), then embed and index them; or load a property graph.",
    "index": "Encode what has no embedding or whose text changed, and make the vector index.",
    "ask": "Answer a question from the graph, with the triples that the answer rests on.",
    "verify": "Say whether the graph supports a claim, refutes it, or holds not enough evidence.",
    "retrieve": "Show the candidates of a question by hop, and the K triples nearest to it.",
    "learn": "Learn from questions whose answers are known, and from what people say of answers.",
    "terms": "Write down what names and values mean here, in one file that people review: kgneo.terms.toml.",
    "eval": "Measure strategies on questions with known answers.",
    "serve": "Answer over HTTP: a page to ask on, an API, and a chat endpoint as OpenAI has it.",
    "tune": "Tune a language model for kgneo's prompts, and an encoder, on examples from your own graph.",
    "schema": "Show labels, relationship types, properties with types and examples, and what connects what.",
    "browse": "Open Neo4j Browser on the graph, with QUERY in its editor, and say how to log in.",
    "mcp": "Serve the graph to an assistant that speaks MCP (Model Context Protocol).",
    "prepare": "Get what later runs need from the network: "
    "the encoder's weights, WordNet's words, Neo4j's server, Java.",
    "doctor": "Check the set-up: encoder, graph, index, language models, and say what to mend.",
    "costs": "Show calls, tokens and money that went to language models, by day, user and model.",
    "completion": "Print the script that completes kgneo's commands and options with Tab.",
}
"""How the help of each begins (a test compares them): help of all and completion of their names import none."""


FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system says of a disk without space, or of a user without any of it."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in SUMMARIES if name.startswith(incomplete)]
        # Past click's own group, which would import every command for its help.
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=SUMMARIES[name]) for name in names), *options]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; one that there is not is answered with what may have been meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise UsageError(f"There is no command {args[0]!r}.{_meant(args[0])}", hint=_instead(args))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command


def _meant(name: str) -> str:
    from difflib import get_close_matches  # not for a command that there is

    found = get_close_matches(name.lower(), COMMANDS, n=1)
    return f" Did you mean `kgneo {found[0]}`?" if found else ""


def _instead(words: Sequence[str]) -> str:
    """What to run instead: several words are a question."""
    if len(words) > 1 or " " in words[0]:
        return f'To ask a question: kgneo ask "{" ".join(words)}"'
    return "`kgneo --help` lists the commands."


@click.command(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="kgneo")
@click.option("--config", type=click.Path(path_type=Path), help="Options file.  [default: kgneo.toml, if it is here]")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def kgneo(context: click.Context, config: Path | None, debug: bool) -> None:
    """Questions answered from a knowledge graph in Neo4j, with the triples that each answer rests on.

    Alone in a terminal, it begins a dialogue, as `kgneo ask` does.

    \b
    Examples:
      kgneo demo
      kgneo init
      kgneo load triples.tsv
      kgneo ask "what is the capital of [Ethiopia]?"
    """
    context.ensure_object(dict)["debug"] = debug
    context.default_map = _default_map(read_configuration(config))
    if context.invoked_subcommand is None:
        _begin(context)


def _begin(context: click.Context) -> None:
    """A dialogue in a terminal; help where nobody sits at one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_help(context.get_help())
        return
    command = context.command
    assert isinstance(command, click.Group)
    asking = command.get_command(context, "ask")
    assert asking is not None
    with asking.make_context("ask", [], parent=context) as own:
        asking.invoke(own)


def _default_map(options: dict[str, object]) -> dict[str, dict[str, object]]:
    """Top-level options for every command, the table of a command on top of them."""
    shared = {_name(key): value for key, value in options.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in options.items() if isinstance(value, dict)}
    unknown = sorted(set(tables) - set(COMMANDS))
    if unknown:
        raise UsageError(f"kgneo.toml has a table [{unknown[0]}].", hint=f"Tables are commands: {', '.join(COMMANDS)}.")
    result: dict[str, dict[str, object]] = {}
    for command in COMMANDS:
        own = {_name(key): value for key, value in tables.get(command, {}).items()}
        result[command] = {**shared, **own}
    return result


def _name(key: str) -> str:
    return key.replace("-", "_")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name) and return its exit code."""
    with screened(), interruptible():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    try:
        result = 0 if _asked_of_server(arguments) else _run(arguments, debug)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except UsageError as error:
        return _fail(error, 2, debug)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except KgneoError as error:
        return _interrupted() if _is_of_interrupt(error) else _fail(error, 1, debug)
    except BrokenPipeError:
        # Whoever read our output has enough; Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if _is_of_interrupt(error):
            return _interrupted()
        if (explained := _of_machine(error)) is None:
            raise
        return _fail(explained, 1, debug)


def _of_machine(error: Exception) -> KgneoError | None:
    """An error of the machine's, explained; None for one of this program's."""
    if isinstance(error, MemoryError) or "start new thread" in str(error):  # Python's words, where none is left for one
        return KgneoError("There is not enough memory.", hint="Give this process more: a question takes about 1 GB.")
    if type(error).__module__ == "sqlite3" and (damaged := _damaged()):
        hint = f"Remove it, and run the same command again: rm {damaged}"
        return KgneoError(f"A file of the cache is damaged: {error}.", hint=hint)
    if getattr(error, "errno", None) in FULL or "disk is full" in str(error):  # SQLite's words
        hint = "Free some space, and run the same command again."
        return KgneoError(f"No space is left on the disk: {error}.", hint=hint)
    return None


def _interrupted() -> int:
    click.echo("Interrupted.", err=True)
    return 130


def _is_of_interrupt(error: BaseException | None) -> bool:
    """Whether an error came of ending what Ctrl-C interrupted: the driver's connection is closed in the middle of a
    message then, which fails in its own ways."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _asked_of_server(arguments: list[str]) -> bool:
    """Whether a running server answered, which costs none of the imports of the command itself."""
    command = arguments[0] if arguments else ""
    if command not in ("ask", "verify") or {"-h", "--help", "--help-all"} & set(arguments):
        return False
    from kgneo.cli.remote import ask_server, verify_server  # its HTTP client is a fifth of the time of --help

    answered = ask_server if command == "ask" else verify_server
    return answered(arguments[1:], _default_map(read_configuration())[command])


def _run(arguments: list[str], debug: bool) -> object:
    from kgneo.cli.warned import warned  # not for a question that a server answers

    with warned(debug=debug):
        return kgneo.main(arguments, prog_name="kgneo", standalone_mode=False, color=True)


def _damaged() -> str:
    """The files of the cache that SQLite finds something wrong with."""
    from kgneo.cache_files import damaged_databases

    return " ".join(map(str, damaged_databases()))


def _fail(error: KgneoError, code: int, debug: bool) -> int:
    if debug:
        import traceback  # not for a completion

        traceback.print_exception(error)
    click.echo(f"Error: {error.message}", err=True)
    if error.hint:
        click.echo(error.hint, err=True)
    return code


def entry_point() -> None:
    """What the installed program `kgneo` runs."""
    sys.stdout, sys.stderr = map(screen, (sys.stdout, sys.stderr))  # to the end, a fault's traceback included
    sys.exit(main())


if __name__ == "__main__":
    entry_point()
