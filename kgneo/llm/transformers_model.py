"""A model of the Hugging Face hub, a folder or a GGUF file as language model, through transformers and PyTorch.

For models that llama.cpp does not have, and for tuned ones without conversion. A GGUF file is turned back into
unquantised weights, which takes four to eight times its size. On a GPU where PyTorch sees one, else on the processor.

transformers draws the reply; what is kgneo's own here is what its generation does not do alone: stop strings and think
blocks cleaned as for every other model, the beginning of a prompt computed once (`_Beginnings`), and grammars, which
llguidance turns into the tokens that may come next.
"""

from __future__ import annotations

import inspect
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from copy import deepcopy
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from kgneo.errors import ModelError, ModelUnavailable
from kgneo.extras import how_to_install
from kgneo.llm.cleaning import Cleaner
from kgneo.llm.gguf import DEFAULT_CONTEXT, check_gguf, check_memory, file_fingerprint
from kgneo.llm.local import check_room, rendered, shared_tokens, with_other_end
from kgneo.llm.protocol import Completion, Message, Parameters

__all__ = ["TransformersModel", "load_transformers"]

KEPT = 8
"""Beginnings of prompts that are kept."""
_SHORTEST = 16
_HINT = "Expected transformers: and a name on the hub, a folder of a model, or a GGUF file."


class TransformersModel:
    """A model by its name on the hub, its folder or its GGUF file; for the options see `kgneo.llm.load_model`.

    Raises ModelError for one that is missing, broken, larger than the memory or without a chat template.
    Calls from several threads wait for each other.
    """

    supports_grammar = True
    supports_json_schema = True

    def __init__(
        self,
        name: str,
        *,
        context: int | None = None,
        threads: int | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.name = f"transformers:{Path(name).name if Path(name).exists() else name}"
        (report or _silent)(f"loading {self.name}")
        torch = _torch()
        if threads:
            torch.set_num_threads(threads)
        self._model, self._tokenizer = load_transformers(name)
        self._model.to(_device(torch)).eval()
        if not self._tokenizer.chat_template:
            raise ModelError(f"{self.name} has no chat template", hint="Use a model that is tuned for instructions.")
        own = getattr(self._model.config, "max_position_embeddings", DEFAULT_CONTEXT)
        self.context_tokens = min(context or DEFAULT_CONTEXT, own)
        self.fingerprint = f"{self.name} {_fingerprint(name, self._model)} context {self.context_tokens}"
        self._ends = _end_tokens(self._model, self._tokenizer)
        self._beginnings = _Beginnings(self._model)
        self._grammars: Any = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"TransformersModel({self.name!r}, context={self.context_tokens})"

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
            grammar = self._grammar(parameters, len(prompt))
            cleaner = Cleaner(parameters.stop, thinking=thinking)
            reply = _Reply(self._tokenizer, self._ends, cleaner, on_text or _silent, parameters.timeout)
            kept = self._draw(prompt, self._fixed(messages, prompt), parameters, grammar, reply)
        if reply.late:
            raise ModelUnavailable(
                f"{self.name} did not finish within {parameters.timeout:g} s"
                f" ({len(prompt)} prompt tokens, {len(reply.tokens)} reply tokens)",
                hint="Allow more time, use a smaller model, or a GPU.",
            )
        reply.finish()
        counts = (len(prompt), len(reply.tokens))
        return Completion(cleaner.text, *counts, reply.reason, evaluated_tokens=len(prompt) - kept)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model's own tokenizer makes of `text`."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def _prompt(self, messages: Sequence[Message]) -> tuple[list[int], bool]:
        """The tokens of the rendered chat, and whether the template has opened a think block."""
        text, thinking = rendered(self.name, messages, self._rendered)
        begin = self._tokenizer.bos_token
        tokens: list[int] = self._tokenizer.encode(text, add_special_tokens=bool(begin) and not text.startswith(begin))
        return tokens, thinking

    def _rendered(self, messages: Sequence[Message]) -> str:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        return str(self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))

    def _fixed(self, messages: Sequence[Message], prompt: Sequence[int]) -> int:
        """How many tokens of the prompt do not depend on the last message."""
        return shared_tokens(prompt, self._prompt(with_other_end(messages))[0])

    def _grammar(self, parameters: Parameters, prompt: int) -> list[Any]:
        """What holds the reply to its form: a processor of scores, or none."""
        if parameters.grammar is None and parameters.json_schema is None:
            return []
        if self._grammars is None:
            self._grammars = _Grammars(self._tokenizer, self._model.config.vocab_size, self._ends)
        return [self._grammars.processor(parameters.grammar, parameters.json_schema, prompt)]

    def _draw(self, prompt: list[int], fixed: int, parameters: Parameters, grammar: list[Any], reply: _Reply) -> int:
        """Draws the reply; gives how many tokens of the prompt did not have to be computed."""
        torch = _torch()
        tokens = torch.tensor([prompt], device=self._model.device)
        drawn: dict[str, Any] = {"do_sample": False, "temperature": None, "top_k": None, "min_p": None, "top_p": None}
        if parameters.temperature > 0:
            top_k = parameters.top_k or None
            drawn |= {
                "do_sample": True,
                "temperature": parameters.temperature,
                "top_k": top_k,
                "min_p": parameters.min_p,
                "top_p": 1.0,
            }
        # The seed is this call's alone: whoever else draws in this process keeps their own random numbers.
        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(secrets.randbelow(1 << 31) if parameters.seed is None else parameters.seed)
            cache, kept = self._beginnings.begin(tokens, fixed)
            try:
                self._model.generate(
                    tokens,
                    attention_mask=torch.ones_like(tokens),
                    **{cache_name(self._model): cache},
                    max_new_tokens=min(parameters.max_tokens, self.context_tokens - len(prompt)),
                    repetition_penalty=parameters.repeat_penalty,
                    eos_token_id=sorted(self._ends),
                    pad_token_id=min(self._ends),
                    streamer=reply,
                    stopping_criteria=[reply.stops],
                    logits_processor=grammar,
                    **drawn,
                )
            except (RuntimeError, ValueError) as error:
                raise ModelError(f"{self.name} failed: {_first_line(error)}") from error
        return kept


