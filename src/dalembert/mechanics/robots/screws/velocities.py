"""Velocities and forces: steps 5 to 10 of the derivation by screws."""

from __future__ import annotations

from dalembert.expr import Matrix, inputs
from dalembert.mechanics.equations.derivation import DerivationLine, DerivationStep
from dalembert.mechanics.robots.screws.arm import at_point
from dalembert.mechanics.robots.screws.writing import (
    Writing,
    column,
    entries,
    flat,
    minus,
)
from dalembert.recursions.kinematics import jacobian
from dalembert.ring import Element, rebuild_matrix
from dalembert.spatial import se3
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import transform_twist
from dalembert.spatial.vectors import Mat, Scalar, Vec, dot, multiply, rotate, skew, sub
from dalembert.typeset.render.names import subscript


def velocity(w: Writing) -> DerivationStep:
    """Step 5: the velocity ġ g⁻¹."""
    inverse = w.g0.inverse()
    for X in reversed(w.arm.exponentials[: w.reach]):
        inverse = inverse @ X.inverse()
    ones = minus(entries(inverse @ w.g), entries(Pose()))
    V = w.arm.velocity(w.reach)
    W, v = _spatial_velocity(w)
    differences = minus([*flat(W), *v], [*flat(skew(V[1])), *V[0]])
    return DerivationStep(
        "Compute velocity",
        "V̂_ab = ġ_ab g_ab⁻¹ with g_ab⁻¹ = g_ab0⁻¹ e^(-ξ̂ₙ qₙ) … e^(-ξ̂₁ q₁).",
        (w.matrix("V̂_ab", "\\hat{V}_{ab}", se3.hat(V)),),
        (
            w.proved("g_ab⁻¹ begins with g_ab0⁻¹: g_ab⁻¹ g_ab = 1", ones),
            w.proved("V̂_ab = Σ q̇ᵢ Pᵢ₋₁ ξ̂ᵢ Pᵢ₋₁⁻¹", differences),
        ),
    )


def _spatial_velocity(w: Writing) -> tuple[Mat, Vec]:
    """Return rotation and translation part of ġ g⁻¹, differentiated directly."""
    R = [[w.d_dt(w.ring.element(x)) for x in row] for row in w.g.R]
    p = [w.d_dt(w.ring.element(x)) for x in w.g.p]
    W = multiply((tuple(R[0]), tuple(R[1]), tuple(R[2])), w.g.inverse().R)  # type: ignore[arg-type]
    # ġ g⁻¹ = [Ṙ Rᵀ, ṗ - Ṙ Rᵀ p]
    return W, sub((p[0], p[1], p[2]), rotate(W, w.g.p))


def adjoint(w: Writing) -> DerivationStep:
    """Step 6: how a motion carries a twist."""
    differences: list[Scalar] = []
    for P, xi in zip(w.arm.products[:-1], w.arm.xi, strict=True):
        v, omega = transform_twist(P, xi)
        W = multiply(multiply(P.R, skew(xi[1])), P.inverse().R)
        # P ξ̂ P⁻¹ = [R ω̂ Rᵀ, R v - R ω̂ Rᵀ p]
        shift = sub(rotate(P.R, xi[0]), rotate(W, P.p))
        differences += minus([*flat(W), *shift], [*flat(skew(omega)), *v])
    return DerivationStep(
        "Recall the adjoint",
        "g V̂ g⁻¹ = (Ad_g V)^ with Ad_g (v, ω) = (R v + p × R ω, R ω).",
        (),
        (w.proved("Pᵢ₋₁ ξ̂ᵢ Pᵢ₋₁⁻¹ = (Ad ξᵢ)^ for every joint", differences),),
    )


def hat_off(w: Writing) -> DerivationStep:
    """Step 7: the Jacobian, its columns the moved twists."""
    columns = [*w.arm.moved[: w.reach]]
    formulas = [
        w.matrix(f"ξ{'′' * (i > 1)}{subscript(i)}", f"\\xi{chr(39) * (i > 1)}_{{{i}}}", column(a))
        for i, a in enumerate(columns, 1)
    ]
    formulas.append(w.matrix("J", "J", _jacobian_rows(w)))
    expected = jacobian(w.tree, w.arm.q, w.frame, "spatial")
    differences: list[Scalar] = []
    for ours, theirs in zip(columns, expected, strict=False):
        differences += minus([*ours[0], *ours[1]], [*theirs[0], *theirs[1]])
    return DerivationStep(
        "Take the hat off",
        "V_ab = J q̇ with the twists at their new places, ξ′ᵢ = Ad ξᵢ, as columns.",
        tuple(formulas),
        (w.proved("J = spatial Jacobian by the tree", differences),),
    )


def _jacobian_rows(w: Writing) -> list[list[Scalar]]:
    """Return the rows of J; joints behind the frame have columns of zeros."""
    columns = [[*a[0], *a[1]] for a in w.arm.moved[: w.reach]]
    columns += [[0] * 6 for _ in range(w.n - w.reach)]
    return [[a[r] for a in columns] for r in range(6)]


def virtual_work(w: Writing) -> DerivationStep:
    """Step 8: torques of a wrench at frame b."""
    F = Matrix.column(inputs("F_x F_y F_z M_x M_y M_z"))
    J = rebuild_matrix(Matrix([w.elements(row) for row in _jacobian_rows(w)]))
    return DerivationStep(
        "Principle of virtual work",
        "V_abᵀ F = q̇ᵀ Jᵀ F = q̇ᵀ τ for every q̇; F is the wrench exerted by the robot, about "
        "the origin of frame a.",
        (DerivationLine("τ", "\\tau", J.T @ F),),
    )


def gravity(w: Writing) -> DerivationStep:
    """Step 9: torques of the weight."""
    slopes = [weight(w, k) for k in range(w.n)]
    direct = [-w.dq[k](w.arm.potential()) for k in range(w.n)]
    return DerivationStep(
        "Account for gravity",
        "τ = -∂L/∂q + Jᵀ F at rest, where L = -V.",
        (w.matrix("-∂L/∂q", "-\\frac{\\partial L}{\\partial q}", [[-x] for x in slopes]),),
        (w.proved("∂L/∂qₖ = Σ m gᵀ ξ̂′ₖ c at rest", minus(slopes, direct)),),
    )


def weight(w: Writing, k: int) -> Element:
    """Return Σ m gᵀ ξ̂′ₖ c, the part of the weight in ∂L/∂qₖ."""
    total = w.ring.zero
    for body in w.arm.bodies:
        if k < body.joints:
            lever = at_point(w.arm.moved[k], w.arm.centre(body))
            total = total + body.m * dot(w.arm.gravity, lever)
    return total


def inertia(w: Writing) -> DerivationStep:
    """Step 10: the equation that the other steps fill in."""
    return DerivationStep(
        "Account for gravity and inertia",
        "τ = d/dt ∂L/∂q̇ - ∂L/∂q + Jᵀ F.",
    )
