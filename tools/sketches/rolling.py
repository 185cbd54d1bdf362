"""Sketches of rolling bodies, tops and gyroscopes."""

from __future__ import annotations

import math

from tools.sketches.draw import Point, Sketch, polar


def _ellipse(p: Point, a: float, b: float, turn: float = 0) -> list[Point]:
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    around = [(a * math.cos(0.1 * i), b * math.sin(0.1 * i)) for i in range(64)]
    return [(p[0] + c * x - s * y, p[1] + s * x + c * y) for x, y in around]


def in_a_cylinder() -> Sketch:
    bowl = [polar((0, 2), 2, -160 + 5 * i) for i in range(29)]
    ball = polar((0, 2), 1.5, -60)
    s = Sketch().curve(bowl).disc(ball, 0.5).line((0, 2), ball, dashed=True).text((-0.8, 1.3), "R")
    return s.line((0, 2), (0, 0), dashed=True).turn((0, 2), 0.8, -90, -60, "θ").text(ball, "r")


def on_a_slope() -> Sketch:
    p = (1.05, 1.42)
    s = Sketch().ground((0, 1.5), (2.8, 0)).line((2.8, 0), (1.2, 0), dashed=True).disc(p, 0.45)
    s.turn((2.8, 0), 0.9, 180, 152, "α").arrow((-0.1, 2.3), (0.5, 1.98), "s").turn(
        p, 0.62, 40, -60, "φ"
    )
    return s.text(p, "m")


def loaded_hoop() -> Sketch:
    weight = polar((0, 1), 1.0, -130)
    s = Sketch().ground((-1.4, 0), (1.6, 0)).ring((0, 1), 1).mass(weight, "m", 200)
    return (
        s.line((0, 1), (0, 0), dashed=True)
        .line((0, 1), weight, dashed=True)
        .turn((0, 1), 0.5, -90, -130, "θ")
    )


def ball_on_a_beam() -> Sketch:
    a, b = polar((0, 0), 1.8, 200), polar((0, 0), 2.2, 20)
    ball = polar(polar((0, 0), 1.2, 20), 0.3, 110)
    s = Sketch().rod(a, b).disc(ball, 0.27).pin((0, 0)).ground((-0.4, -0.5), (0.4, -0.5))
    s.line((0, -0.5), (0, 0)).line((0, 0), (1.9, 0), dashed=True).turn((0, 0), 1.5, 0, 20, "φ")
    return s.text(polar((0, 0.25), 0.6, 35), "r").turn((0, 0), 0.45, 230, 310, "τ")


def ballbot() -> Sketch:
    top = polar((0, 0.6), 2.0, 70)
    s = (
        Sketch()
        .ground((-1.2, 0), (1.6, 0))
        .disc((0, 0.6), 0.6)
        .block(polar((0, 0.6), 1.4, 70), 1.4, 0.5, 70)
    )
    s.line((0, 0.6), (0, 2.4), dashed=True).turn((0, 0.6), 1.7, 90, 70, "θ").mass(
        polar((0, 0.6), 1.4, 70)
    )
    return s.turn((0, 0.6), 0.85, 220, 140, "φ").line((0, 0.6), top, dashed=True)


def top() -> Sketch:
    tip, middle = polar((0, 0), 2.1, 65), polar((0, 0), 1.3, 65)
    s = (
        Sketch()
        .ground((-0.8, 0), (1.2, 0))
        .rod((0, 0), tip)
        .curve(_ellipse(middle, 0.8, 0.22, -25))
    )
    s.line((0, 0), (0, 2.2), dashed=True).turn((0, 0), 1.0, 90, 65, "θ").turn(
        (0, 2.3), 0.35, 200, 340, "φ"
    )
    return s.turn(tip, 0.3, 200, -60, "ψ")


def gimbals() -> Sketch:
    s = Sketch().curve(_ellipse((0, 0), 1.5, 1.5)).curve(_ellipse((0, 0), 1.1, 0.45))
    s.disc((0, 0), 0.3).line((-1.5, 0), (-1.1, 0)).line((1.1, 0), (1.5, 0)).line((0, 1.5), (0, 1.9))
    s.line((0, -1.5), (0, -1.9)).line((-0.7, -0.35), (0.7, 0.35), dashed=True)
    return (
        s.turn((0, 1.8), 0.35, 200, 340, "φ")
        .turn((1.3, 0), 0.3, -60, 120, "θ")
        .turn((0.7, 0.35), 0.25, -80, 120, "ψ")
    )


def governor() -> Sketch:
    left, right = polar((0, 2.2), 1.3, -135), polar((0, 2.2), 1.3, -45)
    low = (0, 2.2 - 2 * 1.3 * math.sin(math.radians(45)))
    s = Sketch().line((0, 0), (0, 3.0), dashed=True).rod((0, 2.2), left).rod((0, 2.2), right)
    s.rod(left, low).rod(right, low).mass(left, "m", 180).mass(right, "m", 0)
    s.block(low, 0.5, 0.35, label="").text((0.5, low[1]), "M").turn((0, 2.2), 0.7, -90, -45, "θ")
    return s.turn((0, 2.95), 0.3, 200, 340, "φ").text((0.75, 2.0), "l")


ROLLING = {
    "Cylinder that rolls inside a fixed cylinder": in_a_cylinder,
    "Cylinder that rolls down a slope": on_a_slope,
    "Hoop with a weight on its rim": loaded_hoop,
    "Ball on a beam": ball_on_a_beam,
    "Ballbot in the plane": ballbot,
}
TOPS = {
    "Heavy top in Euler angles": top,
    "Gyroscope in gimbals": gimbals,
    "Watt's governor": governor,
}
