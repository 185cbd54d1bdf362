"""Equations of motion with functions that have no definition."""

from __future__ import annotations

import pickle

import pytest
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import dalembert as da

x, y = da.coordinates("x y")
m, k, g = da.parameters("m k g")
f, U = da.function("f"), da.function("U")


def system() -> da.System:
    return da.System(
        coordinates=[x, y],
        kinetic=m * (x.dot**2 + y.dot**2) / 2 + f(x, y) * x.dot * y.dot,
        potential=k * U(x) * da.cos(y),
    )


def test_equations_are_those_of_sympy():
    X, Y = dynamicsymbols("x y")
    t, M, K = sp.Symbol("t"), sp.Symbol("m"), sp.Symbol("k")
    F, V = sp.Function("f"), sp.Function("U")
    T = M * (X.diff(t) ** 2 + Y.diff(t) ** 2) / 2 + F(X, Y) * X.diff(t) * Y.diff(t)
    method = LagrangesMethod(T - K * V(X) * sp.cos(Y), [X, Y])
    theirs = da.from_sympy(sp.Matrix(method.form_lagranges_equations()), functions=[F, V])
    assert da.equal(system().equations().residual, theirs)


def test_properties_are_proved_and_survive_a_pickle():
    eq = system().equations()
    verdicts = {proof.statement: proof.verdict for proof in eq.prove()}
    assert verdicts["Ṁ - 2C is skew-symmetric"] == "proved"
    assert verdicts["dE/dt = q̇ᵀΥ along every motion"] == "proved"
    # nobody knows how large f is
    assert "refuted" not in verdicts.values()
    assert verdicts["M ⪰ 0"] == "undecided"
    again = pickle.loads(pickle.dumps(eq))
    assert again.residual == eq.residual
    assert str(again) == str(eq)


def test_a_bead_on_any_wire():
    # y = U(x): N = m (g + U″ẋ²)/(1 + U′²) upwards, and along x minus U′ times as much
    eq = da.System(
        coordinates=[x, y],
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        constraints=[y - U(x)],
    ).equations()
    slope = U(x).diff(x)
    force = m * (g + slope.diff(x) * x.dot**2) / (1 + slope**2)
    assert da.equal(eq.multipliers()[0], force)
    assert da.equal(eq.accelerations()[0], -slope * force / m)
    # and of a parabola the same as derived with it
    parabola = eq.system.bind({U: lambda s: k * s**2}).equations()
    assert da.equal(parabola.multipliers()[0], force.subs({U(x): k * x**2}))


def test_functions_of_velocities_have_no_manipulator_form():
    with pytest.raises(da.InvalidSystem, match=r"quadratic in the velocities.*x\.dot"):
        da.System(coordinates=[x], kinetic=U(x.dot)).equations()


def test_a_model_needs_a_definition():
    loose = da.System(coordinates=[x], kinetic=x.dot**2 / 2, potential=U(x))
    with pytest.raises(da.InvalidExpression, match="got U"):
        da.compile(loose).forward_dynamics([0.5], [0.0], [])
    model = da.compile(loose.bind({U: lambda s: s**4 / 4}))
    assert model.forward_dynamics([0.5], [0.0], []) == pytest.approx([-0.125])


def test_no_number_is_made_up():
    eq = da.System(coordinates=[x], kinetic=(2 + U(x)) * x.dot**2 / 2).equations()
    with pytest.raises(da.DalembertError):
        eq.eigenvalue_bounds({}, {x: (0, 1)}, max_boxes=20)
    with pytest.raises(da.EvaluationError, match="got U"):
        eq.solve({x: 0.5, x.dot: 0.0})
