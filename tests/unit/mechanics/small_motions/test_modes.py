"""Normal modes against the values that textbooks give, and against NumPy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem, Undecided
from dalembert.expr import Matrix

m, M, k, c, g, l = da.parameters("m M k c g l")
x, y, z = da.coordinates("x y z")


def squares(modes: da.mechanics.Modes) -> list:
    return [mode.square for mode in modes]


def test_double_pendulum_of_equal_parts() -> None:
    """Landau and Lifshitz, Mechanics, §23: ω² = (2 ∓ √2) g/l with θ₂ = ±√2 θ₁."""
    system = da.textbook.double_pendulum().bind({"m1": m, "m2": m, "l1": l, "l2": l})
    slow, fast = system.equations().linearise().modes()
    assert da.equal(slow.square, (2 - da.sqrt(2)) * g / l)
    assert da.equal(fast.square, (2 + da.sqrt(2)) * g / l)
    assert da.equal(slow.shape, Matrix.column([1, da.sqrt(2)]))
    assert da.equal(fast.shape, Matrix.column([1, -da.sqrt(2)]))
    assert str(slow.frequency) == "√((2 - √2) g/l)"


def test_chain_of_three_masses() -> None:
    """ωⱼ² = 4 k/m sin²(j π/8), shapes sin(i j π/4)."""
    system = da.System(
        kinetic=m * (x.dot**2 + y.dot**2 + z.dot**2) / 2,
        potential=k * (x**2 + (x - y) ** 2 + (y - z) ** 2 + z**2) / 2,
        coordinates=[x, y, z],
    )
    modes = system.equations().linearise().modes()
    for j, mode in enumerate(modes, start=1):
        square = mode.square.evaluate({k: 3.0, m: 2.0})
        assert square == pytest.approx(4 * 1.5 * np.sin(j * np.pi / 8) ** 2, rel=1e-14)
        shape = np.sin(np.arange(1, 4) * j * np.pi / 4)
        np.testing.assert_allclose(mode.shape.evaluate({})[:, 0], shape / shape[0], atol=1e-14)


def test_carbon_dioxide_has_a_motion_that_drifts() -> None:
    """Goldstein: ω = 0, √(k/m), √(k/m (1 + 2m/M))."""
    system = da.System(
        kinetic=m * (x.dot**2 + z.dot**2) / 2 + M * y.dot**2 / 2,
        potential=k * ((x - y) ** 2 + (y - z) ** 2) / 2,
        coordinates=[x, y, z],
    )
    modes = system.equations().linearise().modes()
    wanted = [0, k / m, k / m * (1 + 2 * m / M)]
    assert all(da.equal(a, b) for a, b in zip(squares(modes), wanted, strict=True))
    assert "ω₁ = 0 (drifts)" in str(modes)
    assert da.equal(modes[2].shape, Matrix.column([1, -2 * m / M, 1]))


def test_damped_oscillator() -> None:
    system = da.System(
        kinetic=m * x.dot**2 / 2,
        potential=k * x**2 / 2,
        dissipation=c * x.dot**2 / 2,
        coordinates=[x],
    )
    (mode,) = system.equations().linearise().modes()
    assert str(mode.damping_ratio) == "c/(2 √(m k))"


def test_multiple_frequency_has_as_many_shapes() -> None:
    system = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=k * (x**2 + y**2) / 2, coordinates=[x, y]
    )
    modes = system.equations().linearise().modes()
    assert [str(mode.frequency) for mode in modes] == ["√(k/m)"] * 2


def test_upright_pole_runs_away() -> None:
    lin = da.textbook.cart_pole().equations().linearise({"theta": da.pi})
    assert "(runs away)" in str(lin.modes())


def test_what_has_no_closed_form_says_where_to_go() -> None:
    a, b = da.parameters("a b")
    system = da.System(
        kinetic=(x.dot**2 + 2 * y.dot**2 + 3 * z.dot**2) / 2,
        potential=(a * x**2 + b * (x - y) ** 2 + k * (y - z) ** 2 + z**2) / 2,
        coordinates=[x, y, z],
    )
    with pytest.raises(Undecided, match=r"da\.analysis\.modes"):
        system.equations().linearise().modes()
    turning = da.System(
        lagrangian=(x.dot**2 + y.dot**2) / 2 + m * x * y.dot - x**2 - y**2, coordinates=[x, y]
    )
    with pytest.raises(InvalidSystem, match="gyroscopic"):
        turning.equations().linearise().modes()
    coupled = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=(x**2 + 2 * y**2) / 2,
        dissipation=(x.dot + y.dot) ** 2,
        coordinates=[x, y],
    )
    with pytest.raises(Undecided, match="uncoupled"):
        coupled.equations().linearise().modes()


def test_unequal_double_pendulum_against_numpy(rng: np.random.Generator) -> None:
    eq = da.textbook.double_pendulum().equations()
    lin = eq.linearise()
    values = {p: float(rng.uniform(0.3, 3)) for p in eq.parameters}
    M_, K_ = lin.M.evaluate(values), lin.K.evaluate(values)
    wanted = np.sort(np.linalg.eigvals(np.linalg.solve(M_, K_)).real)
    modes = lin.modes()
    np.testing.assert_allclose([e.evaluate(values) for e in squares(modes)], wanted, rtol=1e-10)
    for mode in modes:
        shape = mode.shape.evaluate(values)
        left = (K_ - mode.square.evaluate(values) * M_) @ shape
        np.testing.assert_allclose(left, 0, atol=1e-9 * np.abs(K_).max())
