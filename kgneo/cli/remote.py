"""A question for a server that runs already: click and HTTP, and nothing that answers.

`kgneo.cli.main` looks here before it imports the command, whose imports take longer than such a question. The server is
the one of --server, else the one that announced itself in the folder of the store that is asked, as long as the options
ask for nothing that it was not started with.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from kgneo.cli.feedback import Remark, tell
from kgneo.cli.hints import about_this_graph
from kgneo.cli.pick import picked_number
from kgneo.cli.render import print_answer, print_rest
from kgneo.errors import GraphUnavailable, KgneoError, UsageError
from kgneo.folders import store_path
from kgneo.serve.announce import HEADER, Announced, find
from kgneo.settings import terms_file

TOKEN = "KGNEO_ACCESS_TOKEN"  # noqa: S105 - the name of a variable
SECONDS = 600.0
ELSEWHERE = (
    *("assigned", "direction", "exact", "encoder", "select", "follow", "free", "min_confidence", "max_calls"),
    *("max_candidates", "max_tokens", "max_cost", "price", "day_tokens", "day_cost", "dry_run", "evidence", "seed"),
    *("llm_url", "llm_adapter", "llm_cache", "llm_timeout", "llm_context", "llm_gpu_layers", "llm_threads", "prompts"),
    *("edit", "browse", "here", "uri", "database", "timeout", "read_only"),
)
"""Options of `kgneo ask` that no server is asked for."""
VARIABLES = {"assigned": "KGNEO_SET", "price": "KGNEO_LLM_PRICE", "uri": "NEO4J_URI", "database": "NEO4J_DATABASE"}
"""Those of them whose variable is not called as they are."""
TOLD = (409, 422, 502, 504)
"""Statuses of what would go wrong without a server, too."""
USAGE = ("UsageError", "QuestionError")
"""What is wrong with the command line."""
OWN_BOUNDS = ("BadRequest", "QuestionTooLong")
"""What of that a server refuses for itself."""

Body = dict[str, Any]
Address = tuple[str, Mapping[str, str]]
"""A server's address, and the headers of each request to it."""
Command = TypeVar("Command", bound=Callable[..., Any])


class Unasked(Exception):
    """A server that does not answer this question; it was not found, or has reasons of its own."""


def _option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    variable = "KGNEO_" + names[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=variable, **attributes)


@click.command(name="ask", context_settings={"help_option_names": []})
@click.argument("words", nargs=-1, required=True)
@_option("--server")
@_option("--store")
@_option("--terms")
@_option("--llm")
@_option("--strategy", "-s")
@_option("--entity", "-e", "entities", multiple=True)
@_option("--hops", "-n", type=click.IntRange(1, 6))
@_option("--top-k", "-k", type=click.IntRange(1, 1000))
@_option("--limit", type=click.IntRange(1, 1000))
@_option("--pick", type=click.IntRange(1))
@click.option("--right", is_flag=True)
@click.option("--wrong", is_flag=True)
@click.option("--means")
@click.option("--answers")
@_option("--cypher", is_flag=True)
@click.option("--quiet", "-q", is_flag=True)
@click.option("--json", "as_json", is_flag=True)
def remote(
    words: tuple[str, ...],
    server: str | None,
    store: str | None,
    terms: str | None,
    llm: str | None,
    pick: int | None,
    right: bool,
    wrong: bool,
    means: str | None,
    answers: str | None,
    cypher: bool,
    quiet: bool,
    as_json: bool,
    entities: tuple[str, ...],
    **given: Any,
) -> None:
    """The options of `kgneo ask` that a server understands. Raises Unasked."""
    remark = Remark(right, wrong, means, answers)
    body: Body = {
        "question": " ".join(words),
        "entities": list(entities),
        **{key: given[key] for key in given if given[key]},
    }
    address = _given(server)
    if address is None:
        found = _found(store, terms)
        if (llm or "") not in found.strategies:
            raise Unasked
        address = _address(found)
        body = {"strategy": found.strategies[llm or ""], **body}
    if llm:
        body["model"] = llm
    watched = bool(llm) and not quiet and not as_json
    with _refusals(server):
        record, seen = _watched(address, body) if watched else (_post(address, body, "ask"), False)
    number = picked_number(record, pick, typed=not (quiet or as_json))
    if number is not None:
        record, seen = record["choices"][number - 1]["answer"], False
    _print(record, quiet=quiet, as_json=as_json, seen=seen, cypher=cypher)
    if remark.given:
        with _refusals(address[0]):
            tell(_post(address, remark.body(record), "feedback"))


