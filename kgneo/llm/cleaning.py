"""What a reply is cleaned of, in one place for all models, whole or piece by piece.

In comes the raw text of a model, out goes the text without

- leaked control tokens (`<s>`, `[INST]`, `<|im_start|>assistant`, `<|…|>`); one that ends a turn
  (`</s>`, `<|im_end|>`, `<|eot_id|>`) ends the reply once it has text, since what follows is an invented
  next turn;
- `<think>…</think>` blocks, also unclosed (the reply was cut) and unopened (the chat template had opened
  the block: all before a lone `</think>` goes);
- the first stop string and all after it. A stop string inside a think block does not count: the model has
  not begun to answer there;
- secrets (an API key that a server echoes), which become `[secret]`;
- halves of surrogate pairs, which no text may hold: two that belong together become their character, also from two
  pieces, the others the sign for what cannot be read;
- blanks around the whole.

`Cleaner` decides at each position only when no longer match is possible, so the result does not depend on
how the text was cut into pieces. The one thing that a stream cannot take back is text before a lone
`</think>`: it has been handed out already, and `Cleaner.text` is right all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["Cleaner", "clean", "defuse"]

THINK = {"<think>": "</think>", "<thinking>": "</thinking>", "[THINK]": "[/THINK]"}
_ROLES = ("assistant", "user", "system", "model")
_TURN_OPENERS = ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>")
_ENDS = frozenset(
    {
        *("</s>", "<eos>", "<|im_end|>", "<|eot_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>"),
        *("<end_of_turn>", "<｜end▁of▁sentence｜>", "[INST]", "<|user|>"),
        *(opener + role for opener in _TURN_OPENERS for role in ("", *_ROLES)),
    }
)
_PLAIN = frozenset({"<s>", "<bos>", "<pad>", "<unk>", "[/INST]", "<<SYS>>", "<</SYS>>"})
_TOKENS = _ENDS | _PLAIN
_CLOSERS = frozenset(THINK.values())
_LITERALS = tuple(sorted(_TOKENS | THINK.keys() | _CLOSERS, key=len, reverse=True))

_GENERIC = re.compile(r"<([|｜])[^|｜<>\n]{1,40}\1>")
_GENERIC_BEGUN = re.compile(r"<([|｜]([^|｜<>\n]{0,40}[|｜]?)?)?")

_HALF = re.compile("[\ud800-\udfff]")
_SLICE = 2048
SECRET_MARK = "[secret]"  # noqa: S105 - what a secret is replaced by


class Cleaner:
    """Cleans a reply while it comes in.

    `feed` takes the next raw piece and gives the cleaned text that is certain by now, `finish` the rest.
    `ended` says that a stop string or an end of turn was met: what is fed later changes nothing, so the model
    can be stopped. `thinking` says that the text so far ends inside a think block.
    """

    def __init__(self, stop: Sequence[str] = (), *, thinking: bool = False, secrets: Sequence[str] = ()) -> None:
        self._stop = tuple(stop)
        self._secrets = tuple(secret for secret in secrets if secret)
        self._closer = "</think>" if thinking else ""
        self._buffer = ""
        self._half = ""
        self._blanks = ""
        self._kept: list[str] = []
        self.ended = False

        self._candidates = (*_LITERALS, *self._stop, *self._secrets)
        firsts = {literal[0] for literal in self._candidates}
        self._interesting = re.compile("[" + re.escape("".join(sorted(firsts))) + "]")

    def __repr__(self) -> str:
        return f"Cleaner(stop={self._stop!r}, ended={self.ended}, thinking={self.thinking})"

    @property
    def text(self) -> str:
        """The cleaned text so far."""
        return "".join(self._kept)

    @property
    def thinking(self) -> bool:
        """Whether the text so far ends inside a think block."""
        return bool(self._closer)

    def feed(self, piece: str) -> str:
        """The cleaned text that is certain after `piece`."""
        out = []
        piece, self._half = _whole(self._half + piece)
        # In slices, so that a long text costs time in proportion to its length.
        for start in range(0, len(piece), _SLICE):
            if self.ended:
                break
            self._buffer += piece[start : start + _SLICE]
            out.append(self._advance(final=False))
        return "".join(out)

    def finish(self) -> str:
        """The cleaned text that was held back until the reply was known to be over."""
        if self.ended:
            return ""
        self._buffer += "\ufffd" if self._half else ""
        rest = self._advance(final=True)
        self.ended = True
        return rest

    def _advance(self, *, final: bool) -> str:
        out: list[str] = []
        while self._buffer and not self.ended:
            moved = self._leave_thinking(final) if self._closer else self._take(out, final)
            if not moved:
                break
        return "".join(out)

    def _leave_thinking(self, final: bool) -> bool:
        before, closer, after = self._buffer.partition(self._closer)
        if closer:
            self._buffer = after
            self._closer = ""
            return True
        # Only a closer that has just begun matters; the reasoning itself is dropped at once.
        keep = 0 if final else _overlap(before, self._closer)
        self._buffer = before[len(before) - keep :]
        return False

    def _take(self, out: list[str], final: bool) -> bool:
        """Handles the buffer up to and with its next special piece; False when more text is needed."""
        found = self._interesting.search(self._buffer)
        start = found.start() if found else len(self._buffer)
        self._emit(self._buffer[:start], out)
        self._buffer = self._buffer[start:]
        if not self._buffer:
            return False
        if any(self._buffer.startswith(stop) for stop in self._stop):
            self.ended = True
            return False
        if not final and self._may_grow(self._buffer):
            return False
        self._handle(self._longest_match(), out)
        return True

    def _may_grow(self, tail: str) -> bool:
        if _GENERIC_BEGUN.fullmatch(tail):
            return True
        return any(len(tail) < len(literal) and literal.startswith(tail) for literal in self._candidates)

    def _longest_match(self) -> str:
        matches = [literal for literal in (*_LITERALS, *self._secrets) if self._buffer.startswith(literal)]
        if generic := _GENERIC.match(self._buffer):
            matches.append(generic.group())
        return max(matches, key=len, default="")

    def _handle(self, match: str, out: list[str]) -> None:
        rest = self._buffer[len(match) :]
        if not match:
            self._emit(self._buffer[0], out)
            rest = self._buffer[1:]
        elif match in self._secrets:
            self._emit(SECRET_MARK, out)
        elif match in THINK:
            self._closer = THINK[match]
        elif match in _CLOSERS:
            self._kept.clear()
            self._blanks = ""
        elif match in _ENDS and self._kept:
            self.ended = True
        self._buffer = rest

    def _emit(self, text: str, out: list[str]) -> None:
        text = self._blanks + text
        kept = text.rstrip()
        self._blanks = text[len(kept) :]
        if not self._kept:
            kept = kept.lstrip()
            self._blanks = self._blanks if kept else ""
        if kept:
            self._kept.append(kept)
            out.append(kept)


def _whole(text: str) -> tuple[str, str]:
    """A text in whole characters, and the first half of one at its end, whose second may still come."""
    if not _HALF.search(text):
        return text, ""
    half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
    told = text[: len(text) - len(half)]
    return told.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), half


def clean(text: str, stop: Sequence[str] = (), *, thinking: bool = False, secrets: Sequence[str] = ()) -> str:
    """`text` without control tokens, think blocks, secrets, outer blanks and all from a stop on.

    `thinking` says that the prompt had already opened a think block.
    """
    cleaner = Cleaner(stop, thinking=thinking, secrets=secrets)
    cleaner.feed(text)
    cleaner.finish()
    return cleaner.text


def defuse(text: str) -> str:
    """`text` for a prompt, with a blank inside each control token.

    Chat templates and tokenizers read a `</s>` or `<|im_end|>` inside a message as the real token, so text
    from a graph or a question could close its own turn and open another one.
    """
    return _CONTROL.sub(lambda token: f"{token.group()[0]} {token.group()[1:]}", text)


_CONTROL = re.compile(
    "|".join([*(re.escape(token) for token in sorted(_TOKENS, key=len, reverse=True)), _GENERIC.pattern])
)


def _overlap(text: str, literal: str) -> int:
    """Length of the longest end of `text` that is a beginning of `literal`, short of the whole."""
    for length in range(min(len(text), len(literal) - 1), 0, -1):
        if literal.startswith(text[-length:]):
            return length
    return 0
