"""The node: exact constants, local folding, one object per structure, freed when unused."""

from __future__ import annotations

import copy
import gc
import math
import operator
import pickle
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.expr import ONE, PI, ZERO, as_expr, coordinates, cos, exp, parameters, sin, sqrt
from dalembert.expr import graph as module
from dalembert.expr.rational import exact_root
from tests.cases import num_cases
from tests.effort import refused_at_once

x, y, z = coordinates("x y z")
m, g = parameters("m g")


def constants(e):
    return e.value if e.op == "const" else None


# ---- numbers


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (3, Fraction(3)),
        (9.81, Fraction(981, 100)),
        (-0.0, Fraction(0)),
        (1e-3, Fraction(1, 1000)),
        (1e22, Fraction(10**22)),
        (5e-324, Fraction(5, 10**324)),
        (Fraction(2, 6), Fraction(1, 3)),
        (Decimal("0.125"), Fraction(1, 8)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int32(-7), Fraction(-7)),
        pytest.param(10**5000, Fraction(10**5000), id="large"),
    ],
)
def test_numbers_are_exact_in_their_decimal_meaning(number, exact):
    e = as_expr(number)
    assert e.op == "const"
    assert e.value == exact
    assert (x * 0 + number) is e


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (np.float64("nan"), "nan"),
        (True, "True"),
        (np.True_, "True"),
        (1j, "complex"),
        ("x", "str"),
        (None, "NoneType"),
        ([1], "list"),
        (Decimal("NaN"), "NaN"),
        (Decimal("1e1000000000"), "1E+1000000000"),
    ],
)
def test_what_is_no_real_number_is_refused_by_name(bad, named):
    message = str(refused_at_once(InvalidExpression, lambda: as_expr(bad)))
    assert "expected a" in message
    assert named in message


@pytest.mark.parametrize("bad", [math.nan, math.inf, True])
def test_arithmetic_refuses_the_same_numbers(bad):
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
        with pytest.raises(InvalidExpression):
            operation(x, bad)


@pytest.mark.parametrize("other", ["a", None, [1], object()])
def test_arithmetic_with_strangers_is_a_type_error(other):
    with pytest.raises(TypeError):
        _ = x + other
    with pytest.raises(TypeError):
        _ = other * x


def test_numpy_scalars_mix_from_both_sides():
    assert np.float64(2.5) * x is x * 2.5
    three: Any = np.int64(3)
    assert x + three is 3 + x


# ---- one object for one structure


def test_equal_structure_is_the_same_object():
    assert sin(x + y) * m is m * sin(y + x)
    assert (x * y) / z is (y * x) / z
    assert x**2 is x * x
    assert as_expr(0.5) is as_expr(Fraction(1, 2))
    assert (x - y) is not (y - x)


FOLDED = [
    (lambda: x + 0, lambda: x),
    (lambda: 0 + x, lambda: x),
    (lambda: x - 0, lambda: x),
    (lambda: 0 - x, lambda: -x),
    (lambda: x * 1, lambda: x),
    (lambda: x * 0, lambda: ZERO),
    (lambda: x * -1, lambda: -x),
    (lambda: x / 1, lambda: x),
    (lambda: 0 / x, lambda: ZERO),
    (lambda: x / x, lambda: ONE),
    (lambda: x - x, lambda: ZERO),
    (lambda: x + -x, lambda: ZERO),
    (lambda: x + x, lambda: 2 * x),
    (lambda: 2 * x - 2 * x, lambda: ZERO),
    (lambda: operator.neg(-x), lambda: x),
    (lambda: +x, lambda: x),
    (lambda: -(x - y), lambda: y - x),
    (lambda: -(3 - x), lambda: x - 3),
    (lambda: -(-x - y), lambda: x + y),
    (lambda: -(-2 * x - y), lambda: y + 2 * x),
    (lambda: x + -y, lambda: x - y),
    (lambda: -x + y, lambda: y - x),
    (lambda: x - -y, lambda: x + y),
    (lambda: x + -2 * y, lambda: x - 2 * y),
    (lambda: -2 * x + y, lambda: y - 2 * x),
    (lambda: x - -2 * y, lambda: x + 2 * y),
    (lambda: x - 3, lambda: -3 + x),
    (lambda: -x * y, lambda: -(x * y)),
    (lambda: -x * -y, lambda: x * y),
    (lambda: 2 * (3 * x), lambda: 6 * x),
    (lambda: (2 * x) * (3 * y), lambda: 6 * (x * y)),
    (lambda: x / 2, lambda: 0.5 * x),
    (lambda: x / (2 * y), lambda: 0.5 * (x / y)),
    (lambda: 3 / (2 * y), lambda: 1.5 / y),
    (lambda: (4 * x) / y, lambda: 4 * (x / y)),
    (lambda: 2 * (3 / x), lambda: 6 / x),
    (lambda: (-2) / x, lambda: -(2 / x)),
    (lambda: y + (-2) / x, lambda: y - 2 / x),
    (lambda: -2 * (1 / x), lambda: -(2 / x)),
    (lambda: x / -y, lambda: -(x / y)),
    (lambda: x**0, lambda: ONE),
    (lambda: x**1, lambda: x),
    (lambda: x**-2, lambda: 1 / x**2),
    (lambda: (x**2) ** 3, lambda: x**6),
    (lambda: (-x) ** 2, lambda: x**2),
    (lambda: (-x) ** 3, lambda: -(x**3)),
    (lambda: sqrt(x) * sqrt(x), lambda: sqrt(x) ** 2),
    (lambda: sqrt(x) ** 3, lambda: x ** Fraction(3, 2)),
    (lambda: x**0.5, lambda: sqrt(x)),
    (lambda: abs(-x), lambda: abs(x)),
]


