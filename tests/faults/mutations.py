"""Inputs that are almost right: seeds of each kind, changed at random places."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

PIECES = (
    *(bytes([number]) for number in b"\x00\r\n\t,\"'\\[]{}():;|<>=-# "),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"/*", b"*/", b"//", b"null", b"true", b"NaN", b"1e400", b"-0"),
    *(
        b"99999999999999999999",
        b"2020-13-45",
        b"@prefix",
        b"MATCH",
        b"RETURN",
        b"WHERE",
        b"NOT ",
        b"AND",
        b"\x1b]0;x\x07",
    ),
    *(text.encode() for text in ("é", "\u202e", "\U0001f600")),
    *(b"a" * 300, b"[" * 200, b'{"a":' * 100, b"(" * 100),
)


def mutated(seeds: Sequence[bytes], number: int, seed: int) -> Iterator[bytes]:
    """So many inputs: a seed, with one to six changes: bytes that are replaced, left out, repeated or put in, an end
    that is cut off, a part of another seed."""
    chosen = random.Random(seed)  # noqa: S311
    for _ in range(number):
        data = bytearray(chosen.choice(seeds))
        for _ in range(chosen.randint(1, 6)):
            _change(data, chosen, seeds)
        yield bytes(data)


def _change(data: bytearray, chosen: random.Random, seeds: Sequence[bytes]) -> None:
    start = chosen.randint(0, len(data))
    end = min(len(data), start + chosen.choice((1, 1, 2, 8, 40)))
    kind = chosen.randrange(6)
    if kind == 0:
        data[start:end] = chosen.randbytes(end - start)
    elif kind == 1:
        del data[start:end]
    elif kind == 2:
        data[start:start] = data[start:end] * chosen.choice((1, 2, 30))
    elif kind == 3:
        data[start:end] = chosen.choice(PIECES)
    elif kind == 4:
        data[start:start] = chosen.choice(PIECES)
    else:
        other = chosen.choice(seeds)
        part = chosen.randint(0, len(other))
        data[start:] = other[part:]
