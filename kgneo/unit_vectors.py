"""Vectors at length 1, whose products are cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Vectors at length 1, one a row (or a single one), in their own precision; a vector of zeros stays one."""
    found: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return found
