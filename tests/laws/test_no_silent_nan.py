"""Whatever a numerical function is given, it returns finite numbers or raises one of our errors.

The functions are found by their signatures, so that a new one is tried without an edit here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.model.functions import Functions
from tests.cases import num_cases
from tests.figures import Figures

POSITIONS = ("q", "start", "end")
"""Names of inputs with nq numbers."""
VELOCITIES = ("qd", "qdd", "tau", "v")
"""Names of inputs with nv numbers."""
SPOILT: dict[str, Callable[[np.ndarray], Any]] = {
    "NaN": lambda x: np.full_like(x, np.nan),
    "one NaN": lambda x: _with(x, np.nan),
    "infinite": lambda x: _with(x, np.inf),
    "minus infinite": lambda x: _with(x, -np.inf),
    "zero": np.zeros_like,
    "denormal": lambda x: _with(np.zeros_like(x), 5e-324),
    "huge": lambda x: _with(x, 1e300),
    "all huge": lambda x: np.full_like(x, -1e200),
    "too long": lambda x: np.append(x, 1.0),
    "too short": lambda x: x[..., :-1],
    "a matrix of batches": lambda x: np.zeros((2, 3, 5, x.size)),
    "complex": lambda x: x + 1j,
    "text": lambda x: ["one"] * x.size,
    "nothing": lambda x: None,
    "objects": lambda x: np.array([object()] * x.size, dtype=object),
    "single precision": lambda x: x.astype(np.float32),
    "whole numbers": lambda x: x.astype(int),
    "a batch with one NaN": lambda x: np.stack([x, _with(x, np.nan), x]),
    "strided": lambda x: np.stack([x, x], axis=-1)[..., 0],
    "an empty batch": lambda x: np.zeros((0, x.size)),
}


def _with(x: np.ndarray, value: float) -> np.ndarray:
    """Return a copy whose middle entry is the value."""
    y = np.array(x, dtype=float)
    y[y.size // 2] = value
    return y


def _arm() -> da.Mechanism:
    return da.textbook.robots.panda()


def _floating() -> da.Mechanism:
    builder = da.Builder("floating")
    builder.link("body", mass=2, inertia=(0.1, 0.2, 0.25)).link("arm", mass=1, com=(0.2, 0, 0))
    return builder.floating("base", "body").revolute("hinge", "arm", axis="y").build()


def _loop() -> da.Mechanism:
    return da.textbook.robots.four_bar()


MODELS = {"arm": _arm, "floating": _floating, "loop": _loop}


def compiled(name: str) -> da.Model:
    """Return a model whose symbols have numbers."""
    mechanism = MODELS[name]()
    free = {x: 1 + k / 7 for k, x in enumerate(da.compile(mechanism).symbols.parameters)}
    return da.compile(mechanism, parameters=free)


def callables(model: da.Model) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Yield every function of the state, with good values for what it needs."""
    rng = np.random.default_rng(8)
    good: dict[str, Any] = {name: np.array(model.configuration.neutral) for name in POSITIONS}
    good |= {name: rng.normal(size=model.nv) for name in VELOCITIES}
    good["frame"] = model.mechanism.links[-1].name
    for owner, kind in ((model, Functions), (model.configuration, type(model.configuration))):
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if name.startswith("_"):
                continue
            parameters = list(inspect.signature(member).parameters.values())[1:]
            needed = [p.name for p in parameters if p.default is inspect.Parameter.empty]
            if needed and all(x in good for x in needed):
                yield name, getattr(owner, name), {x: good[x] for x in needed}
    q, v, target = good["q"], good["qd"], np.eye(4)
    yield "simulate", lambda q, qd: _arrays(da.simulate(model, q, qd, 1e-3)), {"q": q, "qd": v}
    yield "solve_ik", lambda q: da.solve_ik(model, target, q0=q).q, {"q": q}


def _arrays(motion: da.Trajectory) -> list[np.ndarray]:
    return [motion.t, motion.q, motion.qd]


def numbers(result: Any) -> list[np.ndarray]:
    """Return all arrays of a result."""
    if isinstance(result, dict):
        return [x for value in result.values() for x in numbers(value)]
    if isinstance(result, tuple | list):
        return [x for value in result for x in numbers(value)]
    return [np.asarray(result)]


@pytest.mark.parametrize("name", MODELS)
def test_finite_numbers_or_our_error(name: str, scale: float, figures: Figures) -> None:
    model = compiled(name)
    calls = refused = 0
    for function, call, good in callables(model):
        try:
            call(**good)
        except DalembertError:
            # this model has no such function
            continue
        for argument, value in good.items():
            if isinstance(value, str):
                continue
            for kind, spoil in SPOILT.items():
                calls += 1
                try:
                    with np.errstate(all="ignore"):
                        result = call(**{**good, argument: spoil(value)})
                except DalembertError:
                    refused += 1
                    continue
                for x in numbers(result):
                    assert x.dtype.kind in "fiub", (function, argument, kind)
                    assert np.isfinite(x).all(), (function, argument, kind)
    figures.count("calls", calls)
    figures.count("refused", refused)
    figures.count("silent NaN", 0)
    assert calls >= num_cases(400, min(scale, 1.0))
    assert 0 < refused < calls
