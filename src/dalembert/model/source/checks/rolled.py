"""Rolled C beside the recursions over floats: its tables and loops share no text with them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.kernel.backends.c.header import CSource
from dalembert.kernel.backends.c.names import identifier
from dalembert.mechanism import Mechanism
from dalembert.model.source.checks.points import Sample
from dalembert.model.source.checks.runs import Numbers, Run
from dalembert.reader.code.c import CProgram, array, c_program
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import Columns, forward_kinematics, frame_pose, jacobian
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree

ROUNDING = {"float64": 1e-11, "float32": 2e-4}
"""Error of the loops, as part of the largest number, for each type."""

MAX_LINKS = 5
"""Links whose Jacobians are compared."""

MAX_BODIES = 100
"""Links above which loops over pairs of joints are left out, and one configuration is enough."""

PAIRS = ("mass_matrix", "forward_dynamics")
"""Functions with such loops; their tables are those of the others."""


def rolled_samples(
    made: CSource,
    mechanism: Mechanism,
    functions: Sequence[str],
    prefix: str,
    configurations: Sequence[Sequence[float]],
) -> Iterator[tuple[str, Run, list[Sample]]]:
    """Yield each function with how it is run, and points with its true values."""
    text = c_program(made.source, {f"{made.stem}.h": made.header})
    tree = Tree.of(mechanism).map(float)
    dtype = "float32" if "const float" in made.header else "float64"
    rng = random.Random(mechanism.name)
    links = [link.name for link in mechanism.links]
    chosen = rng.sample(range(len(links)), min(MAX_LINKS, len(links)))
    is_long = len(links) > MAX_BODIES
    for name in functions:
        if is_long and name in PAIRS:
            continue
        numbers = chosen if name == "jacobian" else [None]
        for link in numbers:
            points = []
            for q in configurations[:1] if is_long else configurations:
                v, a = ([rng.uniform(-1, 1) for _ in range(tree.nv)] for _ in range(2))
                points.append(_sample(tree, links, name, link, [float(x) for x in q], v, a, dtype))
            yield name, _run(text, identifier(f"{prefix}_{name}"), link, points[0]), points


def _run(text: CProgram, name: str, link: int | None, like: Sample) -> Run:
    """Return the function of the text; the number of a link stands between inputs and outputs."""

    def run(inputs: Numbers) -> Numbers:
        outputs = [array([np.nan] * len(x)) for x in like.truth]
        text.run(name, *map(array, inputs), *([] if link is None else [link]), *outputs)
        return [x.array.cells for x in outputs]

    return run


def _sample(
    tree: Tree,
    links: Sequence[str],
    name: str,
    link: int | None,
    q: list[float],
    v: list[float],
    a: list[float],
    dtype: str,
) -> Sample:
    """Return the true values of a function."""
    zero = [0.0] * tree.nv
    inputs, truth = [q], []
    match name:
        case "inverse_dynamics":
            inputs, truth = [q, v, a], [inverse_dynamics(tree, q, v, a)]
        case "bias":
            inputs, truth = [q, v], [inverse_dynamics(tree, q, v, zero)]
        case "gravity":
            truth = [inverse_dynamics(tree, q, zero, zero)]
        case "mass_matrix":
            truth = [[x for row in mass_matrix(tree, q) for x in row]]
        case "forward_dynamics":
            rest = np.array(a) - np.array(inverse_dynamics(tree, q, v, zero), float)
            truth = [np.linalg.solve(np.array(mass_matrix(tree, q), float), rest)]
            inputs = [q, v, a]
        case "passive_forces":
            inputs, truth = [q, v], [passive_forces(tree, q, v)]
        case "forward_kinematics":
            X_W = forward_kinematics(tree, q)
            poses = [frame_pose(tree, X_W, x) for x in links]
            truth = [
                [x for pose in poses for row in pose.R for x in row],
                [x for pose in poses for x in pose.p],
            ]
        case "jacobian" if link is not None:
            truth = [_rows(jacobian(tree, q, links[link]))]
    numbers = [[float(x) for x in part] for part in truth]
    largest = max((abs(x) for part in numbers for x in part), default=0.0)
    return Sample(inputs, numbers, [ROUNDING[dtype] * largest / 64] * len(numbers), largest)


def _rows(J: Columns) -> list[float]:
    """Return J row by row: three linear rows, then three angular ones."""
    return [float([*u, *w][i]) for i in range(6) for u, w in J]
