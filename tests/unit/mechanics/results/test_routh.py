"""Routh's reduction: effective potentials of the literature, and the same motion as before."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem
from tests.oracles import random_state

x, y, r, phi, theta, psi = da.coordinates("x y r phi theta psi")
m, k, l, g, I, I3, b = da.parameters("m k l g I I3 b")
p_phi, p_psi, p_y = da.parameters("p_phi p_psi p_y")
(F,) = da.inputs("F")
s, c = da.sin, da.cos


def kepler(**options) -> da.Equations:
    T = m * (r.dot**2 + r**2 * phi.dot**2) / 2
    return da.System(kinetic=T, potential=-k / r, coordinates=[r, phi], **options).equations()


def top() -> da.Equations:
    spin = psi.dot + c(theta) * phi.dot
    return da.System(
        kinetic=I * (theta.dot**2 + s(theta) ** 2 * phi.dot**2) / 2 + I3 * spin**2 / 2,
        potential=m * g * l * c(theta),
        coordinates=[theta, phi, psi],
    ).equations()


def magnetic() -> da.Equations:
    T = m * (x.dot**2 + y.dot**2) / 2
    return da.System(lagrangian=T + k * x * y.dot, coordinates=[x, y]).equations()


def coupled() -> da.Equations:
    """A cyclic coordinate coupled to another by inertia: R has a term linear in ẋ."""
    T = m * x.dot**2 / 2 + I * phi.dot**2 / 2 + b * s(x) * x.dot * phi.dot
    return da.System(
        kinetic=T,
        potential=k * x**2,
        coordinates=[x, phi],
        forces=[F * phi.dot, 0],
        dissipation=b * x.dot**2 / 2,
    ).equations()


def test_effective_potential_of_kepler():
    # Goldstein, Classical Mechanics, section 3.3: l²/(2 m r²) - k/r
    form = kepler().routh()
    assert da.equal(form.effective_potential, p_phi**2 / (2 * m * r**2) - k / r)
    assert da.equal(form.rates[0], p_phi / (m * r**2))
    (row,) = form.system.equations().residual
    assert da.equal(row, m * r.ddot - p_phi**2 / (m * r**3) + k / r**2)


def test_effective_potential_of_the_spherical_pendulum():
    form = da.textbook.spherical_pendulum().equations().routh()
    q = form.system.coordinates[0]
    expected = p_phi**2 / (2 * m * l**2 * s(q) ** 2) - m * g * l * c(q)
    assert da.equal(form.effective_potential, expected)
    assert form.cyclic[0] is phi


def test_effective_potential_of_the_symmetric_top():
    # Goldstein, section 5.7, with p_ψ = I₃ ω₃: (p_φ - p_ψ cos θ)²/(2 I sin² θ) + m g l cos θ
    form = top().routh()
    leans = (p_phi - p_psi * c(theta)) ** 2 / (2 * I * s(theta) ** 2)
    expected = leans + p_psi**2 / (2 * I3) + m * g * l * c(theta)
    assert da.equal(form.effective_potential, expected)
    assert da.equal(form.rates[0], (p_phi - p_psi * c(theta)) / (I * s(theta) ** 2))
    spin = p_psi / I3 - c(theta) * (p_phi - p_psi * c(theta)) / (I * s(theta) ** 2)
    assert da.equal(form.rates[1], spin)


def test_where_the_reduction_has_a_meaning():
    # at the centre, and for an upright top, the cyclic coordinate has no inertia
    assert kepler().routh().prove().hypotheses == ("r ≠ 0",)
    assert top().routh().prove().hypotheses == ("sin(θ) ≠ 0",)
    assert magnetic().routh().prove().hypotheses == ()


def test_one_of_two_cyclic_coordinates():
    form = top().routh(psi)
    assert form.cyclic == (psi,)
    assert form.system.coordinates == (theta, phi)
    assert form.prove().is_proved
    # R has a term linear in φ̇, p_ψ cos θ φ̇: it is gyroscopic
    slope = form.routhian.diff(phi.dot).subs({phi.dot: 0})
    assert da.equal(slope, p_psi * c(theta))


CASES = {"Kepler": kepler, "top": top, "magnetic": magnetic, "coupled": coupled}


@pytest.mark.parametrize("case", CASES)
def test_reduced_accelerations_are_those_of_the_whole(case, rng):
    eq = CASES[case]()
    form = eq.routh()
    assert form.prove().is_proved
    values = random_state(eq, rng)
    full = eq.solve(values).accelerations
    momenta = {p: d.evaluate(values) for p, d in zip(form.momenta, form.definitions, strict=True)}
    reduced = form.system.equations().solve({**values, **momenta}).accelerations
    kept = [i for i, q in enumerate(eq.coordinates) if q not in form.cyclic]
    assert np.allclose(reduced, np.asarray(full)[kept], rtol=1e-9)
    # and the rates come back
    for q, rate in zip(form.cyclic, form.rates, strict=True):
        assert rate.evaluate({**values, **momenta}) == pytest.approx(values[q.dot])


def test_a_wrong_reduction_is_refuted():
    form = kepler().routh()
    wrong = form._replace(rates=form.rates * 2)
    assert wrong.prove().verdict == "refuted"


def test_constraints_of_others_stay():
    T = m * (x.dot**2 + y.dot**2 + x**2 * phi.dot**2) / 2
    eq = da.System(kinetic=T, coordinates=[x, y, phi], constraints=[x**2 - l * y]).equations()
    form = eq.routh()
    assert len(form.system.constraints) == 1
    assert form.prove().is_proved


def test_the_reduced_system_runs():
    # a circular orbit: r stays where V_eff has its minimum, r = p²/(m k)
    form = kepler().routh()
    values = {m: 2, k: 3, p_phi: 3}
    motion = da.simulate(da.compile(form.system.bind(values)), [1.5], [0.0], 2.0)
    assert motion.q[-1, 0] == pytest.approx(1.5, abs=1e-9)


def test_texts():
    form = kepler().routh()
    lines = str(form).splitlines()
    assert lines[0] == "p_φ = m r² φ̇"
    assert lines[2].startswith("V_eff = ")
    assert "V_{\\mathrm{eff}}" in form._repr_latex_()


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (kepler, [r], "cyclic here: phi"),
        (lambda: kepler(forces=[0, F]), [], "none"),
        (lambda: kepler(forces=[phi, 0]), [], "without the cyclic coordinate phi"),
        (
            lambda: da.System(kinetic=m * x.dot**2 / 2, coordinates=[x]).equations(),
            [],
            "nothing is left",
        ),
    ],
)
def test_refused(make, given, words):
    with pytest.raises(InvalidSystem, match=words):
        make().routh(*given)
