"""A question for a server that runs already (`kgneo ask --server URL`): click and HTTP, and nothing that answers.

`kgneo.cli.main` looks here before it imports the command, whose imports take longer than such a question.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import click

from kgneo.errors import GraphUnavailable, KgneoError, UsageError

VARIABLE = "KGNEO_SERVER"
TOKEN = "KGNEO_ACCESS_TOKEN"  # noqa: S105 - the name of a variable
SECONDS = 600.0
SHOWN = 10


@click.command(name="ask", context_settings={"help_option_names": []})
@click.argument("question")
@click.option("--server", envvar=VARIABLE, required=True)
@click.option("--strategy", "-s", envvar="KGNEO_STRATEGY")
@click.option("--entity", "-e", "entities", multiple=True)
@click.option("--hops", "-n", type=int)
@click.option("--top-k", "-k", type=int)
@click.option("--limit", type=int)
@click.option("--quiet", "-q", is_flag=True)
@click.option("--json", "as_json", is_flag=True)
def remote(question: str, server: str, quiet: bool, as_json: bool, entities: tuple[str, ...], **given: Any) -> None:
    """The options of `kgneo ask` that a server understands."""
    body = {"question": question, "entities": list(entities)}
    record = post(server, "ask", {**body, **{name: value for name, value in given.items() if value is not None}})
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    elif quiet:
        click.echo("\n".join(record["answers"]) or record["answer"])
    else:
        click.echo(shown(record))


def is_remote(arguments: Sequence[str]) -> bool:
    """Whether a command line, without the program's name, is a question for a server; asking for help is none."""
    if arguments[:1] != ["ask"] or {"-h", "--help"} & set(arguments):
        return False
    named = any(item == "--server" or item.startswith("--server=") for item in arguments)
    return named or bool(os.environ.get(VARIABLE))


def post(server: str, route: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a server answers. Raises UsageError for what is no address, GraphUnavailable where nothing answers, and
    KgneoError with the server's own words for a refusal."""
    try:
        parts = urlsplit(server)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{server!r} is no address of a server.", hint="Expected something like http://127.0.0.1:7575."
        )
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, port, timeout=SECONDS)
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get(TOKEN):
        headers["Authorization"] = f"Bearer {token}"
    try:
        connection.request("POST", f"{parts.path.rstrip('/')}/api/v1/{route}", json.dumps(body), headers)
        response = connection.getresponse()
        record = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise GraphUnavailable(
            f"No kgneo server answers at {server}: {error}.",
            hint="Start one with `kgneo serve`, or leave --server out.",
        ) from error
    finally:
        connection.close()
    if response.status != 200:
        _refuse(record, response.status)
    return dict(record)


def _refuse(record: Any, status: int) -> None:
    error = record.get("error") if isinstance(record, dict) else None
    if not isinstance(error, dict):
        raise KgneoError(f"The server refused with status {status}.")
    if status == 401:
        raise KgneoError("The server wants its token.", hint=f"Put it into {TOKEN}.")
    raise KgneoError(str(error.get("message")), hint=str(error.get("hint") or ""))


def shown(record: dict[str, Any]) -> str:
    """The answer, how the question was read, the evidence."""
    parts = [click.style(record["answer"], bold=True)]
    if record["steps"]:
        confidence = record["confidence"]
        told = "" if confidence is None else f"  (confidence {confidence:.2f})"
        parts.append(f"Read as: {record['steps'][0]['question']}{told}")
    triples = [
        f"  ({item['subject']}, {' '.join(filter(None, (item['relation'], item.get('detail'))))}, {item['object']})"
        for item in record["evidence"]
    ]
    if len(triples) > SHOWN:
        triples[SHOWN:] = [f"  … and {len(triples) - SHOWN} more (all with --json)"]
    if triples:
        parts.append("\n".join(["Evidence:", *triples]))
    parts += [f"Warning: {warning}" for warning in record["warnings"]]
    return "\n\n".join(parts)
