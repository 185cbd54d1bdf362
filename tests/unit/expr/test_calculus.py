"""Derivatives against SymPy, the complex step and each other."""

from __future__ import annotations

import math

import pytest
import sympy as sp

from dalembert.errors import InvalidExpression
from dalembert.expr import (
    ONE,
    ZERO,
    abs_,
    atan2,
    coordinates,
    cos,
    count_nodes,
    ddt,
    ddt_all,
    diff,
    exp,
    gradient,
    hessian,
    inputs,
    jacobian,
    multipliers,
    parameters,
    postorder,
    sin,
    sqrt,
    tangent,
    time,
)
from dalembert.expr.evaluate import evaluate
from tests.cases import num_cases

x, y, z = coordinates("x y z")
m, k = parameters("m k")
X, Y, Z = sp.symbols("x y z")
LEAVES = [(x, X), (y, Y), (z, Z)]
POINT = {x: 0.37, y: -1.21, z: 0.83}
RELATIVE = 1e-10  # SymPy evaluates its own, longer form in doubles


def number(expression) -> float:
    f = sp.lambdify([X, Y, Z], expression, modules="math")
    return f(*(POINT[s] for s in (x, y, z)))


def close(a, b):
    return a == pytest.approx(b, rel=RELATIVE, abs=1e-10)


def test_derivatives_by_hand():
    assert diff(x**3, x) is 3 * x**2
    assert diff(sin(x) * y, x) is y * cos(x)
    assert diff(sin(x) * y, z) is ZERO
    assert diff(7, x) is ZERO
    assert sqrt(x).diff(x) is 1 / (2 * sqrt(x))
    assert exp(2 * x).diff(x) is 2 * exp(2 * x)
    assert x.dot.diff(x) is ZERO
    assert (m * x.dot**2 / 2).diff(x.dot) is m * x.dot


def test_forward_and_reverse_agree_with_sympy(draw, scale, random_pair):
    for _ in range(num_cases(20, scale)):
        ours, theirs = random_pair(draw, LEAVES, 4)
        reverse = gradient(ours, [x, y, z])
        for symbol, S, g in zip((x, y, z), (X, Y, Z), reverse, strict=True):
            truth = number(sp.diff(theirs, S))
            assert close(ours.diff(symbol).evaluate(POINT), truth)
            assert close(g.evaluate(POINT), truth)


def test_second_derivatives_agree_with_sympy(draw, scale, random_pair):
    for _ in range(num_cases(6, scale)):
        ours, theirs = random_pair(draw, LEAVES, 3)
        h = hessian(ours, [x, y, z]).evaluate(POINT)
        for i, a in enumerate((X, Y, Z)):
            for j, b in enumerate((X, Y, Z)):
                assert close(h[i, j], number(sp.diff(theirs, a, b)))


def test_gradient_agrees_with_the_complex_step(draw, scale, random_pair):
    step = 1e-40
    checked = 0
    for _ in range(num_cases(40, scale)):
        ours, _ = random_pair(draw, LEAVES, 4)
        if "atan2" in {node.op for node in postorder([ours])}:
            continue
        for symbol, g in zip((x, y, z), gradient(ours, [x, y, z]), strict=True):
            moved = {**POINT, symbol: complex(POINT[symbol], step)}
            value = ours.evaluate(moved)
            truth = value.imag / step if isinstance(value, complex) else 0.0
            assert g.evaluate(POINT) == pytest.approx(truth, rel=1e-11, abs=1e-11)
        checked += 1
    assert checked > 10 * scale


def test_jacobian_is_the_same_by_columns_and_by_rows():
    f = [x * cos(y), x * sin(y), z * x]
    tall = jacobian(f, [x, y])
    assert tall.shape == (3, 2)
    assert tall[0, 1] is -(x * sin(y))
    wide = jacobian(f[:2], [x, y, z])
    assert wide.shape == (2, 3)
    at = {x: 2.0, y: 0.3, z: -1.0}
    assert wide.evaluate(at)[:, :2] == pytest.approx(tall.evaluate(at)[:2])
    # polar coordinates: det J = r
    (a, b), (c, d) = tall.evaluate(at)[:2]
    assert a * d - b * c == pytest.approx(2.0)


def test_jacobian_of_nothing_has_a_shape():
    assert jacobian([], [x, y]).shape == (0, 2)
    assert jacobian([x, y], []).shape == (2, 0)
    assert jacobian([], []).shape == (0, 0)


