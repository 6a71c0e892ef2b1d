"""A GGUF file as language model in this process, through llama-cpp-python.

The order of things: the file is looked at (there, a GGUF, small enough for the memory) before its weights
are touched; on a machine that has not run it before, it is tried in a process of its own (`kgneo.llm.trial`);
its header is read for the length of its context; then the weights are loaded. A chat is rendered with the chat
template of the file, counted, its beginning taken from what was read before (`kgneo.llm.prefixes`), and the reply
drawn token by token. Stop strings are matched here and not in llama.cpp, so that one inside a think block does
not end the reply.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from kgneo.errors import ModelError, ModelUnavailable
from kgneo.llm.callbacks import Lost, kept_exceptions
from kgneo.llm.cleaning import Cleaner
from kgneo.llm.gguf import (
    BROKEN_HINT,
    DEFAULT_CONTEXT,
    GIB,
    cache_bytes,
    check_gguf,
    check_memory,
    file_fingerprint,
    read_header,
    trained_context,
)
from kgneo.llm.grammar import Grammar
from kgneo.llm.llama_library import clear_log, last_log, llama_library, repacking
from kgneo.llm.local import check_room, rendered, shared_tokens, with_other_end
from kgneo.llm.prefixes import Prefixes
from kgneo.llm.processor import usable_cores
from kgneo.llm.protocol import Completion, Message, Parameters
from kgneo.llm.trial import Trial, can_repack

__all__ = ["LlamaModel"]

_MARGIN = 8
"""Tokens of the context that a reply leaves free: the library draws a few more to end a character."""


class LlamaModel:
    """A model from a GGUF file. `path` is the file; for the other options see `kgneo.llm.load_model`.

    `repacked` says whether llama.cpp may rearrange the weights for the processor; None finds out whether that runs,
    in a process of its own. With True or False nothing is tried, and a model that crashes ends this process.

    Raises ModelError for a file that is missing, no GGUF, broken, larger than the memory, or that cannot be run here.
    Calls from several threads wait for each other.
    """

    supports_grammar = True
    supports_json_schema = True

    def __init__(
        self,
        path: Path,
        *,
        name: str = "",
        adapter: Path | None = None,
        gpu_layers: int = 0,
        context: int | None = None,
        threads: int | None = None,
        repacked: bool | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        report = report or _silent
        size = sum(check_gguf(file) for file in (path, adapter) if file)
        self.name = name or f"llama:{path.name}" + (f" with {adapter.name}" if adapter else "")
        library = llama_library()
        layers = _usable_layers(library, gpu_layers, report)
        check_memory(path, size, on_gpu=layers != 0)
        if repacked is None:
            repacked = can_repack(Trial(str(path), str(adapter) if adapter else None, layers, context), report)
        header = read_header(library, path)
        self.context_tokens = context or min(trained_context(header), DEFAULT_CONTEXT)
        check_memory(path, size + cache_bytes(header, self.context_tokens), on_gpu=layers != 0)
        report(f"loading {path.name} ({size / GIB:.2f} GiB), context {self.context_tokens}")
        files = " ".join(file_fingerprint(file) for file in (path, adapter) if file)
        self.fingerprint = f"{self.name} {files} context {self.context_tokens}"
        with repacking(repacked):
            self._llama = _load(library, path, adapter, layers, self.context_tokens, threads)
        # llama.cpp rounds the context up, the library's own arrays do not.
        self.context_tokens = min(self.context_tokens, int(self._llama.n_ctx()))
        self._render, self._begins_with = _chat_template(self._llama, report)
        self._prefixes = Prefixes(self._llama)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"LlamaModel({self.name!r}, context={self.context_tokens})"

    def close(self) -> None:
        """Frees the weights; the model cannot be used afterwards."""
        self._llama.close()

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The reply to `messages`.

        Raises ContextOverflow for a prompt that leaves no room for a reply, ModelUnavailable when the reply
        takes longer than the timeout (looked at between tokens), and ModelError for a grammar or schema that
        cannot be used.
        """
        with self._lock:
            prompt, thinking = self._prompt(messages)
            check_room(self.name, len(prompt), parameters.max_tokens, self.context_tokens)
            fixed = self._fixed(messages, prompt)
            cleaner = Cleaner(parameters.stop, thinking=thinking)
            clear_log()
            grammar = self._grammar(parameters)
            try:
                with kept_exceptions() as lost:
                    counter = _Counter(time.monotonic() + parameters.timeout, lost)
                    kept = self._prefixes.begin(prompt, fixed)
                    reason = self._draw(prompt, parameters, grammar, counter, cleaner, on_text or _silent)
            except (RuntimeError, ValueError) as error:
                raise ModelError(f"{self.name} failed: {error}{last_log()}") from error
            finally:
                if grammar is not None:
                    grammar.close()
        if counter.late:
            raise ModelUnavailable(
                f"{self.name} did not finish within {parameters.timeout:g} s"
                f" ({len(prompt)} prompt tokens, {counter.tokens} reply tokens)",
                hint="Allow more time, use a smaller model, or put layers on a GPU.",
            )
        evaluated = len(prompt) - kept
        return Completion(cleaner.text, len(prompt), counter.tokens, reason, evaluated_tokens=evaluated)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model's own tokenizer makes of `text`."""
        return len(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def _prompt(self, messages: Sequence[Message]) -> tuple[list[int], bool]:
        """The tokens of the rendered chat, and whether the template has opened a think block."""
        text, thinking = rendered(self.name, messages, self._render)
        add_bos = not (self._begins_with and text.startswith(self._begins_with))
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=add_bos, special=True)
        return tokens, thinking

    def _fixed(self, messages: Sequence[Message], prompt: Sequence[int]) -> int:
        """How many tokens of the prompt do not depend on the last message."""
        return shared_tokens(prompt, self._prompt(with_other_end(messages))[0])

    def _grammar(self, parameters: Parameters) -> Grammar | None:
        from llama_cpp.llama_grammar import json_schema_to_gbnf

        text = parameters.grammar
        if text is None and parameters.json_schema is not None:
            try:
                text = json_schema_to_gbnf(json.dumps(dict(parameters.json_schema)))
            except Exception as error:
                raise ModelError(f"the JSON schema cannot be made into a grammar: {error!r}") from error
        return None if text is None else Grammar(self._llama, text)

    def _draw(
        self,
        prompt: list[int],
        parameters: Parameters,
        grammar: Grammar | None,
        counter: _Counter,
        cleaner: Cleaner,
        on_text: Callable[[str], None],
    ) -> str:
        """Draws until the model ends, a stop string comes or the bound is met; gives the reason."""
        from llama_cpp import LogitsProcessorList, StoppingCriteriaList

        reason = "length"
        chunks = self._llama.create_completion(
            prompt,
            max_tokens=max(1, min(parameters.max_tokens, self.context_tokens - len(prompt) - _MARGIN)),
            temperature=parameters.temperature,
            top_p=1.0,
            top_k=parameters.top_k,
            min_p=parameters.min_p,
            repeat_penalty=parameters.repeat_penalty,
            seed=secrets.randbelow(1 << 31) if parameters.seed is None else parameters.seed,
            logits_processor=None if grammar is None else LogitsProcessorList([grammar]),
            stopping_criteria=StoppingCriteriaList([counter]),
            stream=True,
        )
        with closing(chunks):
            for chunk in chunks:
                choice = chunk["choices"][0]
                reason = choice["finish_reason"] or reason
                _hand_out(cleaner.feed(choice["text"]), on_text)
                if cleaner.ended:
                    reason = "stop"
                    break
            else:
                # The library looks at its criteria once more at the end, and an end token is no text.
                counter.tokens -= 2 if reason == "stop" else 1
        _hand_out(cleaner.finish(), on_text)
        return reason


