"""A few letters that stand for an array."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.types import Array

LETTERS = 16


def array_digest(x: Array) -> str:
    """Return letters that differ for arrays of other values, shape or type.

    >>> import numpy as np
    >>> array_digest(np.zeros(3)) == array_digest(np.zeros((3, 1)))
    False
    """
    # the same letters whatever the order of bytes of the machine
    plain = np.ascontiguousarray(x, x.dtype.newbyteorder("<"))
    found = hashlib.sha256(f"{plain.dtype.str} {plain.shape} ".encode())
    found.update(plain.tobytes() if plain.dtype.kind == "U" else plain.data.cast("B"))
    return found.hexdigest()[:LETTERS]
