"""Equilibria and modes of mechanisms with loops, springs and massless links, by energies."""

import numpy as np
import pytest

import dalembert as da

G = 9.81


def press():
    """Return a slider-crank whose guide is a joint of its own, a link without mass."""
    return (
        da.Builder("press", gravity=(0, -G, 0))
        .link("crank", mass=1, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        .revolute("shaft", "crank", stiffness=8, rest=0.4)
        .link("rod", mass=1, com=(0.3, 0, 0), inertia=(0.02, 0.02, 0.02))
        .revolute("pin", "rod", origin=(0.2, 0, 0))
        .link("ram", mass=4, inertia=(0.05, 0.05, 0.05))
        .revolute("wrist", "ram", origin=(0.6, 0, 0))
        .close("prismatic", "guide", ("world", (0, 0, 0)), ("ram", (0, 0, 0)), axis="x")
        .build()
    )


def places(a):
    """Return the mass centre of the rod, its angle, and the ram, as functions of the crank."""
    b = -np.arcsin(0.2 * np.sin(a) / 0.6)
    pin = np.array([0.2 * np.cos(a), 0.2 * np.sin(a)])
    return pin + 0.3 * np.array([np.cos(b), np.sin(b)]), b, pin[0] + 0.6 * np.cos(b)


def potential(a):
    (_, y), _, _ = places(a)
    return 4 * (a - 0.4) ** 2 + G * (0.1 * np.sin(a) + y)


def test_a_press_rests_and_swings_as_its_energies_say():
    """V' = 0, and ω² = V''/T' with T = ½ T' ȧ²: both by differences of one coordinate."""
    model = da.compile(press())
    points = da.analysis.equilibria(model)
    at = next(p for p in points if p.q[3] > 0)
    a, h = float(at.q[0]), 1e-4
    assert (potential(a + h) - potential(a - h)) / (2 * h) == pytest.approx(0, abs=1e-6)
    rod, turn, ram = (
        (np.asarray(x) - y) / (2 * h) for x, y in zip(places(a + h), places(a - h), strict=True)
    )
    inertia = 0.01 + 0.1**2 + rod @ rod + 0.02 * turn**2 + 4 * ram**2
    stiffness = (potential(a + h) - 2 * potential(a) + potential(a - h)) / h**2
    found = da.analysis.modes(model, at.q)
    assert found.frequencies == pytest.approx([np.sqrt(stiffness / inertia)], rel=1e-6)


def test_a_board_on_two_ropes_swings_as_a_pendulum():
    """A free body between springs: with both ropes parallel it swings as one of their length."""
    board = (
        da.Builder("swing", gravity=(0, 0, -G))
        .link("board", mass=3, inertia=(0.2, 0.3, 0.25))
        .floating("free", "board")
        .spring("rope1", ("world", (-1, 0, 0)), ("board", (-1, 0, 0)), stiffness=1e6, rest_length=2)
        .spring("rope2", ("world", (1, 0, 0)), ("board", (1, 0, 0)), stiffness=1e6, rest_length=2)
        .build()
    )
    model = da.compile(board)
    start = model.neutral
    start[2] = -2.0
    (rest,) = da.analysis.equilibria(model, starts=[start])
    length = 2 + 3 * G / 2e6
    assert rest.q[:3] == pytest.approx([0, 0, -length], abs=1e-9)
    found = da.analysis.modes(model, rest.q)
    # swaying both ways as a pendulum; turning about z: k = m g a²/l, a = 1; up: 2 k/m
    expected = [np.sqrt(G / length)] * 2 + [np.sqrt(3 * G / length / 0.25), np.sqrt(2e6 / 3)]
    for w in expected:
        assert np.abs(found.frequencies / w - 1).min() < 1e-6
