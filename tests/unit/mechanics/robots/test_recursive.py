"""Equations as the recursions compute them are those that Lagrange's method gives."""

from __future__ import annotations

import re

import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.mechanics.equations.graph_form import GraphForm
from dalembert.mechanics.robots.recursive import recursive_form
from dalembert.ring import canonical_all, is_zero
from tests.effort import at_once
from tests.random_mechanisms import SCALAR_KINDS, random_mechanism

ROBOTS = ["planar_3r", "stanford_arm", "four_bar", "five_bar", "scara"]


def check(robot: da.Mechanism) -> None:
    """Compare M q̈ + h - Υ - Aᵀλ with the canonical forms, exactly, and read the print back."""
    found, eq = recursive_form(robot), robot.equations()
    residuals = found.graphs.residuals(found.system.accelerations, found.right)
    for x, y in zip(canonical_all(eq.ring, residuals), eq.residual_form, strict=True):
        assert is_zero(x - y)
    found.check_print()


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_of_the_textbook(name: str) -> None:
    check(getattr(da.textbook.robots, name)())


def test_random_trees(rng) -> None:
    """Springs, rotors, dampers and mimic joints included."""
    for _ in range(3):
        check(random_mechanism(rng, 3, kinds=SCALAR_KINDS, mimic=0.5))


SPRUNG = """<mujoco><compiler angle="radian"/><worldbody><site name="hook" pos="0.2 -0.1 0.5"/>
<body><joint name="j1" axis="0 1 0" stiffness="3" springref="0.4" damping="0.2" armature="0.7"
 frictionloss="0.3"/><inertial pos="0.2 0 0.1" mass="2" diaginertia="0.1 0.2 0.15"/>
<body pos="0.5 0 0"><joint name="j2" type="slide" axis="0 0 1" damping="1.5"/>
<inertial pos="0 0.1 0.2" mass="1" diaginertia="0.1 0.1 0.1"/><site name="tip" pos="0.1 0.2 0"/>
</body></body></worldbody><tendon><spatial stiffness="40" springlength="0.3" damping="5">
<site site="hook"/><site site="tip"/></spatial></tendon></mujoco>"""


def test_springs_dry_friction_and_tendons() -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: it reads MJCF")
    check(da.load(SPRUNG))


def arm(n: int) -> da.Mechanism:
    """Return a spatial arm of n joints whose frames are turned by 1.5708, not by π/2."""
    text = '<robot name="arm"><link name="base"/>'
    for i in range(n):
        text += (
            f'<link name="l{i}"><inertial><origin xyz="0.01 0.02 0.1"/><mass value="1"/>'
            '<inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial>'
            f'</link>\n<joint name="j{i}" type="continuous"><axis xyz="0 0 1"/>'
            f'<parent link="{f"l{i - 1}" if i else "base"}"/><child link="l{i}"/>'
            f'<origin xyz="0 0.1 0.3" rpy="{"-" if i % 2 else ""}1.5708 0 0"/></joint>'
        )
    return da.load(f"{text}</robot>")


def test_an_arm_whose_terms_memory_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten joints took seven gigabytes; the bound is lower here, so that it is met soon."""
    monkeypatch.setattr("dalembert.ring.budget.MAX_BYTES_HELD", 5_000_000)
    robot = arm(10)
    with pytest.raises(da.TooLarge, match=r"bytes together(.|\n)*joint 'j0' at line"):
        robot.equations()
    found = at_once(lambda: recursive_form(robot))
    assert len(str(found)) < 200_000
    at_once(found.check_print)
    assert re.match(r"M₀₁₀₁ q̈₁ \+ M₀₁₀₂ q̈₂ .*\+ h₁ = τ₁", str(found).replace("\n   ", ""))


def test_a_print_of_other_equations_is_seen() -> None:
    found = recursive_form(da.textbook.robots.planar_3r())
    other = GraphForm(found.graphs.M, [x + 1 for x in found.graphs.h])
    wrong = type(found)(found.system, other, found.right, found.page)
    with pytest.raises(EvaluationError, match="read as another one"):
        wrong.check_print()
