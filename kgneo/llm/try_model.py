"""The program of the child process of `kgneo.llm.trial`: loads a model, reads a prompt, draws two tokens.

The one argument is a `Trial` as JSON. On standard output comes `null`, or the ModelError that was raised.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kgneo.errors import ModelError
from kgneo.llm.llama import LlamaModel
from kgneo.llm.protocol import Message, Parameters
from kgneo.llm.trial import Trial

PROMPT = "Which of these names is a river: " + ", ".join(["Danube", "Vienna", "Blue", "Seven"] * 8)
"""Long enough to be read as a batch, which is computed in another way than single tokens."""


def main(argument: str) -> str:
    """`null`, or the error as JSON: whether trying again can help, its message and hint."""
    trial = Trial(**json.loads(argument))
    try:
        model = LlamaModel(
            Path(trial.path),
            adapter=Path(trial.adapter) if trial.adapter else None,
            gpu_layers=trial.gpu_layers,
            context=trial.context,
            repacked=trial.repacked,
        )
        # As many tokens as fit: what counts is that they are computed.
        prompt = PROMPT[: model.context_tokens // 2]
        model.complete([Message("user", prompt)], Parameters(max_tokens=2, temperature=0, timeout=3600))
    except ModelError as error:
        return json.dumps({"retry": error.retry, "message": error.message, "hint": error.hint})
    return "null"


if __name__ == "__main__":
    print(main(sys.argv[1]))
