"""A GGUF file as language model in this process, through llama-cpp-python.

The order of things: the file is looked at (there, a GGUF, small enough for the memory) before its weights
are touched; its header is read for the length of its context; then the weights are loaded. A chat is rendered
with the chat template of the file, counted, and drawn token by token. Stop strings are matched here and not
in llama.cpp, so that one inside a think block does not end the reply.

llama.cpp writes to the terminal from C. Its log goes to a list of the last lines instead, for error messages.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable
from kgneo.llm.cleaning import Cleaner, defuse
from kgneo.llm.memory import available_memory
from kgneo.llm.protocol import Completion, Message, Parameters, merge_system

__all__ = ["LlamaModel"]

DEFAULT_CONTEXT = 8192
_MARGIN = 8
"""Tokens of the context that a reply leaves free: the library draws a few more to end a character."""
_REPLY_ROOM = 32
_MAGIC = b"GGUF"
_EDGE = 1 << 20
_GIB = 1 << 30
_GGML_ERROR, _GGML_CONTINUED = 4, 5


class LlamaModel:
    """A model from a GGUF file. `path` is the file; for the other options see `kgneo.llm.load_model`.

    Raises ModelError for a file that is missing, no GGUF, broken, or larger than the memory.
    Calls from several threads wait for each other.
    """

    supports_grammar = True
    supports_json_schema = True

    def __init__(
        self,
        path: Path,
        *,
        name: str = "",
        gpu_layers: int = 0,
        context: int | None = None,
        threads: int | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        report = report or _silent
        size = check_gguf(path)
        self.name = name or f"llama:{path.name}"
        library = _library()
        layers = _usable_layers(library, gpu_layers, report)
        header = _read_header(library, path)
        self.context_tokens = context or min(_trained_context(header), DEFAULT_CONTEXT)
        check_memory(path, size + _cache_bytes(header, self.context_tokens), on_gpu=layers != 0)
        report(f"loading {path.name} ({size / _GIB:.2f} GiB), context {self.context_tokens}")
        self.fingerprint = f"{self.name} {_file_fingerprint(path, size)} context {self.context_tokens}"
        self._llama = _load(library, path, layers, self.context_tokens, threads)
        # llama.cpp rounds the context up, the library's own arrays do not.
        self.context_tokens = min(self.context_tokens, int(self._llama.n_ctx()))
        self._render, self._begins_with = _chat_template(self._llama, report)
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
            self._check_room(len(prompt), parameters.max_tokens)
            grammar = self._grammar(parameters)
            cleaner = Cleaner(parameters.stop, thinking=thinking)
            counter = _Counter(time.monotonic() + parameters.timeout)
            reason = self._draw(prompt, parameters, grammar, counter, cleaner, on_text or _silent)
        if counter.late:
            raise ModelUnavailable(
                f"{self.name} did not finish within {parameters.timeout:g} s"
                f" ({len(prompt)} prompt tokens, {counter.tokens} reply tokens)",
                hint="Allow more time, use a smaller model, or put layers on a GPU.",
            )
        return Completion(cleaner.text, len(prompt), counter.tokens, reason)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model's own tokenizer makes of `text`."""
        return len(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def _prompt(self, messages: Sequence[Message]) -> tuple[list[int], bool]:
        """The tokens of the rendered chat, and whether the template has opened a think block."""
        harmless = [Message(message.role, defuse(message.content)) for message in messages]
        try:
            text = self._render(harmless)
        except Exception as error:
            # The template is a program of the model's maker; some refuse the role "system".
            try:
                text = self._render(merge_system(harmless))
            except Exception:
                raise ModelError(f"the chat template of {self.name} refuses this chat: {error}") from error
        add_bos = not (self._begins_with and text.startswith(self._begins_with))
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=add_bos, special=True)
        return tokens, text.rstrip().endswith(("<think>", "[THINK]"))

    def _check_room(self, tokens: int, wanted: int) -> None:
        limit = self.context_tokens - min(wanted, _REPLY_ROOM, self.context_tokens // 4)
        if tokens > limit:
            raise ContextOverflow(
                f"the prompt has {tokens} tokens, and {limit} fit into the context of {self.name}"
                f" ({self.context_tokens}) beside a reply",
                tokens=tokens,
                limit=limit,
                hint="Give fewer triples, or load the model with a longer context.",
            )

    def _grammar(self, parameters: Parameters) -> Any:
        from llama_cpp.llama_grammar import LlamaGrammar

        if parameters.grammar is not None:
            grammar = LlamaGrammar.from_string(parameters.grammar, verbose=False)
        elif parameters.json_schema is not None:
            try:
                schema = json.dumps(dict(parameters.json_schema))
                grammar = LlamaGrammar.from_json_schema(schema, verbose=False)
            except Exception as error:
                raise ModelError(f"the JSON schema cannot be made into a grammar: {error!r}") from error
        else:
            return None
        _check_grammar(self._llama, grammar._grammar)
        return grammar

    def _draw(
        self,
        prompt: list[int],
        parameters: Parameters,
        grammar: Any,
        counter: _Counter,
        cleaner: Cleaner,
        on_text: Callable[[str], None],
    ) -> str:
        """Draws until the model ends, a stop string comes or the bound is met; gives the reason."""
        from llama_cpp import StoppingCriteriaList

        reason = "length"
        _LOG.clear()
        try:
            chunks = self._llama.create_completion(
                prompt,
                max_tokens=max(1, min(parameters.max_tokens, self.context_tokens - len(prompt) - _MARGIN)),
                temperature=parameters.temperature,
                top_p=1.0,
                top_k=parameters.top_k,
                min_p=parameters.min_p,
                repeat_penalty=parameters.repeat_penalty,
                seed=secrets.randbelow(1 << 31) if parameters.seed is None else parameters.seed,
                grammar=grammar,
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
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{self.name} failed: {error}{_last_log()}") from error
        _hand_out(cleaner.finish(), on_text)
        return reason


class _Counter:
    """Counts drawn tokens and ends the reply when time is up. llama-cpp-python calls it after each token."""

    def __init__(self, deadline: float) -> None:
        self.tokens = 0
        self.late = False
        self._deadline = deadline

    def __call__(self, tokens: Any, logits: Any) -> bool:  # noqa: ARG002 - the library's signature
        self.tokens += 1
        self.late = time.monotonic() > self._deadline
        return self.late


def check_gguf(path: Path) -> int:
    """The size of the file in bytes, once it is known to be a GGUF file. Raises ModelError otherwise."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
        size = path.stat().st_size
    except IsADirectoryError:
        raise ModelError(f"{path} is a folder, expected a GGUF file") from None
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror}", hint="Expected llama: and the path of a GGUF file."
        ) from error
    if magic != _MAGIC:
        raise ModelError(
            f"{path} is not a GGUF file: it begins with {magic!r}, expected {_MAGIC!r}",
            hint="Models for llama.cpp are files that end in .gguf.",
        )
    return size


def check_memory(path: Path, needed: int, *, on_gpu: bool) -> None:
    """Raises ModelError when `needed` bytes are more than the memory that is free.

    With layers on a GPU, how much stays in memory is not known beforehand; then llama.cpp has to say it.
    """
    available = available_memory()
    if on_gpu or available is None or needed <= available:
        return
    raise ModelError(
        f"{path} needs about {needed / _GIB:.1f} GiB of memory, and {available / _GIB:.1f} GiB are free",
        hint="Use a smaller model or stronger quantisation, or a shorter context.",
    )


_LOG: deque[str] = deque(maxlen=3)
_callback: Any = None
_loading = threading.Lock()


def _library() -> Any:
    """llama_cpp, with its log led away from the terminal."""
    global _callback
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelError(
            f"llama: models need llama-cpp-python, which cannot be imported: {error}",
            hint="Install it with: pip install 'kgneo[llama]'",
        ) from error
    with _loading:
        if _callback is None:
            # Kept for the life of the process: C calls it until the very end.
            _callback = llama_cpp.llama_log_callback(_keep_errors)
            llama_cpp.llama_log_set(_callback, ctypes.c_void_p(0))
            llama_cpp.llama_backend_init()
    return llama_cpp


def _keep_errors(level: int, text: bytes, _: Any) -> None:
    if level in (_GGML_ERROR, _GGML_CONTINUED):
        line = text.decode("utf-8", errors="replace").strip()
        if line and (level == _GGML_ERROR or _LOG):
            _LOG.append(line)


def _last_log() -> str:
    return f" ({'; '.join(_LOG)})" if _LOG else ""


def _read_header(library: Any, path: Path) -> dict[str, str]:
    """The metadata of the file, read without its weights."""
    parameters = library.llama_model_default_params()
    parameters.vocab_only = True
    _LOG.clear()
    model = library.llama_model_load_from_file(os.fsencode(path), parameters)
    if not model:
        raise ModelError(f"{path} cannot be loaded as a model{_last_log()}", hint=_BROKEN_HINT)
    try:
        return dict(_metadata(library, model))
    finally:
        library.llama_model_free(model)


_BROKEN_HINT = "The file may be cut off, or newer than the installed llama-cpp-python."


def _metadata(library: Any, model: Any) -> Iterator[tuple[str, str]]:
    buffer = ctypes.create_string_buffer(256)
    for index in range(library.llama_model_meta_count(model)):
        library.llama_model_meta_key_by_index(model, index, buffer, len(buffer))
        key = buffer.value.decode("utf-8", errors="replace")
        library.llama_model_meta_val_str_by_index(model, index, buffer, len(buffer))
        yield key, buffer.value.decode("utf-8", errors="replace")


def _number(header: dict[str, str], key: str, default: int) -> int:
    value = header.get(f"{header.get('general.architecture')}.{key}", "")
    return int(value) if value.isdigit() else default


def _trained_context(header: dict[str, str]) -> int:
    return _number(header, "context_length", DEFAULT_CONTEXT)


def _cache_bytes(header: dict[str, str], context: int) -> int:
    """Bytes of the key-value cache, in 16 bits."""
    heads = _number(header, "attention.head_count", 1)
    head_size = _number(header, "attention.key_length", _number(header, "embedding_length", 0) // max(heads, 1))
    width = head_size * _number(header, "attention.head_count_kv", heads)
    return context * _number(header, "block_count", 0) * width * 2 * 2


def _file_fingerprint(path: Path, size: int) -> str:
    """Of the size and both ends of the file: enough to tell models apart, and quick for one of many GiB."""
    digest = sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()


def _usable_layers(library: Any, wanted: int, report: Callable[[str], None]) -> int:
    if wanted and not library.llama_supports_gpu_offload():
        report("llama-cpp-python is built without GPU support: all layers stay on the processor")
        return 0
    return wanted


def _load(library: Any, path: Path, layers: int, context: int, threads: int | None) -> Any:
    count = threads or _cores()
    _LOG.clear()
    try:
        return library.Llama(
            str(path),
            n_gpu_layers=layers,
            n_ctx=context,
            n_threads=count,
            n_threads_batch=count,
            verbose=False,
        )
    except Exception as error:
        # Also the chat template is read here, and what that raises is up to jinja2.
        raise ModelError(f"{path} cannot be loaded: {error}{_last_log()}", hint=_BROKEN_HINT) from error


def _cores() -> int:
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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


def _check_grammar(llama: Any, grammar: str) -> None:
    """Raises ModelError for a grammar that llama.cpp cannot parse; it would crash on it later."""
    import llama_cpp

    vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
    with _c_errors_hidden():
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
    if not sampler:
        raise ModelError(
            f"the grammar cannot be parsed{_last_log()}: {' '.join(grammar.split())[:120]!r}",
            hint="Expected GBNF with a rule named root.",
        )
    llama_cpp.llama_sampler_free(sampler)


@contextmanager
def _c_errors_hidden() -> Iterator[None]:
    """Leads file descriptor 2 away for a moment: the grammar parser writes there and not to the log."""
    saved = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _hand_out(text: str, on_text: Callable[[str], None]) -> None:
    if text:
        on_text(text)


def _silent(_: str) -> None:
    return None
