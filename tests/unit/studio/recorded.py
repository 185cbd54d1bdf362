"""A scene that draws nothing, for what is put into one."""

from __future__ import annotations

from typing import Any

import numpy as np


class Handle:
    """What a scene gives for a part: whatever is set on it stays."""

    visible, position, scale, wxyz = True, np.zeros(3), (1.0, 1.0, 1.0), np.array([1.0, 0, 0, 0])


class Recorded:
    """A scene that draws nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: Handle()
