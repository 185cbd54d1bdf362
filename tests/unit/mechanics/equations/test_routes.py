"""Derivations body by body: positions, virtual work, and D'Alembert's route."""

from __future__ import annotations

import pickle

import pytest

import dalembert as da
from dalembert.expr import Matrix
from dalembert.mechanics.equations.derivation import Derivation, DerivationStep
from dalembert.mechanics.equations.routes.bodies import Bodies
from dalembert.mechanics.equations.routes.dalembert import same_as_lagrange

(q1, q2, a) = da.coordinates("q1 q2 a")
m, l, g, k, b, J = da.parameters("m l g k b J")
F, tau = da.inputs("F tau")

SYSTEMS = {
    name: getattr(da.textbook, name)
    for name in (
        "cart_pole",
        "double_pendulum",
        "free_rigid_body",
        "furuta_pendulum",
        "planar_arm",
        "pinned_three_link",
        "rolling_disc",
        "rp_arm",
        "spherical_pendulum",
        "wire_particles",
    )
}
MECHANISMS = {
    name: getattr(da.textbook.robots, name)
    for name in ("planar_3r", "rp_mechanism", "cart_pole_mechanism", "four_bar", "scara")
}


def step(derivation: Derivation, title: str) -> DerivationStep:
    (found,) = (s for s in derivation if s.title == title)
    return found


def formula(found: DerivationStep, left: str) -> da.Expr | Matrix:
    (line,) = (line for line in found.formulas if line.left == left)
    return line.right


@pytest.mark.parametrize("name", [*SYSTEMS, *MECHANISMS])
def test_dalembert_reaches_the_equations_of_lagrange(name: str) -> None:
    eq = (SYSTEMS | MECHANISMS)[name]().equations()
    if not eq.system.bodies and eq.tree is None:
        with pytest.raises(da.InvalidSystem, match="expected bodies for D'Alembert's principle"):
            eq.derivation("dalembert")
        return
    assert same_as_lagrange(Bodies(eq)).is_proved


def test_a_wrong_claim_is_refuted_by_dalembert() -> None:
    eq = da.textbook.planar_arm().equations()
    wrong = eq.replaced(N=-eq.N)
    proof = same_as_lagrange(Bodies(wrong))
    assert proof.verdict == "refuted"
    assert proof.counterexample is not None


def springs_and_rotors() -> da.Mechanism:
    arm = da.Builder("arm", gravity=(0, -g, 0))
    arm = arm.link("rod", mass=m, com=(l, 0, 0), inertia=(0, 0, J))
    return arm.revolute("hinge", "rod", armature=b, stiffness=k, damping=2 * k).build()


def test_rotors_springs_and_dampers_take_part() -> None:
    # by hand: (J + m l²) of the rod, b of the rotor, 2 k q̇ + k q of damper and spring
    eq = springs_and_rotors().equations()
    q = eq.coordinates[0]
    derivation = eq.derivation("dalembert")
    found = step(derivation, "Equation of q₁")
    assert da.equal(formula(found, "Z₁"), (J + m * l**2) * q.ddot)
    by_hand = b * q.ddot + 2 * k * q.dot + k * q + m * g * l * da.cos(q)
    assert da.equal(formula(found, "G"), by_hand)
    assert "weight and springs and dampers and rotors" in found.sentence
    assert derivation.steps[-1].remarks[0].startswith("✓ D'Alembert's principle")


def test_the_steps_of_dalembert_by_hand() -> None:
    bob = (l * da.sin(a), -l * da.cos(a))
    system = da.System.from_particles([m], [bob], coordinates=[a], gravity=(0, -g))
    derivation = system.equations().derivation("dalembert")
    second = Matrix.column(
        [
            l * da.cos(a) * a.ddot - l * da.sin(a) * a.dot**2,
            l * da.sin(a) * a.ddot + l * da.cos(a) * a.dot**2,
        ]
    )
    assert da.equal(formula(step(derivation, "Accelerations"), "r̈₁"), second)
    moved = formula(step(derivation, "Virtual displacements"), "∂r₁/∂q")
    assert da.equal(moved, Matrix.column([l * da.cos(a), l * da.sin(a)]))
    assert da.equal(formula(step(derivation, "Equation of a"), "Z₁"), m * l**2 * a.ddot)