def cache_name(model: Any) -> str:
    """What `model` calls the keys and values of tokens before, where they are given and where they come out;
    transformers has another name since 5.24."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


class _Reply:
    """The reply while it is drawn: a streamer of transformers, and what ends it."""

    def __init__(
        self, tokenizer: Any, ends: frozenset[int], cleaner: Cleaner, on_text: Callable[[str], None], timeout: float
    ) -> None:
        self.tokens: list[int] = []
        self.reason = "length"
        self.late = False
        self._deadline = time.monotonic() + timeout
        self._tokenizer = tokenizer
        self._ends = ends
        self._cleaner = cleaner
        self._on_text = on_text
        self._text = ""
        self._begun = False

    def put(self, value: Any) -> None:
        """Takes the prompt the first time, then one token at a time."""
        if not self._begun:
            self._begun = True
            return
        for token in value.flatten().tolist():
            if token in self._ends:
                self.reason = "stop"
                continue
            self.tokens.append(token)
            text = self._tokenizer.decode(self.tokens, skip_special_tokens=False)
            # A character of several tokens is not handed out in pieces.
            if not text.endswith("\ufffd"):
                self._feed(text)

    def end(self) -> None:
        """Nothing: `finish` comes after the time was looked at."""

    def finish(self) -> None:
        """Hands out what is left."""
        self._feed(self._tokenizer.decode(self.tokens, skip_special_tokens=False))
        rest = self._cleaner.finish()
        if rest:
            self._on_text(rest)

    def stops(self, tokens: Any, _scores: Any, **_: Any) -> Any:
        """Whether the reply ends here; transformers asks after each token."""
        self.late = time.monotonic() > self._deadline
        return _torch().tensor([self.late or self._cleaner.ended], device=tokens.device)

    def _feed(self, text: str) -> None:
        new, self._text = text[len(self._text) :], text
        cleaned = self._cleaner.feed(new)
        if self._cleaner.ended:
            self.reason = "stop"
        if cleaned:
            self._on_text(cleaned)


class _Beginnings:
    """What the model computed for the beginnings of prompts, as in `kgneo.llm.prefixes`."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._caches: OrderedDict[tuple[int, ...], Any] = OrderedDict()

    def begin(self, tokens: Any, fixed: int) -> tuple[Any, int]:
        """A cache behind the first `fixed` tokens (None where they are few), and how many were there already."""
        if fixed < _SHORTEST:
            return None, 0
        beginning = tuple(tokens[0, :fixed].tolist())
        kept = beginning in self._caches
        if not kept:
            found = self._model(tokens[:, :fixed], use_cache=True, logits_to_keep=1)
            self._caches[beginning] = getattr(found, cache_name(self._model))
            if len(self._caches) > KEPT:
                self._caches.popitem(last=False)
        self._caches.move_to_end(beginning)
        return deepcopy(self._caches[beginning]), fixed if kept else 0


