"""Generate: every call to the language model for one question goes through here.

`ModelCalls` fills a prompt in, sends it with the parameters of its stage, measures the time as part of that stage
and adds up what it cost. It belongs to one question and is thrown away with it. A call that would cost more than the
question may is not made.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from kgneo.context import Clock, Context, Options
from kgneo.errors import BudgetSpent, UsageError
from kgneo.graph.work import current_work
from kgneo.llm import Completion, LanguageModel, Message, Parameters
from kgneo.llm.spending import Call, Spending
from kgneo.model import ModelUse
from kgneo.prompts import Prompts
from kgneo.tracing import note, span

TABLE_2 = Parameters(max_tokens=256, temperature=0.3, top_k=40, min_p=0.05)
"""How replies are drawn, KG-RAG table 2. Stages say where they differ."""
NEXT_TURN = ("\nQuestion:", "\n==========")
"""Strings that end an answer: a small model goes on with a question of its own, in the prompt's form."""
LONGEST_LIST = 2_000
"""Tokens of a reply that lists names, at most; a reply may always have what its stage gives it."""
SEPARATING_TOKENS = 32
MESSAGE_TOKENS = 8
"""What a chat template adds to a message, at most a few tokens."""
NO_MODEL_HINT = (
    "Name one with --llm or KGNEO_LLM: smollm2, mistral-7b, llama:PATH.gguf, transformers:MODEL, openai:MODEL (with "
    "--llm-url) or scripted:FILE; "
    "or use --strategy paths, which needs none."
)


@dataclass
class ModelCalls:
    """A language model at work on one question. `warnings` gets what went wrong and was helped, `use` what it cost."""

    model: LanguageModel
    prompts: Prompts
    clock: Clock
    seed: int | None = None
    timeout: float = 120.0
    max_calls: int | None = None
    max_tokens: int | None = None
    options: Options = field(default_factory=Options)
    spending: Spending | None = None
    warnings: list[str] = field(default_factory=list)
    use: ModelUse = field(init=False)

    def __post_init__(self) -> None:
        self.use = ModelUse(self.model.name, evaluated_tokens=0)

    @classmethod
    def of(cls, context: Context, clock: Clock, *, strategy: str) -> ModelCalls:
        """For one question. Raises UsageError when the context has no language model."""
        if context.model is None:
            raise UsageError(f"The strategy {strategy!r} needs a language model, and none is set.", hint=NO_MODEL_HINT)
        options = context.options
        bounds = (options.seed, options.llm_timeout, options.max_calls, options.max_tokens)
        return cls(context.model, context.prompts, clock, *bounds, options, context.spending)

    def complete(
        self,
        prompt: str,
        parameters: Parameters,
        on_text: Callable[[str], None] | None = None,
        **variables: str,
    ) -> Completion:
        """The reply to the prompt of that name. Raises ModelError, ContextOverflow and BudgetSpent among them;
        DataError for a variable that is not given."""
        messages = self.prompts.messages(prompt, **variables)
        parameters = replace(parameters, stage=prompt, seed=self._seed_of(messages), timeout=self.timeout)
        if not self.model.supports_grammar:
            parameters = replace(parameters, grammar=None)
        parameters = self._affordable(prompt, messages, parameters)
        with self.clock.stage(prompt), span("model", {"gen_ai.request.model": self.model.name}):
            completion = self.model.complete(messages, parameters, on_text=_ended_with(on_text))
            used = {"input": completion.prompt_tokens, "output": completion.completion_tokens}
            note({f"gen_ai.usage.{kind}_tokens": number for kind, number in used.items()})
        read, written, price = completion.prompt_tokens, completion.completion_tokens, self.options.price
        paid = 0.0 if completion.cached else price.of(read, written) if price else None
        use = ModelUse(self.model.name, 1, read, written, completion.evaluated_tokens, paid if price else None)
        self.use += use
        if self.spending is not None and not completion.cached:
            self.spending.add(self.options.user, use)
        return completion

    def listing(self, parameters: Parameters, names: Iterable[str]) -> Parameters:
        """The same with room in the reply to list all of `names`, within a quarter of the model's context."""
        listed = self.model.count_tokens("; ".join(dict.fromkeys(names))) + SEPARATING_TOKENS
        context = self.model.context_tokens
        most = LONGEST_LIST if context is None else min(LONGEST_LIST, context // 4)
        return replace(parameters, max_tokens=max(parameters.max_tokens, min(listed, most)))

    def _seed_of(self, messages: Sequence[Message]) -> int | None:
        """A seed of this prompt's own. With one for all prompts the same chance decides every question: a model that
        does something for 85 of 100 questions seems to do it for all of them, or for none."""
        if self.seed is None:
            return None
        return zlib.crc32("\0".join((str(self.seed), *(message.content for message in messages))).encode()) >> 1

    def _affordable(self, prompt: str, messages: Sequence[Message], parameters: Parameters) -> Parameters:
        """The parameters with a reply as long as the budget allows. Raises BudgetSpent where it allows none."""
        if self.max_calls is not None and self.use.calls >= self.max_calls:
            raise BudgetSpent(f"The budget of {self.max_calls} calls is used up before the stage {prompt!r}.")
        if self.max_tokens is None and self.options.max_cost is None and self.spending is None:
            return parameters
        asked = sum(self.model.count_tokens(message.content) for message in messages)
        self._check_money(prompt, asked, parameters.max_tokens)
        if self.max_tokens is None:
            return parameters
        left = self.max_tokens - self.use.prompt_tokens - self.use.completion_tokens - asked
        if left < 1:
            raise BudgetSpent(f"The budget of {self.max_tokens:,} tokens is used up before the stage {prompt!r}.")
        return replace(parameters, max_tokens=min(parameters.max_tokens, left))

    def _check_money(self, prompt: str, asked: int, written: int) -> None:
        """Nothing where a call stays within what the question may cost, and its user may spend on a day. Raises
        BudgetSpent."""
        options = self.options
        call = Call(asked, options.price.of(asked, written) if options.price else 0.0)
        paid = self.use.cost or 0.0
        if options.max_cost is not None and paid + call.cost > options.max_cost:
            raise BudgetSpent(
                f"The budget of {options.max_cost:g} is used up before the stage {prompt!r}: {paid:.4f} was spent, and "
                f"the call may cost {call.cost:.4f}."
            )
        if self.spending is not None:
            self.spending.check(options.user, call, tokens=options.day_tokens, cost=options.day_cost)

    def room(self, prompt: str, parameters: Parameters, **variables: str) -> int | None:
        """Tokens that are left for the other variables beside a reply; None where the context is not known."""
        if self.model.context_tokens is None:
            return None
        empty = dict.fromkeys(self.prompts.variables(prompt), "")
        messages = self.prompts.messages(prompt, **(empty | variables))
        used = sum(self.model.count_tokens(message.content) + MESSAGE_TOKENS for message in messages)
        reply = min(parameters.max_tokens, self.model.context_tokens // 4)
        return max(0, self.model.context_tokens - reply - used)

    def warn(self, text: str) -> None:
        """Say once what was helped."""
        if text not in self.warnings:
            self.warnings.append(text)


def _ended_with(on_text: Callable[[str], None] | None) -> Callable[[str], None] | None:
    """What gets the pieces of a reply; within a work that was ended, it ends the call."""
    work = current_work()
    if work is None:
        return on_text

    def tell(text: str) -> None:
        work.check()
        if on_text is not None:
            on_text(text)

    work.check()
    return tell
