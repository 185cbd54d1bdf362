"""Bad input: each gets one line that names the culprit and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import dalembert as da

x, y, z, q = da.coordinates("x y z q")
m, k, g, l = da.parameters("m k g l")
(F,) = da.inputs("F")
(mu,) = da.multipliers("mu")
T = m * (x.dot**2 + y.dot**2) / 2
Rz = da.rotation_z(q)


def plane(**options: Any) -> da.System:
    """Return a particle in the plane with other options."""
    return da.System(**({"kinetic": T, "coordinates": [x, y]} | options))


def massless() -> da.Equations:
    """Return equations in which y has no inertia."""
    system = da.System(kinetic=m * x.dot**2 / 2, potential=k * y**2, coordinates=[x, y])
    with pytest.warns(UserWarning, match="none along y"):
        return system.equations()


STATES = {m: 1.0, k: 1.0, x: 0.0, y: 1.0, x.dot: 0.0, y.dot: 0.0}

REFUSED: dict[str, tuple[Callable[[], Any], type[da.DalembertError], list[str]]] = {
    "unknown coordinate": (
        lambda: plane(coordinates=[x]),
        da.InvalidSystem,
        ["y.dot", "kinetic energy", "add y to coordinates="],
    ),
    "unknown coordinate in a force": (
        lambda: plane(forces=[F * q, 0]),
        da.InvalidSystem,
        ["got q", "forces", "add q to coordinates="],
    ),
    "unknown name close to a known one": (
        lambda: da.System(
            kinetic=da.coordinates("theta1")[0].dot ** 2 * da.coordinates("theta2")[0],
            coordinates=[*da.coordinates("theta1")],
        ),
        da.InvalidSystem,
        ["theta2", "did you mean theta1?"],
    ),
    "coordinate twice": (
        lambda: plane(coordinates=[x, y, x]),
        da.InvalidSystem,
        ["x twice", "remove one"],
    ),
    "no coordinates": (
        lambda: plane(coordinates=[]),
        da.InvalidSystem,
        ["at least one coordinate", "coordinates="],
    ),
    "coordinates not listed": (
        lambda: plane(coordinates=x),
        da.InvalidSystem,
        ["a list for coordinates=", "got x", "square brackets"],
    ),
    "rate as coordinate": (
        lambda: plane(coordinates=[x.dot, y]),
        da.InvalidSystem,
        ["ẋ", "da.coordinates", "not their rates"],
    ),
    "text that is no name as coordinate": (
        lambda: plane(coordinates=["x", "y + 1"]),
        da.InvalidExpression,
        ["symbol name", "y + 1"],
    ),
    "parameter as coordinate": (
        lambda: plane(coordinates=[m, x]),
        da.InvalidSystem,
        ["got m", "da.coordinates"],
    ),
    "too few forces": (
        lambda: plane(forces=[F]),
        da.InvalidSystem,
        ["2 coordinates (x, y)", "got 1", "use 0"],
    ),
    "too many forces": (
        lambda: plane(forces=[F, 0, 0]),
        da.InvalidSystem,
        ["2 coordinates (x, y)", "got 3"],
    ),
    "forces not listed": (
        lambda: plane(forces=F),
        da.InvalidSystem,
        ["a list for forces=", "got F"],
    ),
    "constraints not listed": (
        lambda: plane(constraints=x - 1),
        da.InvalidSystem,
        ["a list for constraints=", "x - 1"],
    ),
    "text as force": (lambda: plane(forces=["F", 0]), da.InvalidExpression, ["str", "F"]),
    "neither T nor L": (
        lambda: da.System(coordinates=[x]),
        da.InvalidSystem,
        ["kinetic=", "lagrangian=", "neither"],
    ),
    "both T and L": (
        lambda: plane(lagrangian=T),
        da.InvalidSystem,
        ["kinetic=", "lagrangian=", "both"],
    ),
    "L and V": (
        lambda: da.System(lagrangian=T, potential=k * x, coordinates=[x, y]),
        da.InvalidSystem,
        ["inside lagrangian=", "potential=", "drop one"],
    ),
    "velocity in V": (
        lambda: plane(potential=k * x.dot),
        da.InvalidSystem,
        ["potential energy", "x.dot", "lagrangian="],
    ),
    "acceleration in T": (
        lambda: plane(kinetic=T * x.ddot),
        da.InvalidSystem,
        ["kinetic energy", "x.ddot", "coordinates and velocities"],
    ),
    "acceleration in a force": (
        lambda: plane(forces=[x.ddot, 0]),
        da.InvalidSystem,
        ["forces", "x.ddot"],
    ),
    "input in T": (
        lambda: plane(kinetic=F * T),
        da.InvalidSystem,
        ["no input in the kinetic energy", "got F", "forces="],
    ),
    "input in a constraint": (
        lambda: plane(constraints=[x - F]),
        da.InvalidSystem,
        ["no input in the constraints", "got F"],
    ),
    "multiplier in a force": (
        lambda: plane(forces=[mu, 0]),
        da.InvalidSystem,
        ["no multiplier in the forces", "got mu", "from the constraints"],
    ),
    "velocity in a constraint": (
        lambda: plane(constraints=[x.dot]),
        da.InvalidSystem,
        ["constraints", "x.dot", "velocity_constraints="],
    ),
    "one name for two kinds": (
        lambda: plane(forces=[da.inputs("m")[0], 0]),
        da.InvalidSystem,
        ["one meaning", "m as parameter and as input", "rename one"],
    ),
    "coordinate and parameter of one name": (
        lambda: plane(kinetic=T * da.parameters("x")[0]),
        da.InvalidSystem,
        ["x as coordinate and as parameter", "rename one"],
    ),
    "a parameter named as a multiplier": (
        lambda: plane(kinetic=T * da.parameters("lam1")[0], constraints=[x - y]),
        da.InvalidSystem,
        ["lam1 as multiplier and as parameter", "rename one"],
    ),
    "quartic T": (
        lambda: plane(kinetic=T**2).equations(),
        da.InvalidSystem,
        ["quadratic in the velocities", "x.dot"],
    ),
    "T under a root": (
        lambda: plane(kinetic=da.sqrt(1 + x.dot**2)).equations(),
        da.InvalidSystem,
        ["quadratic in the velocities", "x.dot"],
    ),
    "division by zero": (
        lambda: plane(kinetic=T / 0),
        da.DivisionByZero,
        ["nonzero denominator", "got 0", "check the values"],
    ),
    "division by a hidden zero": (
        lambda: plane(kinetic=T / (da.sin(x) ** 2 + da.cos(x) ** 2 - 1)).equations(),
        da.DivisionByZero,
        ["nonzero denominator", "vanishes identically", "remove"],
    ),
    "NaN in T": (
        lambda: plane(kinetic=T * math.nan),
        da.InvalidExpression,
        ["finite number", "nan", "check the value"],
    ),
    "infinite V": (
        lambda: plane(potential=math.inf),
        da.InvalidExpression,
        ["finite number", "inf"],
    ),
    "NaN as mass": (
        lambda: da.Body(math.nan, (x, y)),
        da.InvalidExpression,
        ["finite number", "nan"],
    ),
    "NaN at a point": (
        lambda: plane().equations().solve(STATES | {m: math.nan}),
        da.EvaluationError,
        ["finite value for m", "nan", "remove"],
    ),
    "missing value": (
        lambda: plane().equations().solve({x: 0.0}),
        da.UnknownName,
        ["none for m", "add it"],
    ),
    # singular equations
    "no inertia, closed form": (
        lambda: massless().accelerations(),
        da.SingularSystem,
        ["inertia", "along y", "give it a mass"],
    ),
    "no inertia, at a point": (
        lambda: massless().solve(STATES),
        da.SingularSystem,
        ["inertia", "along y"],
    ),
    "no inertia, Hamilton": (
        lambda: massless().hamiltonian(),
        da.SingularSystem,
        ["inertia", "along y", "remove the coordinate"],
    ),
    # constraints
    "inconsistent constraints": (
        lambda: plane(constraints=[x, x - 1]).equations(),
        da.InvalidSystem,
        ["consistent", "number 2", "x - 1 = 0", "1 = 0", "correct or drop"],
    ),
    "constraints that need equal parameters": (
        lambda: plane(constraints=[x - l, x + y, y + k]).equations(),
        da.InvalidSystem,
        ["consistent", "number 3", "demands", "k", "l"],
    ),
    "inconsistent even when redundancy is kept": (
        lambda: plane(constraints=[x - y, 2 * x - 2 * y - 1], keep_redundant=True).equations(),
        da.InvalidSystem,
        ["consistent", "number 2", "demands"],
    ),
    "inconsistent velocities": (
        lambda: plane(velocity_constraints=[x.dot - y.dot, x.dot - y.dot - 1]).equations(),
        da.InvalidSystem,
        ["consistent", "number 2", "1 = 0"],
    ),
    "redundant constraints": (
        lambda: plane(constraints=[x - y, 2 * x - 2 * y]).equations(),
        da.InvalidSystem,
        ["independent", "number 2", "drop it", "keep_redundant=True"],
    ),
    "redundant in closed form": (
        lambda: (
            plane(constraints=[x - y, 2 * x - 2 * y], keep_redundant=True).equations().multipliers()
        ),
        da.SingularSystem,
        ["2 of rank 1", "drop the redundant", "eq.solve"],
    ),
    "trivial constraint": (
        lambda: plane(constraints=[da.sin(x) ** 2 + da.cos(x) ** 2 - 1]).equations(),
        da.InvalidSystem,
        ["constraint 1", "holds identically", "drop it"],
    ),
    "impossible constraint": (
        lambda: plane(constraints=[x - y, l]).equations(),
        da.InvalidSystem,
        ["constraint 2", "l = 0", "can never hold"],
    ),
    "trivial velocity constraint": (
        lambda: plane(velocity_constraints=[x.dot - (x**2).dot / (2 * x)]).equations(),
        da.InvalidSystem,
        ["velocity constraint 1", "holds identically", "drop it"],
    ),
    "position as velocity constraint": (
        lambda: plane(velocity_constraints=[x - 1]).equations(),
        da.InvalidSystem,
        ["velocity constraint 1", "x - 1", "into constraints="],
    ),
    "quadratic velocity constraint": (
        lambda: plane(velocity_constraints=[x.dot**2 - y.dot]).equations(),
        da.InvalidSystem,
        ["velocity constraint 1", "linear in the velocities"],
    ),
    # bodies
    "no bodies": (
        lambda: da.System.from_bodies([], coordinates=[x]),
        da.InvalidSystem,
        ["at least one body"],
    ),
    "positions of two sizes": (
        lambda: da.System.from_particles([m, m], [(x, y), (x, y, 0)], coordinates=[x, y]),
        da.InvalidSystem,
        ["one size", "[2, 3]", "throughout"],
    ),
    "masses without positions": (
        lambda: da.System.from_particles([m, m], [(x, y)], coordinates=[x, y]),
        da.InvalidSystem,
        ["2 masses and 1 positions", "pair them"],
    ),
    "gravity of another size": (
        lambda: da.System.from_particles([m], [(x, y)], coordinates=[x, y], gravity=(0, 0, g)),
        da.InvalidSystem,
        ["gravity with 2 components", "got 3"],
    ),
    "gravity as a number": (
        lambda: da.System.from_particles([m], [(x, y)], coordinates=[x, y], gravity=g),  # type: ignore[arg-type]
        da.InvalidSystem,
        ["gravity with 2 or 3 components", "got g"],
    ),
    "position on a line": (
        lambda: da.Body(m, (x,)),
        da.InvalidSystem,
        ["position with 2 or 3 components", "(1, 1)"],
    ),
    "position as a number": (
        lambda: da.Body(m, x),  # type: ignore[arg-type]
        da.InvalidSystem,
        ["position with 2 or 3 components", "got x"],
    ),
    "rate as position": (
        lambda: da.System.from_particles([m], [(x.dot, y)], coordinates=[x, y]),
        da.InvalidSystem,
        ["x.ddot"],
    ),
    "inertia without orientation": (
        lambda: da.Body(m, (x, y), k),
        da.InvalidSystem,
        ["inertia and orientation together", "a rigid body both"],
    ),
    "scalar inertia with a rotation": (
        lambda: da.Body(m, (x, y, 0), k, Rz),
        da.InvalidSystem,
        ["3 × 3 inertia with a rotation matrix", "Expr with Matrix"],
    ),
    "inertia of the wrong shape": (
        lambda: da.Body(m, (x, y, 0), da.Matrix.identity(2), Rz),
        da.InvalidSystem,
        ["symmetric 3 × 3", "(2, 2)"],
    ),
    "inertia that is not symmetric": (
        lambda: da.Body(m, (x, y, 0), da.Matrix([[1, k, 0], [0, 1, 0], [0, 0, 1]]), Rz),
        da.InvalidSystem,
        ["symmetric 3 × 3", "each product of inertia twice"],
    ),
    "orientation of the wrong shape": (
        lambda: da.Body(m, (x, y, 0), da.Matrix.identity(3), da.Matrix.identity(2)),
        da.InvalidSystem,
        ["rotation matrix", "(2, 2)", "da.rotation_x"],
    ),
    "scaled rotation": (
        lambda: da.Body(m, (x, y, 0), da.Matrix.identity(3), Rz * 2),
        da.InvalidSystem,
        ["rotation matrix", "not orthonormal"],
    ),
    "reflection as orientation": (
        lambda: da.Body(m, (x, y, 0), da.Matrix.identity(3), -Rz),
        da.InvalidSystem,
        ["rotation matrix", "right-handed"],
    ),
    # loads
    "force without point": (
        lambda: da.Load(force=(F, 0)),
        da.InvalidSystem,
        ["force and point together", "add the other"],
    ),
    "torque without orientation": (
        lambda: da.Load(torque=F),
        da.InvalidSystem,
        ["torque and orientation together"],
    ),
    "empty load": (lambda: da.Load(), da.InvalidSystem, ["neither", "force= and point="]),
    "force and point of two sizes": (
        lambda: plane(forces=[da.Load(force=(F, 0, 0), point=(x, y))]),
        da.InvalidSystem,
        ["equal size", "3 and 2"],
    ),
    "point with a rate": (
        lambda: plane(forces=[da.Load(force=(F, 0), point=(x.dot, y))]),
        da.InvalidSystem,
        ["point of a load", "x.dot"],
    ),
    "point with an unknown coordinate": (
        lambda: plane(forces=[da.Load(force=(F, 0), point=(q, y))]),
        da.InvalidSystem,
        ["point of a load", "got q", "coordinates="],
    ),
    "torque vector on an angle": (
        lambda: plane(forces=[da.Load(torque=(0, 0, F), orientation=x)]),
        da.InvalidSystem,
        ["a scalar with an angle", "got 3"],
    ),
    "scalar torque on a rotation": (
        lambda: plane(forces=[da.Load(torque=F, orientation=da.rotation_z(x))]),
        da.InvalidSystem,
        ["3 components with a rotation matrix", "got 1"],
    ),
    # what equations refuse
    "d'Alembert without bodies": (
        lambda: plane().equations().dalembert_residual(),
        da.InvalidSystem,
        ["bodies", "System.from_bodies"],
    ),
    "Hamilton with constraints": (
        lambda: plane(constraints=[x - y]).equations().hamiltonian(),
        da.InvalidSystem,
        ["without constraints", "got 1", "change_coordinates"],
    ),
    "unknown key of a change": (
        lambda: plane().equations().change_coordinates({q: x}),
        da.InvalidSystem,
        ["old coordinates (x, y)", "got q"],
    ),
    "rate in a change": (
        lambda: plane().equations().change_coordinates({x: q.dot}),
        da.InvalidSystem,
        ["functions of coordinates", "q.dot"],
    ),
    "unknown part replaced": (
        lambda: plane().equations().replaced(Q=da.Matrix.identity(2)),
        da.InvalidSystem,
        ["Q="],
    ),
    "replaced by another shape": (
        lambda: plane().equations().replaced(M=da.Matrix.identity(3)),
        da.InvalidSystem,
        ["M of shape (2, 2)", "got (3, 3)"],
    ),
    "regressor of an unknown parameter": (
        lambda: plane().equations().regressor([k]),
        da.InvalidSystem,
        ["parameters of the system (m)", "got k"],
    ),
    "regressor of a product": (
        lambda: plane(kinetic=m * k * T).equations().regressor([m]),
        da.InvalidSystem,
        ["linear in the given parameters", "m²", "parameters=None"],
    ),
    "regressor of a parameter inside a function": (
        lambda: plane(potential=da.sin(k) * k * x).equations().regressor([m, k]),
        da.InvalidSystem,
        ["linear in the given parameters", "k"],
    ),
    "regressor of a quotient": (
        lambda: plane(kinetic=T / k).equations().regressor(),
        da.InvalidSystem,
        ["polynomial in the parameters", "equation of x", "name the quotient"],
    ),
}


@pytest.mark.parametrize("case", REFUSED, ids=[name.replace(" ", "-") for name in REFUSED])
def test_refused_with_the_culprit_and_the_remedy(case):
    make, error, words = REFUSED[case]
    with pytest.raises(da.DalembertError) as caught:
        make()
    assert type(caught.value) is error
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("expected ")
    assert "got " in message
    for word in words:
        assert word in message


def test_inputs_and_built_in_errors_are_caught_as_such():
    with pytest.raises(ValueError, match="twice"):
        plane(coordinates=[x, x])
    with pytest.raises(ZeroDivisionError):
        plane(kinetic=T / 0)
    with pytest.raises(ArithmeticError):
        massless().accelerations()


def test_redundant_only_where_it_is():
    # the same rows, but the second constraint is another surface
    eq = plane(constraints=[x - y, x * y - 1]).equations()
    assert eq.degrees_of_freedom() == 0
    # three constraints of rank two, of which the third is named
    with pytest.raises(da.InvalidSystem, match=r"number 3, 2 x"):
        da.System(
            kinetic=T + z.dot**2,
            coordinates=[x, y, z],
            constraints=[x + y, x - y, 2 * x],
        ).equations()
