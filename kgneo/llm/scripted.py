"""Replies from a script instead of a model: the way to test one's own prompts, and what kgneo's tests use.

A script is a file of JSON lines (`scripted:FILE`). Empty lines and lines that begin with `#` are left out.

    {"reply": "No split needed."}
    {"match": "who directed (.+)\\\\?", "reply": "\\\\1 was directed by X"}
    {"stage": "decompose", "match": "films", "reply": {"sub_questions": ["…"]}}
    {"match": "slow", "error": "overloaded"}

A record with `match` answers every prompt whose last user message the regular expression is found in
(ignoring case, "." matches line ends), the first such record in the file wins; `\\1` and `\\g<name>` in its
reply stand for the groups. A record without `match` is used once, in the order of the file, by prompts that
no `match` answers. `stage` limits a record to the prompts of one stage. A reply that is no string is given as
JSON text. `error` in place of `reply` makes the call fail. Replies are cleaned like any model's.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from kgneo.errors import DataError, ModelError
from kgneo.llm.cleaning import clean
from kgneo.llm.protocol import Completion, Message, Parameters

__all__ = ["ScriptRecord", "ScriptedModel", "read_script"]

_FIELDS = {"match", "reply", "stage", "error"}
_REFERENCE = re.compile(r"\\(?:(\d{1,2})|g<(\w+)>)")
_HEAD = 200


@dataclass(frozen=True, slots=True)
class ScriptRecord:
    """One line of a script: `reply` (or `error`) for the prompts that `match` and `stage` let through."""

    reply: str = ""
    match: re.Pattern[str] | None = None
    stage: str | None = None
    error: str | None = None

    def fits(self, stage: str) -> bool:
        """Whether a prompt of this stage may use the record."""
        return self.stage is None or self.stage == stage


class ScriptedModel:
    """Plays replies. Takes texts and records in order, or a function of messages and parameters.

    `ScriptedModel(["first", "second"])` gives the replies in order, `ScriptedModel(answer)` calls
    `answer(messages, parameters)` each time. `calls` holds every chat that came in, with its parameters.
    Tokens are counted as words. Raises ModelError when no reply is left or none fits.
    """

    supports_grammar = False
    supports_json_schema = False

    def __init__(
        self,
        replies: Iterable[str | ScriptRecord] | Callable[[Sequence[Message], Parameters], str],
        *,
        name: str = "scripted",
        context_tokens: int | None = None,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.calls: list[tuple[tuple[Message, ...], Parameters]] = []
        self._function = replies if callable(replies) else None
        records = [] if callable(replies) else [_as_record(reply) for reply in replies]
        self._rules = [record for record in records if record.match]
        self._queue = [record for record in records if not record.match]
        self._count = len(records)
        self._lock = threading.Lock()
        self._script = repr(records)

    def __repr__(self) -> str:
        return f"ScriptedModel({self.name!r}, {self._count} replies)"

    @property
    def in_order(self) -> bool:
        """Whether there are replies that are given once, in their order."""
        return bool(self._queue)

    @property
    def fingerprint(self) -> str:
        """Changes with the script, so that a cache forgets the replies of an older one."""
        return f"{self.name} {sha256(self._script.encode()).hexdigest()}"

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The next reply that fits; see the class."""
        with self._lock:
            self.calls.append((tuple(messages), parameters))
            raw = self._function(messages, parameters) if self._function else self._play(messages, parameters)
        text = clean(raw, parameters.stop)
        if on_text and text:
            on_text(text)
        prompt_tokens = sum(self.count_tokens(message.content) for message in messages)
        return Completion(text, prompt_tokens, self.count_tokens(raw), "stop")

    def count_tokens(self, text: str) -> int:
        """The number of words."""
        return len(text.split())

    def _play(self, messages: Sequence[Message], parameters: Parameters) -> str:
        prompt = next((message.content for message in reversed(messages) if message.role == "user"), "")
        for record in self._rules:
            found = record.match.search(prompt) if record.match and record.fits(parameters.stage) else None
            if found:
                return _reply_of(record, found)
        for position, record in enumerate(self._queue):
            if record.fits(parameters.stage):
                del self._queue[position]
                return _reply_of(record, None)
        raise self._unanswered(prompt, parameters.stage)

    def _unanswered(self, prompt: str, stage: str) -> ModelError:
        head = " ".join(prompt.split())
        head = head if len(head) <= _HEAD else head[:_HEAD] + "…"
        asked = f"the prompt of stage {stage!r}" if stage else "the prompt"
        return ModelError(
            f"{self.name} has no reply left for call {len(self.calls)}; {asked} begins: {head!r}",
            hint='Add a {"match": …, "reply": …} line that fits it, or one more {"reply": …} line.',
        )


def read_script(path: Path) -> list[ScriptRecord]:
    """The records of a script file, in order.

    Raises DataError, with the line, for anything that is not a record as this module describes it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(
            f"cannot be read as a script of replies: {reason}", file=str(path), hint=_SCRIPT_HINT
        ) from error
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            records.append(_parse_record(line))
        except ValueError as error:
            raise DataError(str(error), file=str(path), line=number, hint=_SCRIPT_HINT) from error
    if not records:
        raise DataError("holds no replies", file=str(path), hint=_SCRIPT_HINT)
    return records


_SCRIPT_HINT = 'Each line is a record such as {"reply": "…"} or {"match": "REGEX", "reply": "…"}.'


def _parse_record(line: str) -> ScriptRecord:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON: {error}") from error
    if not isinstance(record, Mapping):
        raise ValueError(f"expected a JSON object, found {type(record).__name__}")
    if unknown := sorted(set(record) - _FIELDS):
        raise ValueError(f"unknown field {unknown[0]!r}, expected only {', '.join(sorted(_FIELDS))}")
    if ("reply" in record) == ("error" in record):
        raise ValueError('expected exactly one of "reply" and "error"')
    reply = record.get("reply", "")
    return ScriptRecord(
        reply=reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False),
        match=_pattern(_text_field(record, "match"), reply),
        stage=_text_field(record, "stage"),
        error=_text_field(record, "error"),
    )


def _text_field(record: Mapping[str, Any], field: str) -> str | None:
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{field!r} is {json.dumps(value)[:80]}, expected text")
    return value


def _pattern(expression: str | None, reply: object) -> re.Pattern[str] | None:
    if expression is None:
        return None
    try:
        pattern = re.compile(expression, re.IGNORECASE | re.DOTALL)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f'"match" is no regular expression: {error}') from error
    if isinstance(reply, str):
        for number, name in _REFERENCE.findall(reply):
            if (name and name not in pattern.groupindex) or (number and int(number) > pattern.groups):
                raise ValueError(f'"reply" refers to group {name or number}, which "match" does not have')
    return pattern


def _reply_of(record: ScriptRecord, found: re.Match[str] | None) -> str:
    def group(reference: re.Match[str]) -> str:
        assert found is not None
        number, name = reference.groups()
        return found.group(int(number) if number else name) or ""

    if record.error is not None:
        raise ModelError(f"the script answers with an error: {record.error}")
    return _REFERENCE.sub(group, record.reply) if found else record.reply


def _as_record(reply: str | ScriptRecord) -> ScriptRecord:
    return ScriptRecord(reply) if isinstance(reply, str) else reply
