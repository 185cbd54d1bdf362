"""Terms of an equation: both sides agree, and each is what the formula says."""

import math

import numpy as np
import pytest

import dalembert as da
from benchmarks.robots import humanoid
from dalembert.studio.motion import closed_start
from dalembert.studio.panels.equations import table
from dalembert.studio.state import State
from dalembert.studio.terms import Term, Terms


def test_terms_of_a_pendulum_by_hand() -> None:
    (a,) = da.coordinates("a")
    m, l, g = da.parameters("m l g")
    system = da.System(
        kinetic=m * (l * a.dot) ** 2 / 2, potential=-m * g * l * da.cos(a), coordinates=[a]
    )
    model = da.compile(system, parameters={m: 2, l: 0.5, g: 10})
    state = State(model, np.array([math.pi / 6]))
    first, second = Terms(model, system.equations()).row(0, state.moment)
    # m l² ä = -m g l sin a = -2·10·0.5·0.5
    assert (first.name, first.formula) == ("M₁₁ q̈₁", "m l²")
    assert (second.name, second.formula) == ("N₁", "m g l sin(a)")
    assert first.value == pytest.approx(-5)
    assert second.value == pytest.approx(5)
    state.close()


@pytest.mark.parametrize(
    "name", ["panda", "rp_arm_maximal", "four_bar", "furuta_pendulum", "quadrotor"]
)
def test_both_sides_are_equal(name: str, rng) -> None:
    source = da.textbook if hasattr(da.textbook, name) else da.textbook.robots
    description = getattr(source, name)()
    values = {x: float(rng.uniform(1, 2)) for x in description.parameters}
    model = da.compile(description, parameters=values)
    state = State(model, closed_start(model, model.random_configuration(0)))
    qd, u = rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, len(model.symbols.inputs))
    state.show(0.3, state.moment.q, qd, u)
    assert state.moment.trouble == ""
    terms = Terms(model, description.equations() if model.nv < 5 else None)
    for i in range(model.nv):
        row = terms.row(i, state.moment)
        left = sum(x.value for x in row if x.is_left)
        right = sum(x.value for x in row if not x.is_left)
        assert left == pytest.approx(right, rel=1e-8, abs=1e-8)
    state.close()


def test_accelerations_that_are_not_determined_are_said() -> None:
    (x, y) = da.coordinates("x y")
    model = da.compile(da.System(kinetic=(x.dot + y.dot) ** 2 / 2, coordinates=[x, y]))
    state = State(model, np.zeros(2))
    assert state.moment.trouble
    assert not state.moment.qdd.any()
    state.close()


def test_rounding_is_not_a_large_term() -> None:
    # it falls freely: every joint is at rest in the body, up to rounding
    model = da.compile(humanoid())
    state = State(model, model.neutral)
    names = list(model.configuration.v_names)
    row = Terms(model).row(names.index("waist_joint"), state.moment)
    assert row
    assert all(term.value == 0 for term in row if term.name.startswith("M"))
    (weight,) = [x for x in Terms(model).row(2, state.moment) if x.name == "N₃"]
    assert weight.value == pytest.approx(model.mechanism.total_mass * 9.81, rel=1e-3)
    state.close()


def test_many_terms_are_added_up() -> None:
    rows = [Term(f"M₁,{k} q̈", "", float(k), True, "inertia, knee") for k in range(1, 101)]
    rows.append(Term("Υ₁", "", 5050.0, False))
    page = table(rows, unit="N m")
    # 1 … 81 are 81 · 82 / 2
    assert "81 smaller terms" in page
    assert "3321" in page
    assert page.count("inertia, knee") == 19
    assert page.count("5050") == 3
    assert page.count("N m") == 2
