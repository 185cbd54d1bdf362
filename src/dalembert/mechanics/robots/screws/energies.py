"""Energies and their derivatives: steps 11 to 14 of the derivation by screws."""

from __future__ import annotations

from dalembert.expr import as_expr
from dalembert.mechanics.equations.derivation import DerivationStep
from dalembert.mechanics.robots.screws.velocities import weight
from dalembert.mechanics.robots.screws.writing import (
    Writing,
    column,
    flat,
    minus,
)
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.resistance.spring_inertia import spring_kinetic_energy
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.ring import Element, canonical
from dalembert.spatial.vectors import Scalar
from dalembert.typeset.render.names import subscript


def energies(w: Writing) -> DerivationStep:
    """Step 11: T and V of the links."""
    T, V = w.arm.kinetic(), w.arm.potential()
    turning = any(w.ring.element(x) != 0 for b in w.arm.bodies for x in flat(b.I0))
    law = "T = Σ ½ m ċᵀċ" + (" + ½ Ωᵀ I Ω with Ω = Rᵀω" if turning else "")
    rotors, springs = joint_energies(w)
    differences = [w.eq.forms.T - T - rotors, w.eq.forms.V - V - springs]
    return DerivationStep(
        "Compute T and V",
        f"{law}; V = -Σ m gᵀ c.",
        (w.formula("T", "T", T), w.formula("V", "V", V)),
        (w.proved("T and V = those of the tree (rotors and springs apart)", differences),),
    )


def joint_energies(w: Writing) -> tuple[Element, Element]:
    """Return T of rotors and of springs that have inertia, and V of the springs."""
    rotors = w.ring.zero
    for node in w.tree.nodes:
        if has_armature(node):
            for i in node.velocities:
                rotors = rotors + w.ring.element(armature(node)) * w.arm.v[i] ** 2 / 2
    rotors = rotors + spring_kinetic_energy(w.tree, w.arm.q, w.arm.v)
    springs = as_expr(spring_energy(w.exact, w.eq.coordinates))
    return rotors, canonical(w.ring, springs)


def centres(w: Writing) -> DerivationStep:
    """Step 12: the velocities of the centres of mass."""
    formulas, differences = [], []
    for i, body in enumerate(w.arm.bodies, 1):
        c, rate = w.arm.centre(body), w.arm.centre_velocity(body)
        formulas.append(w.matrix(f"c{subscript(i)}", f"c_{{{i}}}", [[x] for x in c]))
        formulas.append(w.matrix(f"ċ{subscript(i)}", f"\\dot{{c}}_{{{i}}}", [[x] for x in rate]))
        differences += minus([w.d_dt(x) for x in w.elements(c)], rate)
    return DerivationStep(
        "Compute the velocities of the centres",
        "c = e^(ξ̂₁ q₁) … c₀ gives ċ = Σ q̇ⱼ ξ̂′ⱼ c over the joints before it.",
        tuple(formulas),
        (w.proved("ċ = Σ q̇ⱼ ξ̂′ⱼ c against d/dt of c", differences),),
    )


