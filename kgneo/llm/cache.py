"""Replies kept on disk: the same question to the same model is free and answered to the letter as before.

One SQLite file. The key is the SHA-256 of the model's fingerprint, the parameters that shape a reply, and the
messages; the value is the cleaned reply with its counts. Nothing in the file tells the API key. Several
processes and threads may use one file. Only whole replies are kept: a call that failed or timed out is not.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from kgneo.errors import ModelError, ModelUnavailable
from kgneo.llm.protocol import Completion, LanguageModel, Message, Parameters

__all__ = ["CachedModel", "ReplyCache"]

_APPLICATION = 0x6B676E6F  # "kgno": marks the file as a reply cache
_WAIT_SECONDS = 30.0
_HINT = "Name another file, or delete it."
_TABLE = """
CREATE TABLE IF NOT EXISTS reply (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    finish_reason TEXT NOT NULL
) WITHOUT ROWID
"""


class ReplyCache:
    """A file of replies. Raises ModelError when `path` is something else, broken, or cannot be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            if tables and application != _APPLICATION:
                raise ModelError(f"{path} is not a reply cache of kgneo", hint=_HINT)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(_TABLE)

    def __repr__(self) -> str:
        return f"ReplyCache({str(self.path)!r})"

    def __len__(self) -> int:
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM reply").fetchone()[0])

    def get(self, key: str) -> Completion | None:
        """The reply of that key, marked as cached."""
        query = "SELECT text, prompt_tokens, completion_tokens, finish_reason FROM reply WHERE key = ?"
        with self._connection() as connection:
            row = connection.execute(query, (key,)).fetchone()
        return replace(Completion(*row), cached=True, evaluated_tokens=0) if row else None

    def put(self, key: str, model: str, completion: Completion) -> Completion:
        """Keeps `completion`, unless another process was first; gives it back."""
        counts = (completion.prompt_tokens, completion.completion_tokens)
        row = (key, model, completion.text, *counts, completion.finish_reason)
        with self._connection() as connection:
            connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?, ?, ?, ?, ?)", row)
        return completion

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction that is committed at the end."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as connection, connection:
                yield connection
        except sqlite3.DatabaseError as error:
            kind = ModelUnavailable if "locked" in str(error) else ModelError
            hint = "" if isinstance(error, sqlite3.OperationalError) else _HINT
            raise kind(f"{self.path} cannot be used as a reply cache: {error}", hint=hint) from error


class CachedModel:
    """A model that looks into a `ReplyCache` first; all else is as the model says."""

    def __init__(self, model: LanguageModel, cache: ReplyCache) -> None:
        self._model = model
        self._cache = cache
        self.name = model.name
        self.fingerprint = model.fingerprint
        self.context_tokens = model.context_tokens
        self.supports_grammar = model.supports_grammar
        self.supports_json_schema = model.supports_json_schema
        self.count_tokens = model.count_tokens

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r}, {self._cache!r})"

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The kept reply, handed to `on_text` in one piece, or a new one from the model."""
        key = reply_key(self.fingerprint, messages, parameters)
        kept = self._cache.get(key)
        if kept is None:
            return self._cache.put(key, self.name, self._model.complete(messages, parameters, on_text=on_text))
        if on_text and kept.text:
            on_text(kept.text)
        return kept


def reply_key(fingerprint: str, messages: Sequence[Message], parameters: Parameters) -> str:
    """The key of a call: SHA-256, in hexadecimal, of everything that shapes the reply.

    The timeout does not, and neither does the stage's name.
    """
    shaping = asdict(replace(parameters, json_schema=None, timeout=1.0, stage=""))
    schema = None if parameters.json_schema is None else dict(parameters.json_schema)
    chat = [[message.role, message.content] for message in messages]
    record = [fingerprint, shaping, schema, chat]
    return sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
