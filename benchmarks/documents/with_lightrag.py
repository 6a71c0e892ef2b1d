"""The world by LightRAG with Neo4j as its graph, in an environment of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.documents.world import DOCUMENTS, SIZE, said, text_of, vector_of

REQUIREMENTS = ("lightrag-hku>=1.5,<1.6", "neo4j>=6,<7")
ROOT = Path(__file__).resolve().parent.parent.parent

BETWEEN, END = "<|#|>", "<|COMPLETE|>"


class Letters:
    """A tokenizer whose tokens are letters: others are fetched when they are first needed."""

    def encode(self, content: str) -> list[int]:
        """The code points."""
        return [ord(letter) for letter in content]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text."""
        return "".join(map(chr, tokens))


async def reply(prompt: str, system_prompt: str | None = None, history_messages: Any = (), **_: Any) -> str:  # noqa: ARG001
    """The things and facts of the text in a prompt, a line each."""
    if "---Input Text---" not in prompt or history_messages:
        return END
    things, facts = said(prompt.rpartition("---Input Text---")[2])
    rows = [("entity", item.name, item.kind.lower(), item.description) for item in things]
    rows += [("relation", item.subject, item.object, item.keywords, item.sentence) for item in facts]  # type: ignore[misc]
    return "\n".join([*(BETWEEN.join(row) for row in rows), END])


async def embed(texts: Sequence[str], **_: Any) -> NDArray[np.float64]:
    """A vector for each text."""
    return np.array([vector_of(text) for text in texts])


async def _build() -> None:
    from lightrag import LightRAG
    from lightrag.utils import EmbeddingFunc, Tokenizer

    with tempfile.TemporaryDirectory() as place:
        rag = LightRAG(
            working_dir=place,
            graph_storage="Neo4JStorage",
            llm_model_func=reply,
            tokenizer=Tokenizer("letters", Letters()),
            embedding_func=EmbeddingFunc(embedding_dim=SIZE, func=embed, max_token_size=8192),
            chunk_token_size=4000,
            chunk_overlap_token_size=0,
        )
        await rag.initialize_storages()
        for name in DOCUMENTS:
            await rag.ainsert(text_of(name), file_paths=name)
        await rag.finalize_storages()


def environment() -> Path:
    """The Python of a virtual environment with LightRAG, which is made once. LightRAG brings pandas, which Neo4j's
    driver imports wherever it is: no process of kgneo's is to have it for that. Raises CalledProcessError."""
    from filelock import FileLock

    from kgneo.folders import cache_folder

    folder = cache_folder() / "benchmarks" / "lightrag"
    python, made = folder / "bin" / "python", folder / "made"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not made.exists():
            uv = Path(sys.executable).with_name("uv")
            subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True)
            subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *REQUIREMENTS], check=True)
            made.touch()
    return python


def build(uri: str, user: str, password: str) -> None:
    """Build the world in an empty database. Raises CalledProcessError."""
    address = {"NEO4J_URI": uri, "NEO4J_USERNAME": user, "NEO4J_PASSWORD": password}
    script = [str(environment()), "-m", "benchmarks.documents.with_lightrag"]
    subprocess.run(script, env={**os.environ, **address}, cwd=ROOT, check=True, capture_output=True)


if __name__ == "__main__":
    asyncio.run(_build())
