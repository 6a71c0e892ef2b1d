"""What goes wrong around kgneo: files that are broken, processes that are killed, connections that are cut.

`make test` runs a part of it, drawn with `SEED`; `make faults` runs all of it. KGNEO_FAULTS_SEED draws another part.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

SEED = int(os.environ.get("KGNEO_FAULTS_SEED", "38"))
ALL = os.environ.get("KGNEO_FAULTS") == "all"
Case = TypeVar("Case")


def drawn(cases: Sequence[Case], number: int) -> list[Case]:
    """So many of the cases, the same ones for one seed; all of them where all are asked for."""
    chosen = random.Random(SEED)  # noqa: S311
    return list(cases) if ALL else chosen.sample(list(cases), min(number, len(cases)))