class _Grammars:
    """Grammars for one tokenizer, through llguidance. Raises ModelError where it is not installed."""

    def __init__(self, tokenizer: Any, vocabulary: int, ends: frozenset[int]) -> None:
        try:
            import llguidance
            import llguidance.gbnf_to_lark
            import llguidance.hf
        except ImportError as error:
            raise ModelError(
                f"forms of replies for transformers: models need llguidance, which cannot be imported: {error}",
                hint=how_to_install("transformers"),
            ) from error
        self._library = llguidance
        # A tokenizer may have more tokens than the model has scores, and the other way round.
        size = max(vocabulary, len(tokenizer))
        self._tokenizer = llguidance.hf.from_tokenizer(tokenizer, n_vocab=size, eos_token=sorted(ends))

    def processor(self, grammar: str | None, schema: Mapping[str, Any] | None, prompt: int) -> Callable[..., Any]:
        """What sets the scores of tokens that may not come next to minus infinity. Raises ModelError for a bad form."""
        matcher = self._matcher(grammar, schema)
        taken = prompt

        def process(tokens: Any, scores: Any) -> Any:
            nonlocal taken
            matcher.consume_tokens(tokens[0, taken:].tolist())
            taken = tokens.shape[1]
            bits = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
            allowed = np.unpackbits(bits, bitorder="little")[: scores.shape[1]].astype(bool)
            return scores.masked_fill(~_torch().from_numpy(allowed).to(scores.device), float("-inf"))

        return process

    def _matcher(self, grammar: str | None, schema: Mapping[str, Any] | None) -> Any:
        matcher = self._library.LLMatcher
        try:
            if grammar is not None:
                form = matcher.grammar_from_lark(self._library.gbnf_to_lark.any_to_lark(grammar))
            else:
                form = matcher.grammar_from_json_schema(json.dumps(dict(schema or {})))
        except Exception as error:
            raise ModelError(f"the grammar cannot be parsed: {_first_line(error)}", hint=_FORM_HINT) from error
        made = matcher(self._tokenizer, form)
        if made.is_error():
            raise ModelError(f"the grammar cannot be parsed: {_first_line(made.get_error())}", hint=_FORM_HINT)
        return made


_FORM_HINT = "Expected GBNF with a rule named root, or a JSON schema."


def load_transformers(name: str) -> tuple[Any, Any]:
    """The model and the tokenizer of a name on the hub, a folder or a GGUF file, on the processor.

    Raises ModelError for what cannot be loaded, ModelUnavailable when the hub cannot be reached.
    """
    try:
        import transformers
    except ImportError as error:
        raise ModelError(
            f"transformers: models need transformers, which cannot be imported: {error}",
            hint=how_to_install("transformers"),
        ) from error
    path = Path(name).expanduser()
    place: dict[str, Any] = {"pretrained_model_name_or_path": str(path) if path.exists() else name}
    if name.lower().endswith(".gguf"):
        check_gguf(path)
        place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    _check_memory(path)
    logging: Any = transformers.utils.logging
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # Reading a GGUF file draws a progress bar that no setting turns off.
        with redirect_stderr(StringIO()):
            tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
            model: Any = transformers.AutoModelForCausalLM.from_pretrained(**place, dtype="auto")
    except Exception as error:
        # What a broken file or folder raises here is up to five libraries.
        kind = ModelUnavailable if "connect" in str(error).lower() and not path.exists() else ModelError
        raise kind(f"{name} cannot be loaded by transformers: {_first_line(error)}", hint=_HINT) from error
    if "gguf_file" in place:
        # The weights are plain numbers by now, and may be saved.
        model.hf_quantizer.remove_quantization_config(model)
    return model, tokenizer


def _check_memory(path: Path) -> None:
    """Raises ModelError for weights that are larger than the free memory, as they will lie in it."""
    if path.is_dir():
        check_memory(path, sum(file.stat().st_size for file in path.glob("*.safetensors")), on_gpu=False)
    elif path.is_file():
        from gguf import GGUFReader

        try:
            numbers = sum(int(tensor.n_elements) for tensor in GGUFReader(path).tensors)
        except Exception as error:
            raise ModelError(f"{path} is a damaged GGUF file: {_first_line(error)}", hint=_HINT) from error
        check_memory(path, 4 * numbers, on_gpu=False)


def _device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a reply: the tokenizer's, and those that the model names."""
    named = model.generation_config.eos_token_id
    listed = named if isinstance(named, list) else [named]
    return frozenset(token for token in (*listed, tokenizer.eos_token_id) if token is not None)


def _fingerprint(name: str, model: Any) -> str:
    """Of the file, of the files of the folder, or the commit on the hub."""
    path = Path(name).expanduser()
    if path.is_file():
        return file_fingerprint(path)
    if path.is_dir():
        weights = sorted([*path.glob("*.safetensors"), *path.glob("*.json")])
        return sha256(" ".join(map(file_fingerprint, weights)).encode()).hexdigest()
    return str(getattr(model.config, "_commit_hash", None) or "")


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ModelError(
            f"transformers: models need PyTorch, which cannot be imported: {error}",
            hint=how_to_install("transformers"),
        ) from error
    return torch


def _first_line(error: object) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]


def _silent(_: str) -> None:
    return None
