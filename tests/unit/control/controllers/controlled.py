"""Arms and pendulums that the tests of controllers share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import dalembert as da

PANDA_HOME = np.array([0.0, -0.5, 0.0, -1.8, 0.0, 1.5, 0.5])
UPRIGHT_CART = np.array([0.0, np.pi])
UPRIGHT_ACROBOT = np.array([np.pi, 0.0])


@cache
def panda() -> da.Model:
    return da.compile(da.textbook.robots.panda())


@cache
def planar() -> da.Model:
    return da.compile(planar_arm())


def planar_arm() -> Any:
    """Return a planar arm of two links, with numbers."""
    arm = da.textbook.robots.planar_arm_nr(2)
    values = {"g": 9.81, "a1": 1.0, "a2": 0.8, "a_c1": 0.5, "a_c2": 0.4}
    values |= {"m1": 2.0, "m2": 1.0, "I1": 0.2, "I2": 0.1}
    return arm.bind({x: values[plain(x)] for x in arm.parameters})


def plain(symbol: Any) -> str:
    """Return the name of a symbol without subscripts."""
    return symbol.symbol.name


@cache
def cart_pole() -> da.Model:
    m_c, m_p, l, g = da.parameters("m_c m_p l g")
    return da.compile(da.textbook.cart_pole(), parameters={m_c: 1.0, m_p: 0.3, l: 0.5, g: 9.81})


@cache
def acrobot() -> da.Model:
    """Return the acrobot of Xin and Kaneda (2007); angles from the downward vertical."""
    builder = da.Builder("acrobot", gravity=(0, -9.8, 0))
    builder.link("upper", mass=1, com=(0, -0.5, 0), inertia=(0.083, 0, 0.083))
    builder.link("lower", mass=1, com=(0, -1, 0), inertia=(0.33, 0, 0.33))
    builder.revolute("shoulder", "upper")
    builder.revolute("elbow", "lower", origin=(0, -1, 0))
    return da.compile(builder.build())


def with_wrong_masses(arm: Any, share: float) -> Any:
    """Return the arm with every second link too heavy by a share, the others too light."""
    links = []
    for k, link in enumerate(arm.links):
        f = 1 + share * (-1) ** k
        I = link.inertia
        wrong = type(I)(f * I.m, tuple(f * x for x in I.h), tuple(f * x for x in I.I))
        links.append(replace(link, inertia=wrong))
    return replace(arm, links=tuple(links))


def waves(center: np.ndarray, amplitude: float = 0.4) -> list[Any]:
    """Return a sinusoidal reference, each joint with its own frequency."""
    speeds = np.linspace(0.8, 2.0, len(center))
    return [
        float(c) + amplitude * da.sin(float(w) * da.time)
        for c, w in zip(center, speeds, strict=True)
    ]
