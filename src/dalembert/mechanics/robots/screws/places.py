"""Where things are: steps 1 to 4 of the derivation by screws."""

from __future__ import annotations

from dalembert.mechanics.equations.derivation import DerivationStep
from dalembert.mechanics.robots.screws.arm import at_point
from dalembert.mechanics.robots.screws.writing import (
    Writing,
    column,
    entries,
    minus,
)
from dalembert.recursions.kinematics import frame_pose
from dalembert.spatial import se3
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import exp_screw
from dalembert.spatial.vectors import Scalar, multiply, skew
from dalembert.typeset.render.names import subscript


def move_a_point(w: Writing) -> DerivationStep:
    """Step 1: the exponential of each unit twist."""
    formulas = []
    for i, (xi, X) in enumerate(zip(w.arm.xi, w.arm.exponentials, strict=True), 1):
        s, angle = subscript(i), f"q{subscript(i)}"
        formulas.append(w.matrix(f"ξ{s}", f"\\xi_{{{i}}}", column(xi)))
        left = f"e^{{\\hat{{\\xi}}_{{{i}}} q_{{{i}}}}}"
        formulas.append(w.matrix(f"e^(ξ̂{s} {angle})", left, se3.to_matrix(X)))
    differences: list[Scalar] = []
    for k, (xi, X) in enumerate(zip(w.arm.xi, w.arm.exponentials, strict=True)):
        # ∂E/∂q = ξ̂ E and E(0) = 1 have one solution
        slope = Pose(multiply(skew(xi[1]), X.R), at_point(xi, X.p))
        direct = [w.dq[k](x) for x in w.elements(entries(X))]
        differences += minus(direct, w.elements(entries(slope)))
        differences += minus(entries(exp_screw(xi, 0)), entries(Pose()))
    return DerivationStep(
        "How to move a point",
        "Joint i turns every point behind it by e^(ξ̂ᵢ qᵢ), with the unit twist ξ = (v, ω), "
        "v = p × ω for a point p of the axis in the initial configuration.",
        tuple(formulas),
        (w.proved("Rodrigues' formula is the exponential: ∂E/∂q = ξ̂E, E(0) = 1", differences),),
    )


def move_a_frame(w: Writing) -> DerivationStep:
    """Step 2: frame b in the initial configuration."""
    return DerivationStep(
        "How to move a frame",
        f"Frame b ({w.frame}) is carried along as its points are: g_ab = e^(ξ̂₁ q₁) g_ab0.",
        (w.matrix("g_ab0", "g_{ab0}", se3.to_matrix(w.g0)),),
    )


def move_two_links(w: Writing) -> DerivationStep:
    """Step 3: moved axes in order are initial axes in reverse order."""
    differences: list[Scalar] = []
    for i in range(w.n):
        P, moved = w.arm.products[i], exp_screw(w.arm.moved[i], w.arm.q[i])
        differences += minus(entries(moved @ P), entries(P @ w.arm.exponentials[i]))
    return DerivationStep(
        "How to move the end of two links",
        "Turning about the moved axes in order is turning about the initial axes in reverse "
        "order; Pᵢ₋₁ = e^(ξ̂₁ q₁) … e^(ξ̂ᵢ₋₁ qᵢ₋₁) and ξ̂′ᵢ is the axis that Pᵢ₋₁ has moved.",
        (),
        (w.proved("e^(ξ̂′ᵢ qᵢ) Pᵢ₋₁ = Pᵢ₋₁ e^(ξ̂ᵢ qᵢ) for every joint", differences),),
    )


def result(w: Writing) -> DerivationStep:
    """Step 4: the product of exponentials is forward kinematics."""
    expected = frame_pose(w.tree, w.tree.world_poses(w.arm.q), w.frame)
    differences = minus(entries(w.g), entries(expected))
    return DerivationStep(
        "The result for g_ab",
        "g_ab = e^(ξ̂₁ q₁) … e^(ξ̂ₙ qₙ) g_ab0, read from right to left.",
        (w.matrix("g_ab", "g_{ab}", se3.to_matrix(w.g)),),
        (w.proved("g_ab = forward kinematics by the tree", differences),),
    )