def test_total_time_derivative_agrees_with_sympy(draw, scale, random_pair):
    t = sp.Symbol("t")
    functions = [sp.Function(n)(t) for n in "xyz"]
    leaves = [*zip((x, y, z), functions, strict=True), (x.dot, functions[0].diff(t)), (time, t)]
    values = {x: 0.37, y: -1.21, z: 0.83, x.dot: 0.5, y.dot: -0.4, z.dot: 0.9, x.ddot: 1.1}
    for _ in range(num_cases(15, scale)):
        ours, theirs = random_pair(draw, leaves, 3)
        # the highest derivative first: SymPy would differentiate a number otherwise
        rate = sp.diff(theirs, t).subs(functions[0].diff(t, 2), values[x.ddot])
        for s, f in zip((x, y, z), functions, strict=True):
            rate = rate.subs(f.diff(t), values[s.dot]).subs(f, values[s])
        truth = float(rate.subs(t, 0.7))
        assert close(ddt(ours).evaluate({**values, time: 0.7}), truth)


def test_total_time_derivative_by_hand():
    assert ddt(m * x) is m * x.dot
    assert ddt(x.dot) is x.ddot
    assert ddt(sin(2 * time)) is 2 * cos(2 * time)
    assert ddt(x * time) is x + time * x.dot
    assert ddt(3) is ZERO
    assert ddt_all([x, x.dot, m]) == [x.dot, x.ddot, ZERO]


def test_rates_of_inputs_and_multipliers_are_unknown():
    for u in (*inputs("u"), *multipliers("lam")):
        with pytest.raises(InvalidExpression, match=r"under d/dt, got (u|lam)"):
            ddt(x * u)
        assert (x * u).diff(u) is x


@pytest.mark.parametrize("bad", [x + 1, x**2, ONE, 3, None])
def test_only_symbols_differentiate(bad):
    for differentiate in (
        lambda: diff(sin(x), bad),
        lambda: gradient(sin(x), [x, bad]),
        lambda: jacobian([x, y], [bad]),
        lambda: hessian(x * y, [bad]),
    ):
        with pytest.raises(InvalidExpression, match=r"expected a symbol to differentiate by.*subs"):
            differentiate()


def test_tangent_of_several_roots_is_one_directional_derivative():
    roots = [x * y, sin(x), x + z]
    rates = tangent(roots, {x: ONE, y: z})
    assert rates == [y + x * z, cos(x), ONE]


def test_modulus_and_angle():
    assert abs_(x).diff(x).evaluate({x: -2.0}) == -1.0
    assert ddt(atan2(y, x)).evaluate({x: 1.0, y: 0.0, x.dot: 5.0, y.dot: 2.0}) == 2.0


def test_derivatives_share_their_work():
    # e -> sin(e) e doubles the tree at each step; the graph and its derivatives stay linear
    e = x + y
    for _ in range(60):
        e = sin(e) * e
    n = count_nodes([e])
    assert n < 200
    assert count_nodes([e.diff(x)]) < 8 * n
    assert count_nodes(gradient(e, [x, y])) < 8 * n
    assert math.isfinite(e.diff(x).evaluate({x: 0.1, y: 0.2}))


@pytest.fixture(scope="module")
def chain():
    e = x
    for _ in range(50_000):
        e = sin(e) + y
    return e


def test_a_chain_of_100_000_nodes_forward_and_reverse(chain):
    at = {x: 0.3, y: 0.9}
    # the recurrence itself is the independent truth: e' = cos(e) e' + y'
    e, by_x, by_y = 0.3, 1.0, 0.0
    for _ in range(50_000):
        e, by_x, by_y = math.sin(e) + 0.9, math.cos(e) * by_x, math.cos(e) * by_y + 1.0
    assert count_nodes([chain]) > 100_000
    got = evaluate([chain.diff(y), *gradient(chain, [x, y])], at)
    # by_x is a product of 50,000 cosines, down in the denormal numbers or zero
    assert got == pytest.approx([by_y, by_x, by_y], rel=1e-12, abs=1e-300)


def test_the_time_derivative_of_a_chain_of_100_000_nodes(chain):
    at = {x: 0.3, y: 0.9, x.dot: 0.0, y.dot: 2.0}
    e, rate = 0.3, 0.0
    for _ in range(50_000):
        e, rate = math.sin(e) + 0.9, math.cos(e) * rate + 2.0
    assert ddt(chain).evaluate(at) == pytest.approx(rate, rel=1e-12)
