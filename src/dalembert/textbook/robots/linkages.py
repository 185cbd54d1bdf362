"""Planar closed chains of uniform rods: four-bar, slider-crank, five-bar; symbolic."""

from __future__ import annotations

from dalembert.expr import Expr, parameters
from dalembert.mechanism import Builder, Mechanism


def four_bar() -> Mechanism:
    """Return a four-bar linkage: crank l₁, coupler l₂, rocker l₃, ground l₀; 1 degree of freedom.

    Ground pivots at the origin and at (l₀, 0, 0), gravity along -y. The angles q₁ (crank), q₂
    (coupler against crank) and q₃ (rocker) are tied by the pin between coupler and rocker.
    """
    l0, l1, l2, l3 = parameters("l0 l1 l2 l3")
    builder = _builder("four_bar")
    for i, name in enumerate(("crank", "coupler", "rocker"), 1):
        _rod(builder, name, i)
    return (
        builder.revolute("pivot1", "crank")
        .revolute("pin1", "coupler", origin=(l1, 0, 0))
        .revolute("pivot2", "rocker", parent="world", origin=(l0, 0, 0))
        .loop("pin2", ("coupler", (l2, 0, 0)), ("rocker", (l3, 0, 0)))
        .build()
    )


def slider_crank() -> Mechanism:
    """Return a slider-crank: crank l₁, rod l₂, slider m₃ on the x axis; 1 degree of freedom.

    q₁ turns the crank, q₂ the rod against it, q₃ is the position of the slider; gravity along -y.
    """
    l1, l2, m3 = parameters("l1 l2 m3")
    builder = _builder("slider_crank")
    for i, name in enumerate(("crank", "rod"), 1):
        _rod(builder, name, i)
    return (
        builder.link("slider", mass=m3)
        .revolute("pivot", "crank")
        .revolute("crank_pin", "rod", origin=(l1, 0, 0))
        .prismatic("guide", "slider", parent="world", axis="x")
        .loop("slider_pin", ("rod", (l2, 0, 0)), ("slider", (0, 0, 0)))
        .build()
    )


def five_bar() -> Mechanism:
    """Return a five-bar linkage: two arms (l₁ l₂ and l₃ l₄) that share their tip.

    Ground pivots at the origin and at (l₀, 0, 0), gravity along -y; 2 degrees of freedom.
    """
    l0, l1, l2, l3, l4 = parameters("l0 l1 l2 l3 l4")
    builder = _builder("five_bar")
    for i, name in enumerate(("left_arm", "left_forearm", "right_arm", "right_forearm"), 1):
        _rod(builder, name, i)
    return (
        builder.revolute("left_shoulder", "left_arm")
        .revolute("left_elbow", "left_forearm", origin=(l1, 0, 0))
        .revolute("right_shoulder", "right_arm", parent="world", origin=(l0, 0, 0))
        .revolute("right_elbow", "right_forearm", origin=(l3, 0, 0))
        .loop("tip", ("left_forearm", (l2, 0, 0)), ("right_forearm", (l4, 0, 0)))
        .build()
    )


def _builder(name: str) -> Builder:
    (g,) = parameters("g")
    return Builder(name, gravity=(0, -g, 0))


def _rod(builder: Builder, name: str, i: int) -> None:
    """Add the i-th uniform rod, mass m_i and length l_i along its x axis."""
    m, l = parameters(f"m{i} l{i}")
    across: Expr = m * l**2 / 12
    builder.link(name, mass=m, com=(l / 2, 0, 0), inertia=(0, across, across))