def slopes(w: Writing) -> DerivationStep:
    """Step 13: ∂L/∂q by Lie brackets."""
    arm, n = w.arm, range(w.n)
    brackets: list[Scalar] = []
    for i in n:
        for k in n:
            direct = [w.dq[k](x) for x in w.elements([*arm.moved[i][0], *arm.moved[i][1]])]
            bracket = arm.twist_slope(i, k)
            brackets += minus(direct, [*bracket[0], *bracket[1]])
    rates: list[Scalar] = []
    for body in arm.bodies:
        for k in n:
            direct = [w.dq[k](x) for x in w.elements(arm.centre_velocity(body))]
            rates += minus(direct, arm.centre_velocity_slope(body, k))
    L = arm.kinetic() - arm.potential()
    values = [arm.lagrangian_slope(k) for k in n]
    formulas = [
        w.matrix(
            f"∂ξ′{subscript(i + 1)}/∂q{subscript(k + 1)}",
            f"\\frac{{\\partial \\xi'_{{{i + 1}}}}}{{\\partial q_{{{k + 1}}}}}",
            column(arm.twist_slope(i, k)),
        )
        for i in n
        for k in range(i)
    ]
    formulas += [w.formula(*_slope_names(k), values[k]) for k in n]
    direct = [w.dq[k](L) for k in n]
    return DerivationStep(
        "Compute ∂L/∂q",
        "∂ξ̂′ᵢ/∂qₖ = ξ̂′ₖ ξ̂′ᵢ - ξ̂′ᵢ ξ̂′ₖ for k < i and 0 otherwise, ∂c/∂qₖ = ξ̂′ₖ c; so "
        "∂ċ/∂qₖ = Σⱼ q̇ⱼ (∂ξ̂′ⱼ/∂qₖ c + ξ̂′ⱼ ξ̂′ₖ c), the terms j ≤ k included.",
        tuple(formulas),
        (
            w.proved("∂ξ′ᵢ/∂qₖ = [ξ′ₖ, ξ′ᵢ] against differentiation", brackets),
            w.proved("∂ċ/∂qₖ, all terms, against differentiation", rates),
            w.proved("∂L/∂qₖ by brackets = L differentiated", minus(values, direct)),
            w.proved("∂T/∂q₁ = 0: the first axis is fixed", [values[0] - weight(w, 0)]),
        ),
    )


def momenta(w: Writing) -> DerivationStep:
    """Step 14: the rate of ∂L/∂q̇, and so the equations."""
    arm, n = w.arm, range(w.n)
    values = [arm.momentum(k) for k in n]
    rates = [arm.momentum_rate(k) for k in n]
    T = arm.kinetic()
    same = minus(values, [w.dv[k](T) for k in n])
    same += minus(rates, [w.d_dt(p) for p in values])
    torques = [rates[k] - arm.lagrangian_slope(k) for k in n]
    left = w.eq.forms.M @ w.eq.second_rates + w.eq.bias_form
    final = [left[k] - torques[k] - x for k, x in enumerate(_joint_torques(w))]
    formulas = [w.formula(*_rate_names(k), rates[k]) for k in n]
    formulas += [w.formula(f"τ{subscript(k + 1)}", f"\\tau_{{{k + 1}}}", torques[k]) for k in n]
    return DerivationStep(
        "Compute d/dt ∂L/∂q̇",
        "∂ċ/∂q̇ₖ = ξ̂′ₖ c, and ċ, ξ̂′ₖ and c are differentiated by their own rules; τ is the "
        "difference to step 13.",
        tuple(formulas),
        (
            w.proved("d/dt ∂L/∂q̇ₖ by screws = T differentiated", same),
            w.proved("Euler–Lagrange by screws = mechanism.equations()", final),
        ),
    )


def _joint_torques(w: Writing) -> list[Element]:
    """Return what rotors, springs and dampers of the joints add to the left side."""
    rotors, springs = joint_energies(w)
    result = []
    for k in range(w.n):
        rotor = w.d_dt(w.dv[k](rotors)) - w.dq[k](rotors)
        drag = w.dv[k](w.eq.forms.dissipation)
        result.append(rotor + w.dq[k](springs) + drag)
    return result


def _slope_names(k: int) -> tuple[str, str]:
    return f"∂L/∂q{subscript(k + 1)}", f"\\frac{{\\partial L}}{{\\partial q_{{{k + 1}}}}}"


def _rate_names(k: int) -> tuple[str, str]:
    latex = f"\\frac{{d}}{{dt}} \\frac{{\\partial L}}{{\\partial \\dot{{q}}_{{{k + 1}}}}}"
    return f"d/dt ∂L/∂q̇{subscript(k + 1)}", latex
