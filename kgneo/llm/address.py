"""Addresses and keys of language models and encoders, checked before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from kgneo.errors import UsageError

__all__ = ["ENCODER", "LANGUAGE_MODEL", "check_address", "check_key", "sent_on"]

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Kind:
    """What an address is of, and the variable that holds its key."""

    name: str
    variable: str


LANGUAGE_MODEL = Kind("language model", "KGNEO_LLM_KEY")
ENCODER = Kind("encoder", "KGNEO_ENCODER_KEY")


def check_address(url: str, *, of: Kind = LANGUAGE_MODEL) -> None:
    """Raises UsageError for what is no http(s) address, or has a password inside."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"{url!r} is no address of {'an' if of is ENCODER else 'a'} {of.name}",
            hint="Expected something like http://127.0.0.1:8000/v1",
        )
    if parts.username or parts.password:
        raise UsageError(
            f"the address of the {of.name} at {parts.hostname} holds a user name or password",
            hint=f"Put the key into {of.variable} or OPENAI_API_KEY.",
        )


def check_key(key: str | None, *, of: Kind = LANGUAGE_MODEL) -> str:
    """The key without blanks around it. Raises UsageError, without showing it, when it cannot be sent."""
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"the key of the {of.name} holds blanks or characters that no key has",
            hint=f"Check OPENAI_API_KEY or {of.variable}.",
        )
    return key


def sent_on(url: str, elsewhere: str) -> str:
    """What is told where the server at `url` sends on to another address: only the user says where texts may go."""
    return f"{url} sends on to {urljoin(url, elsewhere)[:SHOWN]!r}, where nothing was sent"
