"""Addresses and keys of language models, checked before anything is sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from kgneo.errors import UsageError

__all__ = ["check_address", "check_key"]


def check_address(url: str) -> None:
    """Raises UsageError for what is no http(s) address, or has a password inside."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"{url!r} is no address of a language model",
            hint="Expected something like http://127.0.0.1:8000/v1",
        )
    if parts.username or parts.password:
        raise UsageError(
            f"the address of the language model at {parts.hostname} holds a user name or password",
            hint="Put the key into KGNEO_LLM_KEY or OPENAI_API_KEY.",
        )


def check_key(key: str | None) -> str:
    """The key without blanks around it. Raises UsageError, without showing it, when it cannot be sent."""
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            "the key of the language model holds blanks or characters that no key has",
            hint="Check OPENAI_API_KEY or KGNEO_LLM_KEY.",
        )
    return key