@pytest.mark.parametrize("case", range(len(FOLDED)))
def test_folding(case):
    built, expected = FOLDED[case]
    assert built() is expected()


def test_folding_stays_local_and_never_expands():
    e = (x + y) * (x - y)
    assert e.op == "mul"
    assert {arg.op for arg in e.args} == {"add", "sub"}
    assert sqrt(x**2).op == "pow"
    assert ((x + y) ** 50).args[0] is x + y


def random_arithmetic(draw, depth):
    """Return a random expression and a function that computes it in exact fractions."""
    if depth == 0:
        choice = draw.randrange(5)
        if choice < 3:
            return (x, y, z)[choice], lambda v: v[choice]
        c = Fraction(draw.randint(-3, 3), draw.randint(1, 3))
        return as_expr(c), lambda v: c
    a, f = random_arithmetic(draw, depth - 1)
    if draw.random() < 0.15:
        return -a, lambda v: -f(v)
    if draw.random() < 0.15:
        n = draw.randint(-2, 3)
        return (a**n, lambda v: f(v) ** n) if a is not ZERO else (a, f)
    b, h = random_arithmetic(draw, draw.randrange(depth))
    symbol = draw.choice("+-*/")
    if symbol == "/" and b is ZERO:
        return a, f
    operation = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
    }[symbol]
    return operation(a, b), lambda v: operation(f(v), h(v))


def test_folding_never_changes_the_exact_value(draw, scale):
    checked = 0
    for _ in range(num_cases(3000, scale)):
        try:
            e, f = random_arithmetic(draw, draw.randint(1, 6))
        except ZeroDivisionError:
            continue
        values = [Fraction(draw.randint(-20, 20), draw.randint(1, 9)) for _ in range(3)]
        try:
            expected = f(values)
        except ZeroDivisionError:
            continue
        try:
            got = e.subs(dict(zip((x, y, z), values, strict=True)))
        except DivisionByZero:
            pytest.fail("folding added a pole")
        assert got.op == "const"
        assert got.value == expected
        checked += 1
    assert checked > 2000 * scale


# ---- powers and division


@pytest.mark.parametrize(
    ("base", "exponent", "exact"),
    [
        (9, 0.5, 3),
        (Fraction(4, 9), 1.5, Fraction(8, 27)),
        (27, Fraction(-2, 3), Fraction(1, 9)),
        (2, 10, 1024),
        (-2, 3, -8),
        (0, 5, 0),
        (1, 10_000, 1),
        (3**300, Fraction(1, 100), 27),
        pytest.param(10**10_000, 0.5, 10**5000, id="large"),
    ],
)
def test_powers_of_constants_are_exact(base, exponent, exact):
    assert (as_expr(base) ** exponent).value == exact


def test_irrational_roots_keep_their_whole_part_outside():
    assert as_expr(2) ** 1.5 is 2 * sqrt(2)
    assert sqrt(2).op == "pow"
    assert sqrt(2) ** 2 == 2


@given(st.integers(2, 2**200), st.integers(2, 60))
def test_integer_root_agrees_with_its_definition(r, n):
    assert exact_root(Fraction(r**n), n) == r
    assert exact_root(Fraction(1, r**n), n) == Fraction(1, r)
    assert exact_root(Fraction(r**n + 1), n) is None
    assert exact_root(Fraction(r**n - 1, 3**n), n) is None


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: x**y, "got y: write exp"),
        (lambda: 2**y, "got y: write exp"),
        (lambda: x**PI, "got pi"),
        (lambda: x**10_001, "10001"),
        (lambda: x ** Fraction(1, 10_001), "1/10001"),
        (lambda: (x**9999) ** 9999, "99980001"),
        (lambda: as_expr(-2) ** 0.5, "-2**(1/2)"),
        (lambda: as_expr(7**9000) ** 9000, "100000 bits"),
        (lambda: as_expr(7**9000 + 1) ** 4500.5, "100000 bits"),
        (lambda: x ** (10**5000), "-bit number"),
    ],
)
def test_wrong_exponents_are_refused_at_once(make, named):
    message = str(refused_at_once(InvalidExpression, make))
    assert named in message
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize(
    "make", [lambda: x / 0, lambda: sin(x) / (y - y), lambda: ZERO**-1, lambda: 1 / as_expr(0.0)]
)
def test_division_by_an_exact_zero(make):
    with pytest.raises(DivisionByZero, match="expected a nonzero denominator, got 0 under"):
        make()


