"""λ means the same in the exact equations and in compiled models, row by row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import Matrix
from dalembert.mechanism import Coupling
from dalembert.recursions.constraints.loops import loop_error, loop_jacobian
from dalembert.recursions.tree import Tree
from dalembert.textbook import robots

# rounding, times the condition of the linkages
TOLERANCE = 1e-8
CLOSED = 1e-13
PLANAR = {"four_bar": 2, "five_bar": 2, "slider_crank": 2, "pantograph": 2}


def welded_square(kind: str = "frame") -> da.Mechanism:
    """Return four hinges in a plane whose last link is welded to the ground."""
    builder = da.Builder("square", gravity=(0.3, -9.81, 0))
    for i, side in enumerate((1.0, 0.8, 1.1, 0.7)):
        inertia = (0.01, side**2 / 12, side**2 / 12)
        builder.link(f"rod{i}", mass=1 + i, com=(side / 2, 0, 0), inertia=inertia)
        builder.revolute(f"hinge{i}", f"rod{i}", origin=(0.9 if i else 0, 0, 0))
    return builder.loop(
        "weld", ("rod3", (0.5, 0.1, 0)), ("world", (0.4, 0.2, 0)), kind=kind
    ).build()


def welded_arm() -> da.Mechanism:
    """Return an arm of seven skew hinges whose tip is welded to the ground."""
    builder = da.Builder("ring")
    for i, axis in enumerate("zxyzyxz"):
        builder.link(f"rod{i}", mass=1, com=(0.1, 0.2, 0), inertia=(0.02, 0.03, 0.04))
        builder.revolute(
            f"hinge{i}", f"rod{i}", axis=axis, origin=(0.1, 0.3, 0.2) if i else (0,) * 3
        )
    return builder.loop(
        "weld", ("rod6", (0, 0, 0)), ("world", (0.4, 1.2, 0.9)), kind="frame"
    ).build()


def bound(name: str, rng: np.random.Generator) -> da.Mechanism:
    mechanism = getattr(robots, name)()
    return mechanism.bind({x: round(float(rng.uniform(0.9, 1.1)), 3) for x in mechanism.parameters})


def closed_state(model: da.Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a random state in which all constraints hold, by Newton's method."""
    for _ in range(50):
        q = rng.uniform(-1.5, 1.5, size=model.nq)
        for _ in range(60):
            A, error = model.constraint_jacobian(q), model.constraint_error(q)
            step = np.linalg.lstsq(A, -error, rcond=1e-9)[0]
            q = q + step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        if np.abs(model.constraint_error(q)).max() < CLOSED:
            A = model.constraint_jacobian(q)
            _, s, Vt = np.linalg.svd(A)
            free = Vt[np.count_nonzero(s > 1e-7 * s[0]) :]
            return q, free.T @ rng.normal(size=len(free))
    raise AssertionError("no closed configuration found")


@pytest.mark.parametrize(
    "name", [*PLANAR, "bennett_linkage", "welded_square", "welded_point", "welded_arm"]
)
def test_exact_equations_and_the_model_have_the_same_multipliers(
    name: str, rng: np.random.Generator
) -> None:
    made = {
        "welded_square": welded_square,
        "welded_point": lambda: welded_square("point"),
        "welded_arm": welded_arm,
    }
    mechanism = made[name]() if name in made else bound(name, rng)
    model = da.compile(mechanism, "numpy")
    system = mechanism.system()
    q, v = closed_state(model, rng)
    tau = rng.normal(size=model.nv)
    qdd, lam = model.constraint_dynamics(q, v, tau)
    assert len(system.constraints) == len(lam) == len(model.constraint_error(q))
    # A and Ȧ q̇ of the exact constraints, at this state those of the model
    at = dict(zip((*system.coordinates, *system.velocities), (*q, *v), strict=True))
    A = Matrix([[c.diff(x) for x in system.coordinates] for c in system.constraints]).evaluate(at)
    assert pytest.approx(A, abs=TOLERANCE) == model.constraint_jacobian(q)
    at |= dict.fromkeys(system.accelerations, 0.0)
    bias = Matrix.column([da.ddt(da.ddt(c)) for c in system.constraints]).evaluate(at)[:, 0]
    assert bias == pytest.approx(model.constraint_bias(q, v), abs=TOLERANCE)
    if name == "welded_arm":
        return
    # and so of the equations: M q̈ + C q̇ + N = Υ + Aᵀ λ
    eq = mechanism.equations()
    assert len(eq.lam) == len(lam)
    inputs = dict(
        zip(da.inputs(" ".join(f"tau{i + 1}" for i in range(model.nv))), tau, strict=True)
    )
    values = {**at, **inputs, **dict(zip(eq.lam, lam, strict=True))}
    values |= dict(zip(system.accelerations, qdd, strict=True))
    residual = eq.residual.evaluate(values)
    assert np.abs(residual).max() <= TOLERANCE * max(1.0, np.abs(lam).max())


@pytest.mark.parametrize("name", [*PLANAR, "stewart_platform", "delta_robot", "bennett_linkage"])
def test_the_count_is_that_of_the_rows(name: str, rng: np.random.Generator) -> None:
    mechanism = bound(name, rng)
    rows = Tree.of(mechanism).constraint_rows
    assert len(rows) == PLANAR.get(name, 3 * len(mechanism.loops))
    # angles instead of quaternions have the same loops
    assert len(mechanism.with_euler_angles().system().constraints) == len(rows)
    q = da.compile(mechanism, "numpy").configuration.neutral
    assert len(loop_error(Tree.of(mechanism).map(float), list(q))) == len(rows)


def test_rows_are_decided_before_numbers_are_rounded() -> None:
    tree = Tree.of(welded_square())
    assert [row.name for row in tree.constraint_rows] == [
        "loop weld x",
        "loop weld y",
        "loop weld turn z",
    ]
    assert tree.map(float).constraint_rows == tree.constraint_rows


def test_couplings_behind_a_quaternion_read_their_own_position(rng: np.random.Generator) -> None:
    builder = da.Builder("gear").link("body", mass=1, inertia=(1, 1, 1)).floating("free", "body")
    for name in "ab":
        builder.link(name, mass=1, inertia=(1, 1, 1))
        builder.revolute(f"j{name}", name, parent="body", origin=(1, 0, 0))
    builder.couplings.append(Coupling.of("pair", "ja", "jb", (Fraction(1, 2), 2, 3)))
    mechanism = builder.build()
    tree = Tree.of(mechanism).map(float)
    q = [0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.7, 0.4]
    (error,) = loop_error(tree, q)
    (row,) = loop_jacobian(tree, q)
    a, b = 7, 8
    assert error == pytest.approx(q[a] - (0.5 + 2 * q[b] + 3 * q[b] ** 2))
    assert row[6:] == pytest.approx([1, -(2 + 6 * q[b])])
