"""Language models: one protocol, three kinds of backend, chosen by a short text.

    llama:PATH.gguf, llama:REPO/FILE.gguf, mistral-7b     in process, through llama-cpp-python
    openai:MODEL                                          any OpenAI-compatible address
    scripted:FILE                                         replies from a file, to test prompts

`load_model` is the only door; nothing outside this package knows which backend it got.
"""

from kgneo.llm.factory import load_model
from kgneo.llm.protocol import Completion, LanguageModel, Message, Parameters
from kgneo.llm.scripted import ScriptedModel, ScriptRecord

__all__ = [
    "Completion",
    "LanguageModel",
    "Message",
    "Parameters",
    "ScriptRecord",
    "ScriptedModel",
    "load_model",
]