def test_division_by_zero_names_its_numerator_in_bounded_time():
    with pytest.raises(DivisionByZero, match=r"under sin\(x\)"):
        _ = sin(x) / 0
    huge = sum((sin(x * k) for k in range(1, 200)), ZERO) ** 999
    assert len(str(refused_at_once(DivisionByZero, lambda: huge / 0))) < 300


# ---- behaviour as a Python object


def test_equality_is_structural_and_knows_numbers():
    assert x + y == y + x
    assert x != y
    assert as_expr(9.81) == 9.81
    assert as_expr(2) == 2
    assert as_expr(0.5) == Decimal("0.5") == as_expr(0.5)
    assert as_expr(2) != math.nan
    assert as_expr(2) != math.inf
    assert x != 1
    assert x != "x"
    assert len({x + y, y + x}) == 1


def test_no_truth_value():
    with pytest.raises(TypeError, match=r"da\.equal"):
        bool(x - y)


def test_float_of_a_constant_expression():
    assert float(PI / 2) == math.pi / 2
    assert float(sqrt(2)) == math.sqrt(2)
    with pytest.raises(InvalidExpression, match="got the expression x"):
        float(x)


def test_copies_and_pickles_are_the_object():
    e = sin(x) + 1
    assert copy.copy(e) is e
    assert copy.deepcopy([e])[0] is e
    assert pickle.loads(pickle.dumps(e)) is e


# ---- memory and depth


def test_unused_nodes_are_freed():
    gc.collect()
    before = len(module._table)
    e = x
    for i in range(2000):
        e = sin(e) * (y + Fraction(i, 10007)) + exp(e / (i + 2))
    assert len(module._table) > before + 8000
    del e
    gc.collect()
    # only the constants that the module keeps on purpose may remain
    assert len(module._table) - before <= 1000
    again = len(module._table)
    for _ in range(3):
        e = cos(x / 12345 + y) ** 3
        del e
    gc.collect()
    assert len(module._table) <= again + 2


def test_a_freed_node_is_not_mistaken_for_a_new_one(draw):
    # ids of freed operands are reused by Python; keys that held them must be gone by then
    for _ in range(3000):
        a = x + Fraction(draw.randrange(10**6), 10**6 + 3)
        b = sin(a)
        assert b.args[0] is a
        del a, b


def test_a_chain_of_100_000_nodes_is_built_and_freed():
    before = len(module._table)
    e = x
    for _ in range(50_000):
        e = sin(e) + y
    assert len(module._table) >= before + 100_000 - 2
    del e
    gc.collect()
    assert len(module._table) <= before + 2


def test_threads_share_their_nodes():
    barrier = threading.Barrier(6)
    results: list[list] = [[] for _ in range(6)]

    def work(mine):
        barrier.wait()
        e = x
        for i in range(1500):
            e = sin(e) * (y + Fraction(i, 7919)) - cos(m * e)
            mine.append(e)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine in results[1:]:
        assert len(mine) == 1500
        assert all(a is b for a, b in zip(mine, results[0], strict=True))


def test_threads_that_free_and_build_the_same_nodes_agree():
    wrong: list[int] = []

    def work():
        for i in range(4000):
            a = (x + Fraction(i % 3, 7907)) * y
            if (x + Fraction(i % 3, 7907)) * y is not a:
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_building_inside_a_finalizer_does_not_deadlock():
    class Builder:
        def __del__(self):
            made.append(sin(x + y))

    made: list = []
    for _ in range(50):
        cycle = [Builder()]
        cycle.append(cycle)  # type: ignore[arg-type]
        del cycle
        for i in range(200):
            cos(x * i)
    gc.collect()
    assert len(made) == 50
    assert all(e is sin(x + y) for e in made)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(1 / 3, (1, 3)), (-2 / 3, (-2, 3)), (1 / 12, (1, 12)), (100 / 3, (100, 3)), (5 / 48, (5, 48))],
)
def test_a_float_with_a_period_is_taken_for_the_fraction(typed: float, meant: tuple) -> None:
    (m,) = parameters("m")
    with pytest.warns(UserWarning, match="write Fraction"):
        assert typed * m is Fraction(*meant) * m


@pytest.mark.parametrize(
    "typed", [9.81, 0.1 + 0.2, 1 / 60, 8 / 7, math.e, 2**-40, 1e-20, 0.1, 1e22, 0.75]
)
def test_other_floats_keep_their_decimals(typed: float) -> None:
    assert (typed * parameters("m")[0]).args[0].value == Fraction(repr(typed))
    assert as_expr(typed).value == Fraction(repr(typed))
