"""Sketches of particles and beads."""

from __future__ import annotations

import math

from tools.sketches.draw import Sketch, polar


def _axis(height: float, low: float = -0.3) -> Sketch:
    """Return a vertical axis that turns at the rate Ω."""
    return Sketch().line((0, low), (0, height), dashed=True).turn((0, height), 0.3, 200, 520, "Ω")


def hoop() -> Sketch:
    bead = polar((0, 0), 1.3, -50)
    s = _axis(1.9, -1.6).ring((0, 0), 1.3).line((0, 0), bead, dashed=True)
    return s.mass(bead, "m", -50).turn((0, 0), 0.6, -90, -50, "θ").text((0.35, 0.3), "R")


def wire() -> Sketch:
    tip, bead = polar((0, 0), 2.6, 35), polar((0, 0), 1.7, 35)
    s = Sketch().line((0, 0), (2.4, 0), dashed=True).rod((0, 0), tip).pin((0, 0))
    return s.mass(bead, "m", 125).turn((0, 0), 1.0, 0, 35, "Ω t").text(polar((0, 0.2), 1, 60), "r")


def helix() -> Sketch:
    points = [(math.cos(a), 0.3 * math.sin(a) + 0.13 * a) for a in (0.1 * i for i in range(160))]
    s = Sketch().curve(points).line((0, -0.3), (0, 2.5), dashed=True)
    return s.mass(points[75], "m", 0).arrow((0, 0), (1, 0), "R").turn((0, 2.3), 0.45, 200, 340, "φ")


def parabola() -> Sketch:
    points = [(0.1 * i, 0.5 * (0.1 * i) ** 2) for i in range(-19, 20)]
    s = _axis(2.2).curve(points).mass((1.3, 0.845), "m", -45)
    return s.arrow((0, 0.845), (0.8, 0.845), "x").text((-1.2, 1.6), "z = a x²")


def cycloid() -> Sketch:
    angles = [math.radians(6 * i) for i in range(-30, 31)]
    points = [(0.7 * (a + math.sin(a)), 0.7 * (1 - math.cos(a))) for a in angles]
    return (
        Sketch().curve(points).mass(points[42], "m", 150).line((-2.2, 1.4), (2.2, 1.4), dashed=True)
    )


def cone() -> Sketch:
    rim = [(1.3 * math.cos(a), 2 + 0.3 * math.sin(a)) for a in (0.1 * i for i in range(64))]
    s = Sketch().line((-1.3, 2), (0, 0), (1.3, 2)).curve(rim)
    s.line((0, 0), (0, 2.7), dashed=True).mass((0.85, 1.31), "m", 0).text((0.65, 0.55), "r")
    return s.turn((0, 0), 0.7, 90, 57, "α").turn((0, 2.5), 0.35, 200, 340, "φ")


def sphere() -> Sketch:
    rim = [(1.3 * math.cos(a), 0.3 * math.sin(a)) for a in (0.1 * i for i in range(64))]
    bead = polar((0, 0), 1.3, 40)
    s = Sketch().ring((0, 0), 1.3).curve(rim).line((0, 0), bead, dashed=True)
    return s.mass(bead, "m", 40).text((0.4, 0.55), "R").arrow((0, 0), (0, 1.9), "z")


def fields() -> Sketch:
    s = Sketch().arrow((0, 0), (2, 0), "x").arrow((0, 0), (0, 1.8), "y").mass((1, 0.9), "e", 90)
    for x in (0.45, 1.35):
        for y in (0.4, 1.35):
            s.disc((x, y), 0.09)
    return s.text((1.7, 1.5), "B").arrow((1.2, 0.9), (1.9, 0.9), "E")


def two_bodies() -> Sketch:
    centre = (1.2, 0.8)
    first, second = polar(centre, 0.8, 210), polar(centre, 1.4, 30)
    s = Sketch().line(first, second, dashed=True)
    s.mass(first, "m₁", 160).mass(second, "m₂", 80).pin(centre).text((1.15, 1.1), "X, Y")
    return s.line(centre, (2.3, 0.8), dashed=True).turn(centre, 0.7, 0, 30, "φ")


def foucault() -> Sketch:
    s = Sketch().ground((0.7, 2.6), (-0.7, 2.6)).line((0, 2.6), (0.7, 0.9)).mass((0.7, 0.9), "m", 0)
    s.text((0.55, 1.8), "l").arrow((0, 0), (1.6, 0), "x").arrow((0, 0), (0.9, 0.5), "y")
    return s.turn((0, 2.0), 0.5, 200, 330, "").text((-1.0, 1.7), "Ω sin β")


SKETCHES = {
    "Bead on a hoop that turns at a constant rate": hoop,
    "Bead on a straight wire that turns in a vertical plane": wire,
    "Bead on a helix": helix,
    "Bead on a turning parabola": parabola,
    "Bead on a cycloid": cycloid,
    "Particle in a cone": cone,
    "Particle on a sphere, by a constraint": sphere,
    "Charged particle in crossed fields": fields,
    "Two bodies that attract each other": two_bodies,
    "Foucault's pendulum": foucault,
}