class _Counter:
    """Counts drawn tokens, ends the reply when time is up, and raises what was lost in a callback. llama-cpp-python
    calls it after each token."""

    def __init__(self, deadline: float, lost: Lost) -> None:
        self.tokens = 0
        self.late = False
        self._deadline = deadline
        self._lost = lost

    def __call__(self, tokens: Any, logits: Any) -> bool:  # noqa: ARG002 - the library's signature
        self._lost.raise_again()
        self.tokens += 1
        self.late = time.monotonic() > self._deadline
        return self.late


def _usable_layers(library: Any, wanted: int, report: Callable[[str], None]) -> int:
    if wanted and not library.llama_supports_gpu_offload():
        report("llama-cpp-python is built without GPU support: all layers stay on the processor")
        return 0
    return wanted


def _load(library: Any, path: Path, adapter: Path | None, layers: int, context: int, threads: int | None) -> Any:
    count = threads or usable_cores()
    clear_log()
    try:
        return library.Llama(
            str(path),
            lora_path=str(adapter) if adapter else None,
            n_gpu_layers=layers,
            n_ctx=context,
            n_threads=count,
            n_threads_batch=count,
            verbose=False,
        )
    except Exception as error:
        # Also the chat template is read here, and what that raises is up to jinja2.
        beside = f" with the adapter {adapter}" if adapter else ""
        raise ModelError(f"{path}{beside} cannot be loaded: {error}{last_log()}", hint=BROKEN_HINT) from error


def _chat_template(llama: Any, report: Callable[[str], None]) -> tuple[Callable[[Sequence[Message]], str], str]:
    """What renders a chat to text, and the text of the token that begins a sequence."""
    import llama_cpp
    from llama_cpp import llama_chat_format

    vocabulary = llama_cpp.llama_model_get_vocab(llama.model)

    def text_of(token: int) -> str:
        raw = llama_cpp.llama_vocab_get_text(vocabulary, token) if token >= 0 else b""
        return raw.decode("utf-8", errors="replace") if raw else ""

    begin, end = text_of(llama.token_bos()), text_of(llama.token_eos())
    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        report("the file has no chat template: the one of Llama 2 is used")
        formatter: Any = llama_chat_format.format_llama2
    else:
        formatter = llama_chat_format.Jinja2ChatFormatter(template, eos_token=end, bos_token=begin)

    def render(messages: Sequence[Message]) -> str:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        return str(formatter(messages=chat).prompt)

    return render, begin


def _hand_out(text: str, on_text: Callable[[str], None]) -> None:
    if text:
        on_text(text)


def _silent(_: str) -> None:
    return None
