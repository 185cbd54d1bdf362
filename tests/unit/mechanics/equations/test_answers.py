"""How derivations end: λ and q̈ in closed form, no λ by d'Alembert, other coordinates."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.expr import Matrix
from dalembert.mechanics.equations.derivation import Derivation, DerivationStep
from dalembert.mechanics.printed.read_back import check_formulas

x, y, theta = da.coordinates("x y theta")
m, l, g, I = da.parameters("m l g I")
F, tau = da.inputs("F tau")
q1, q2, phi1 = da.coordinates("q1 q2 phi1")


def step(derivation: Derivation, title: str) -> DerivationStep:
    (found,) = (s for s in derivation if s.title == title)
    return found


def formula(found: DerivationStep, left: str) -> da.Expr | Matrix:
    (line,) = (line for line in found.formulas if line.left == left)
    return line.right


def bead() -> da.Equations:
    system = da.System.from_particles(
        [m], [(x, y)], coordinates=[x, y], gravity=(0, -g), constraints=[x**2 + y**2 - l**2]
    )
    return system.equations()


def test_the_last_steps_have_the_answer():
    found = bead().derivation()
    # 2 λ (x² + y²) = m g y - m (ẋ² + ẏ²)
    lam = (m * g * y - m * (x.dot**2 + y.dot**2)) / (2 * (x**2 + y**2))
    assert da.equal(formula(step(found, "Multipliers"), "λ"), [lam])
    q2d = formula(step(found, "Solved for the accelerations"), "q̈")
    assert da.equal(q2d, [2 * x * lam / m, 2 * y * lam / m - g])
    assert [s.title for s in found][-3:] == [
        "Multipliers",
        "Solved for the accelerations",
        "Properties",
    ]


def test_long_answers_are_left_out():
    titles = [s.title for s in da.textbook.pinned_three_link().equations().derivation()]
    assert "Multipliers" not in titles
    titles = [s.title for s in da.textbook.rp_arm_maximal().equations().derivation()]
    assert "Solved for the accelerations" not in titles


@pytest.mark.parametrize("name", ["wire_particles", "rp_arm_maximal", "pinned_three_link"])
def test_dalembert_needs_no_multiplier(name):
    eq = getattr(da.textbook, name)().equations()
    found = eq.derivation("dalembert")
    S = formula(step(found, "Admissible displacements"), "S")
    assert isinstance(S, Matrix)
    assert da.equal(eq.A @ S, Matrix.zeros(len(eq.lam), S.shape[1]))
    rows = [line.right for line in step(found, "Equations of motion").formulas]
    # they are the projected equations of Lagrange, in which λ has gone
    assert da.equal(Matrix.column(rows), S.T @ eq.residual)
    assert not any(z in e.symbols for e in rows for z in eq.lam)
    check_formulas([line for s in found for line in s.formulas])


def test_the_bead_by_dalembert():
    rows = step(bead().derivation("dalembert"), "Equations of motion").formulas
    (only,) = rows
    # S = (-y, x): -y m ẍ + x (m ÿ + m g) = 0
    assert da.equal(only.right, m * (x * y.ddot - y * x.ddot + g * x)) or da.equal(
        only.right, -m * (x * y.ddot - y * x.ddot + g * x)
    )


def test_reduction_of_maximal_coordinates():
    """CMU 2.7: HᵀMH and the rest are those of problem 1."""
    eq = da.textbook.rp_arm_maximal().equations()
    found = step(eq.derivation(positions=da.textbook.rp_arm_positions()), "Independent coordinates")
    reach = l / 2 + q2
    H = [
        [-l / 2 * da.sin(q1), 0],
        [l / 2 * da.cos(q1), 0],
        [1, 0],
        [-reach * da.sin(q1), da.cos(q1)],
        [reach * da.cos(q1), da.sin(q1)],
        [1, 0],
    ]
    assert da.equal(formula(found, "H"), H)
    assert da.equal(formula(found, "HᵀMH"), [[5 * m * l**2 / 12 + m * reach**2, 0], [0, m]])
    assert da.equal(formula(found, "HᵀN"), [m * g * (l + q2) * da.cos(q1), m * g * da.sin(q1)])
    assert "A H = 0" in found.sentence
    check_formulas(found.formulas)


def test_moments_have_the_angular_velocity_of_their_body():
    cart = da.Body(m, (x, 0))
    rod = da.Body(m, (x + l * da.cos(theta), l * da.sin(theta)), I, theta)
    loads = [da.Load(force=(F, 0), point=(x, 0)), da.Load(torque=tau, orientation=theta)]
    system = da.System.from_bodies([cart, rod], coordinates=[x, theta], forces=loads)
    work = step(system.equations().derivation(), "Virtual work")
    assert da.equal(formula(work, "∂ω₂/∂q̇"), [[0, 1]])
    # a gear that no body has
    loads = [da.Load(torque=tau, orientation=3 * theta)]
    system = da.System.from_bodies([cart, rod], coordinates=[x, theta], forces=loads)
    work = step(system.equations().derivation(), "Virtual work")
    assert da.equal(formula(work, "ω₃"), 3 * theta.dot)
    assert da.equal(formula(work, "∂ω₃/∂q̇"), [[0, 3]])
    maximal = da.textbook.rp_arm_maximal().equations().derivation()
    lefts = [line.left for line in step(maximal, "Virtual work").formulas]
    assert "∂ω₁/∂q̇" in lefts
    assert "∂ω₂/∂q̇" not in lefts
