"""A study written down in TOML: a robot, what is computed of it, and how its numbers spread.

docs/sweeps.md has the keys. Nothing in a file is executed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.cli.find import find
from dalembert.errors import EvaluationError, nearest
from dalembert.expr import symbol_text
from dalembert.files import read_regular
from dalembert.model import Model, compile

if TYPE_CHECKING:
    from dalembert.studies import Points, Rows
    from dalembert.types import Array

MAX_BYTES = 1 << 20
KEYS = ("robot", "compute", "points", "rows", "seed", "step", "steps", "values", "spread")
COMPUTE = {"rollout": ("q", "qd"), "torque": ("q", "qd", "qdd")}
"""What can be computed, with the states that may spread."""
POINTS = {
    "grid": "Grid",
    "random": "Random",
    "latin_hypercube": "LatinHypercube",
    "sobol": "Sobol",
}


@dataclass(frozen=True)
class StudyFile:
    """What a file describes: a function of rows, its points and the seed."""

    function: Computation
    points: Points
    seed: int


@dataclass(frozen=True)
class Computation:
    """Rollouts or torques of a model; states that do not spread are those of the start."""

    model: Model
    kind: str
    start: tuple[tuple[float, ...], ...]
    step: float
    steps: int

    def __call__(self, rows: Rows) -> Mapping[str, Array]:
        """Return the states at the end of motions without forces, or the torques of states."""
        states = COMPUTE["torque"]
        values = {name: rows[name] for name in rows.names if name not in states}
        start = dict(zip(states, self.start, strict=True))
        q, qd, qdd = (start | {name: rows[name] for name in states if name in rows}).values()
        if self.kind == "torque":
            return {"tau": self.model.inverse_dynamics(q, qd, qdd, parameters=values or None)}
        from dalembert.simulation import RK4, rollout

        runs = rollout(
            self.model, q, qd, self.steps, method=RK4(self.step), parameters=values, record=None
        )
        return {"q_end": runs.q[..., -1, :], "qd_end": runs.qd[..., -1, :]}


def read_study(path: str) -> StudyFile:
    """Return the study that a .toml file describes.

    Raises:
        FileError: the file cannot be read.
        EvaluationError: it is wrong; the message names the file and the key.
    """
    try:
        data = tomllib.loads(read_regular(path, MAX_BYTES).decode("utf-8-sig"))
        return _study(data)
    except (ValueError, RecursionError) as error:
        raise EvaluationError(f"{path}: expected a study in TOML, got: {error}") from None
    except EvaluationError as error:
        raise EvaluationError(f"{path}: {error}") from None


def _study(data: dict[str, Any]) -> StudyFile:
    for key in data:
        _known(key, KEYS, "a key")
    kind = _known(_text(data, "compute", "rollout"), COMPUTE, "compute =")
    spread = _spread(data)
    model, start = _model(data, spread, kind)
    steps, step = data.get("steps", 1000), data.get("step", 1e-3)
    if not isinstance(steps, int) or steps < 1 or not isinstance(step, int | float):
        raise EvaluationError(f"expected steps and step as numbers, got {steps!r} and {step!r}")
    function = Computation(model, kind, start, float(step), steps)
    seed = data.get("seed", 0)
    return StudyFile(function, _points(data, _whole(spread, model)), seed)


def _model(
    data: dict[str, Any], spread: Mapping[str, Any], kind: str
) -> tuple[Model, tuple[tuple[float, ...], ...]]:
    """Return the model, in which parameters that spread stay inputs, and the state at the start."""
    values = data.get("values", {})
    if not isinstance(values, dict):
        raise EvaluationError(f"expected [values] with numbers by name, got {values!r}")
    subject = find(_text(data, "robot", None)).with_values(values)
    parameters = {symbol_text(x): x for x in subject.description.parameters}
    for name in spread:
        _known(name, [*COMPUTE[kind], *parameters], "a state or parameter in [spread]")
    known = {x: v for x, v in subject.values.items() if symbol_text(x) not in spread}
    missing = [name for name, x in parameters.items() if x not in known and name not in spread]
    if missing:
        raise EvaluationError(
            f"expected a value or a spread of every parameter, got none of {', '.join(missing[:8])}"
        )
    fixed = {x: known[x] for x in parameters.values() if x in known}
    model = compile(subject.description, parameters=fixed)
    q, qd = subject.start(model)
    rest = (0.0,) * model.nv
    return model, (tuple(map(float, q)), tuple(map(float, qd)), rest)


def _spread(data: dict[str, Any]) -> dict[str, Any]:
    spread = data.get("spread")
    if not isinstance(spread, dict) or not spread:
        raise EvaluationError("expected a table [spread] with ranges by name, got none")
    return spread


def _whole(spread: Mapping[str, Any], model: Model) -> dict[str, Any]:
    """Return the spreads; numbers for a state are those of all of its joints."""
    import numpy as np

    sizes = {"q": model.nq, "qd": model.nv, "qdd": model.nv}
    found = dict(spread)
    for name in sizes.keys() & found.keys():
        try:
            ends = [np.broadcast_to(np.asarray(x, float), (sizes[name],)) for x in found[name]]
        except (TypeError, ValueError):
            raise EvaluationError(
                f"expected numbers, or lists of {sizes[name]}, as spread of {name}, got "
                f"{str(found[name])[:80]}"
            ) from None
        found[name] = tuple(ends)
    return found


def _points(data: dict[str, Any], spread: Mapping[str, Any]) -> Points:
    from dalembert import studies

    kind = _known(_text(data, "points", "latin_hypercube"), POINTS, "points =")
    if kind == "grid":
        return studies.Grid({name: list(x) for name, x in spread.items()})
    ranges = {name: tuple(x) if isinstance(x, list) else x for name, x in spread.items()}
    return getattr(studies, POINTS[kind])(ranges, data.get("rows", 1024))


def _text(data: dict[str, Any], key: str, default: str | None) -> str:
    found = data.get(key, default)
    if not isinstance(found, str):
        raise EvaluationError(f"expected {key} as text, got {found!r}")
    return found


def _known(name: str, known: Any, what: str) -> str:
    if name not in known:
        raise EvaluationError(f"expected {what}, got {name[:40]!r}: {nearest(name, known)}")
    return name


def default_folder(path: str) -> Path:
    """Return where a study is kept when nobody says: beside its file."""
    return Path(path).with_suffix(".study")