def test_loads_have_a_step_of_virtual_work() -> None:
    push = da.Load(force=(F, 0), point=(l * da.sin(a), -l * da.cos(a)))
    twist = da.Load(torque=tau, orientation=a)
    bob = (l * da.sin(a), -l * da.cos(a))
    system = da.System.from_particles([m], [bob], coordinates=[a], forces=[push, twist])
    found = step(system.equations().derivation(), "Virtual work")
    assert "δW = Σ Fᵢ·δpᵢ + Mᵢ·δφᵢ = Υ·δq" in found.sentence
    assert da.equal(formula(found, "∂p₁/∂q"), Matrix.column([l * da.cos(a), l * da.sin(a)]))
    assert da.equal(formula(found, "∂ω₂/∂q̇"), Matrix([[1]]))
    assert da.equal(formula(found, "Υ"), Matrix([[F * l * da.cos(a) + tau]]))
    assert found.remarks == ()


def test_forces_beside_loads_are_mentioned_and_none_has_no_step() -> None:
    push = da.Load(force=(F, 0), point=(a, 0))
    options = {"kinetic": m * a.dot**2 / 2, "coordinates": [a]}
    both = da.System(**options, forces=[tau, push]).equations().derivation()
    assert step(both, "Virtual work").remarks == (
        "Υ also holds the forces that were given for the coordinates.",
    )
    alone = da.System(**options, forces=[tau]).equations().derivation()
    assert "Virtual work" not in [s.title for s in alone]


def test_loads_are_kept_by_a_pickle_and_do_not_act_twice() -> None:
    push = da.Load(force=(F, 0), point=(2 * a, 0))
    system = da.System(kinetic=m * a.dot**2 / 2, coordinates=[a], forces=[push])
    again = pickle.loads(pickle.dumps(system))
    assert again == system
    assert again.loads == system.loads == (push,)
    assert da.equal(again.equations().forces, Matrix([[2 * F]]))


def test_links_of_a_mechanism_keep_their_places_in_the_derivation() -> None:
    derivation = da.textbook.robots.rp_mechanism().equations().derivation()
    assert [s.title for s in derivation][:4] == [
        "Coordinates",
        "Positions",
        "Velocities",
        "Energies",
    ]
    energies = step(derivation, "Energies")
    total = formula(energies, "T")
    first, second = formula(energies, "T₁"), formula(energies, "T₂")
    assert isinstance(first, da.Expr)
    assert isinstance(second, da.Expr)
    assert da.equal(first + second, total)


def test_no_letter_has_two_meanings() -> None:
    # planar_3r has parameters r₁, r₂, r₃: its positions are called otherwise
    eq = da.textbook.robots.planar_3r().equations()
    names = {da.expr.symbol_text(p) for p in eq.parameters}
    assert "r1" in names
    lefts = [line.left for line in step(eq.derivation(), "Positions").formulas]
    assert lefts == ["p₁", "p₂", "p₃"]


def test_an_unknown_route_is_refused() -> None:
    eq = da.textbook.particle().equations()
    with pytest.raises(da.UnknownName, match="did you mean lagrange"):
        eq.derivation("langrange")  # type: ignore[arg-type]


def test_wrenches_on_a_mechanism_have_a_step_of_virtual_work() -> None:
    arm = da.Builder("arm").link("rod", mass=1, inertia=(1, 1, 1)).revolute("hinge", "rod")
    arm = arm.frame("tip", "rod", origin=(2, 0, 0)).build()
    eq = arm.equations(external={"tip": (0, F, 0, 0, 0, tau), "rod": (0, 0, 0, 0, 0, 0)})
    q = eq.coordinates[0]
    found = step(eq.derivation(), "Virtual work")
    assert da.equal(formula(found, "F₁"), Matrix.column([0, F, 0]))
    assert da.equal(formula(found, "p₁"), Matrix.column([2 * da.cos(q), 2 * da.sin(q), 0]))
    # the frame has an angular velocity of its own, that of no link
    assert da.equal(formula(found, "ω₂"), Matrix.column([0, 0, q.dot]))
    assert da.equal(formula(found, "∂ω₂/∂q̇"), Matrix.column([0, 0, 1]))
    (tau1,) = da.inputs("tau1")
    assert da.equal(formula(found, "Υ"), Matrix([[2 * F * da.cos(q) + tau + tau1]]))
    assert found.remarks
    assert "Virtual work" not in [s.title for s in arm.equations().derivation()]
