"""Relative equilibria: some coordinates turn steadily, the others rest."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem

Omega, nu, m, l, g, alpha = da.parameters("Omega nu m l g alpha")


def test_conical_pendulum() -> None:
    """cos θ = g/(l Ω²), stable wherever it exists (Landau and Lifshitz, §14)."""
    eq = da.textbook.spherical_pendulum().equations()
    found = eq.equilibria(steady={"phi": Omega})
    cone = found[2]
    assert cone.where == "θ = acos(g/(l Ω²)), φ = Ω t"
    assert cone.conditions == ("l Ω² ≥ g",)
    assert cone.stability.verdict == "stable"


def test_particle_in_a_cone_circles_stably() -> None:
    """Goldstein: r = g cos α/(Ω² sin² α), and small radial changes oscillate."""
    r, phi = da.coordinates("r phi")
    place = (
        r * da.sin(alpha) * da.cos(phi),
        r * da.sin(alpha) * da.sin(phi),
        r * da.cos(alpha),
    )
    system = da.System.from_particles([m], [place], coordinates=[r, phi], gravity=(0, 0, -g))
    (found,) = system.equations().equilibria(steady={phi: Omega})
    assert da.equal(found.point[r], g * da.cos(alpha) / (Omega**2 * da.sin(alpha) ** 2))
    assert found.stability.verdict == "stable"
    assert "sin²(α) ≠ 0" in found.stability.reason


def test_steady_precession_of_a_heavy_top() -> None:
    """(A - C) Ω² cos θ - C ν Ω + m g l = 0 (Landau and Lifshitz, §35, in ψ̇ = ν)."""
    A, C = da.parameters("A C")
    phi, theta, psi = da.coordinates("phi theta psi")
    spin = psi.dot + phi.dot * da.cos(theta)
    system = da.System(
        kinetic=A * (theta.dot**2 + (phi.dot * da.sin(theta)) ** 2) / 2 + C * spin**2 / 2,
        potential=m * g * l * da.cos(theta),
        coordinates=[phi, theta, psi],
    )
    eq = system.equations()
    found = eq.equilibria(steady={phi: Omega, psi: nu})
    tilted = [e for e in found if e.conditions]
    wanted = (C * nu * Omega - m * g * l) / ((A - C) * Omega**2)
    assert all(da.equal(da.cos(e.point[theta]), wanted) for e in tilted)
    # (1·6·2 - 10)/(1·4) = 1/2
    numbers = {A: 2, C: 1, m: 1, g: 10, l: 1}
    fast = eq.equilibria(numbers, steady={phi: 2, psi: 6})
    tilted = [e for e in fast if da.equal(e.point[theta] ** 2, da.pi**2 / 9)]
    assert [e.stability.verdict for e in tilted] == ["stable", "stable"]


def test_stability_agrees_with_simulation() -> None:
    """V = -k/r⁴ attracts more steeply than the centrifugal force: no circle is stable."""
    r, phi = da.coordinates("r phi")
    (k,) = da.parameters("k")
    system = da.System(
        kinetic=m * (r.dot**2 + (r * phi.dot) ** 2) / 2, potential=-k / r**4, coordinates=[r, phi]
    )
    found = system.equations().equilibria({m: 1, k: 1}, steady={phi: 2})
    circles = [e for e in found if float(e.point[r]) > 0]
    assert [e.stability.verdict for e in circles] == ["unstable"]
    model = da.compile(system, parameters={"m": 1, "k": 1})
    start = float(circles[0].point[r])
    # r̈ = r Ω² - 4 k/r⁵ vanishes there
    assert start * 4 == pytest.approx(4 / start**5, rel=1e-12)
    motion = da.simulate(model, [start * (1 + 1e-6), 0.0], [0.0, 2.0 / (1 + 1e-6) ** 2], 3.0)
    assert abs(motion.q[-1, 0] - start) > 1e-4 * start
    assert np.isfinite(motion.q).all()


def test_only_coordinates_that_occur_nowhere_turn_steadily() -> None:
    with pytest.raises(InvalidSystem, match="theta, which does"):
        da.textbook.spherical_pendulum().equations().equilibria(steady={"theta": 1})


def test_time_beyond_the_linear_terms_leaves_the_verdict_open() -> None:
    """x² ẋ² cos 4t is of fourth order, and in resonance with x = cos t: it can feed energy."""
    x, y = da.coordinates("x y")
    T = (x.dot**2 * (1 + x**2 * da.cos(4 * da.time) / 2) + y.dot**2) / 2
    eq = da.System(coordinates=[x, y], kinetic=T, potential=x**2 / 2).equations()
    (found,) = eq.equilibria(steady={y: 1})
    assert found.stability.verdict == "undecided"
    assert "time" in found.stability.reason