@click.command(name="verify", context_settings={"help_option_names": []})
@click.argument("words", nargs=-1, required=True)
@_option("--server")
@_option("--store")
@_option("--terms")
@_option("--llm")
@_option("--entity", "-e", "entities", multiple=True)
@_option("--closed", is_flag=True)
@click.option("--quiet", "-q", is_flag=True)
@click.option("--json", "as_json", is_flag=True)
def remote_claim(
    words: tuple[str, ...],
    server: str | None,
    store: str | None,
    terms: str | None,
    llm: str | None,
    entities: tuple[str, ...],
    closed: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """The options of `kgneo verify` that a server understands. Raises Unasked."""
    from kgneo.cli.verify import show

    if llm:  # which one judges is the server's choice
        raise Unasked
    address = _given(server)
    if address is None:
        found = _found(store, terms)
        if set(found.strategies) != {""}:  # a language model of the server's would judge
            raise Unasked
        address = _address(found)
    body: Body = {"claim": " ".join(words), "entities": list(entities), "closed": closed}
    with _refusals(server):
        record = _post(address, body, "verify")
    show(record, quiet=quiet, as_json=as_json)


def verify_server(arguments: Sequence[str], defaults: Mapping[str, Any]) -> bool:
    """Whether a server judged a command line behind `kgneo verify`, as `ask_server` does."""
    return _tried(remote_claim, arguments, defaults)


def ask_server(arguments: Sequence[str], defaults: Mapping[str, Any]) -> bool:
    """Whether a server answered a command line behind `kgneo ask`; `defaults` are the options of the options file.

    Where there is none, or the options are for this process, nothing happened. Raises UsageError for an address that is
    none, GraphUnavailable where nothing answers there, KgneoError with the server's own words.
    """
    return _tried(remote, arguments, defaults)


def _tried(command: click.Command, arguments: Sequence[str], defaults: Mapping[str, Any]) -> bool:
    named = any(item == "--server" or item.startswith("--server=") for item in arguments)
    named = named or bool(os.environ.get("KGNEO_SERVER") or defaults.get("server"))
    if not named and _for_this_process(defaults):
        return False
    try:
        command.main(
            list(arguments),
            prog_name=f"kgneo {command.name} --server",
            standalone_mode=False,
            default_map=dict(defaults),
            color=True,
        )
    except Unasked:
        return False
    except click.UsageError:
        if named:
            raise
        return False
    return True


def _for_this_process(defaults: Mapping[str, Any]) -> bool:
    """Whether the environment or the options file says something that no server is asked for."""
    variables = (VARIABLES.get(name, f"KGNEO_{name.upper()}") for name in ELSEWHERE)
    return any(map(os.environ.get, variables)) or any(name in defaults for name in ELSEWHERE)


def _given(server: str | None) -> Address | None:
    """The address of a server that is named."""
    token = os.environ.get(TOKEN)
    return (server, {"Authorization": f"Bearer {token}"} if token else {}) if server else None


def _found(store: str | None, terms: str | None) -> Announced:
    """The server of a store, with no other file of terms than the one that is given or in the working folder; with its
    own where there is none. Raises Unasked."""
    found = find(store_path(store))
    own = terms_file(Path(terms) if terms else None)
    if found is None or ((terms or own.is_file()) and str(own) != found.terms):
        raise Unasked
    return found


@contextmanager
def _refusals(server: str | None) -> Iterator[None]:
    """What a server refuses: as kgneo's own error where the `server` was named, or this process would fail, too; else
    this process is to answer."""
    try:
        yield
    except Refused as refused:
        if not server and (refused.status not in TOLD or refused.kind in OWN_BOUNDS):
            raise Unasked from refused
        raise refused.told() from refused
    except GraphUnavailable:
        if not server:
            raise Unasked from None
        raise


def _address(found: Announced) -> Address:
    token = {"Authorization": f"Bearer {found.token}"} if found.token else {}
    return found.address, {HEADER: found.mark, **token}


class Refused(Exception):
    """A server that answered, and refused."""

    def __init__(self, status: int, kind: str = "", message: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.hint = hint

    def told(self) -> KgneoError:
        """The same as kgneo's own error."""
        if self.status == 401:
            return KgneoError("The server wants its token.", hint=f"Put it into {TOKEN}.")
        error = UsageError if self.kind in USAGE else KgneoError
        hint = about_this_graph(self.hint)
        return error(self.message or f"The server refused with status {self.status}.", hint=hint)


def _post(address: Address, body: Body, route: str) -> Body:
    """What a server answers. Raises UsageError for what is no address, GraphUnavailable where nothing answers, and
    Refused."""
    found: list[Body] = []
    _send(address, body, route, lambda response: found.append(json.loads(response.read())))
    return found[0]


def _watched(address: Address, body: Body) -> tuple[Body, bool]:
    """The same, with what happens on the way printed as it comes; and whether anything was."""
    from kgneo.cli.watch import Watcher, event_of

    watcher, found = Watcher(), [Body()]

    def follow(response: http.client.HTTPResponse) -> None:
        name = ""
        for line in response:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data" and name in ("stage", "text"):
                watcher(event_of(json.loads(value)))
            elif field == "data":
                found[0] = json.loads(value)
        watcher.end_line()
        if name != "answer":
            raise _refused(422, found[0])

    _send(address, {**body, "stream": True}, "ask", follow)
    return found[0], watcher.seen


def _send(address: Address, body: Body, route: str, read: Callable[[http.client.HTTPResponse], None]) -> None:
    url, own = address
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{url!r} is no address of a server.", hint="Expected something like http://127.0.0.1:7575.")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, port, timeout=SECONDS)
    headers = {"Content-Type": "application/json", **own}
    try:
        connection.request("POST", f"{parts.path.rstrip('/')}/api/v1/{route}", json.dumps(body), headers)
        response = connection.getresponse()
        if response.status != 200:
            raise _refused(response.status, json.loads(response.read()))
        read(response)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise GraphUnavailable(
            f"No kgneo server answers at {url}: {error}.",
            hint="Start one with `kgneo serve`, or leave --server out.",
        ) from error
    finally:
        connection.close()


def _refused(status: int, record: Any) -> Refused:
    error = record.get("error") if isinstance(record, dict) else None
    if not isinstance(error, dict):
        return Refused(status)
    return Refused(status, str(error.get("type")), str(error.get("message")), str(error.get("hint") or ""))


def _print(record: Body, *, quiet: bool, as_json: bool, seen: bool, cypher: bool) -> None:
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    elif quiet:
        click.echo("\n".join(record["answers"]) or record["answer"])
    else:
        (print_rest if seen else print_answer)(record, record.get("query") or "", with_query=cypher)
