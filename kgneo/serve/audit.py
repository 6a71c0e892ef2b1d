"""The audit log of a team: who asked what, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from kgneo.serve.team_file import Audit

TELLING = ("question", "claim")
"""Fields of a body that say what was asked."""


class AuditLog:
    """Who asked what, as JSON lines that are written as soon as a request is done."""

    def __init__(self, audit: Audit) -> None:
        self._audit, self._lock = audit, Lock()

    def add(self, record: Mapping[str, Any], body: bytes) -> None:
        """Write what was done. Raises OSError."""
        said = _said(body) if self._audit.questions else {}
        line = json.dumps({"when": datetime.now(UTC).isoformat(timespec="milliseconds"), **record, **said})
        with self._lock, self._audit.file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")


def _said(body: bytes) -> dict[str, str]:
    """The question or the claim in a body."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(fields, dict):
        return {}
    called = fields.get("params")
    if isinstance(called, dict) and isinstance(called.get("arguments"), dict):  # of a tool, by MCP
        fields = called["arguments"]
    messages = fields.get("messages")
    if isinstance(messages, list) and messages and isinstance(messages[-1], dict):
        fields = {"question": messages[-1].get("content")}
    return {name: fields[name] for name in TELLING if isinstance(fields.get(name), str)}
