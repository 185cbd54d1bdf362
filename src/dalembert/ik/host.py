"""A model on a GPU: the iteration runs there, all else on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.model import Model

PROCESSOR = ("llvm", "c", "numpy")
DEFAULT = "llvm"


def host_model(model: Model) -> Model:
    """Return the model itself, or its twin whose functions take and return arrays of NumPy."""
    if model.backend in PROCESSOR:
        return model
    # kept with the model, to live as long as it does
    known: dict[str, Model] = vars(model).setdefault("_ik_host", {})
    if DEFAULT not in known:
        known[DEFAULT] = Model(model.description, model.formulas, DEFAULT, {})
    return known[DEFAULT]


def on_host(x: Any) -> np.ndarray:
    """Return an array of NumPy; one on a GPU is copied."""
    return x.get() if hasattr(x, "get") else np.asarray(x)
