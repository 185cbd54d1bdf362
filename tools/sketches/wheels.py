"""Sketches of blades and wheels, seen from above."""

from __future__ import annotations

from tools.sketches.draw import Point, Sketch, between, polar


def _plane() -> Sketch:
    return Sketch().arrow((0, 0), (0.8, 0), "x").arrow((0, 0), (0, 0.8), "y")


def _wheel(s: Sketch, p: Point, heading: float) -> Sketch:
    return s.rod(polar(p, 0.25, heading), polar(p, -0.25, heading))


def _level(s: Sketch, p: Point, length: float) -> Sketch:
    return s.line(p, (p[0] + length, p[1]), dashed=True)


def skate() -> Sketch:
    p = (1.4, 0.7)
    s = _level(_plane(), p, 1.2).rod(polar(p, -0.6, 35), polar(p, 0.6, 35)).mass(p, "m", 135)
    return s.turn(p, 0.9, 0, 35, "φ").arrow(polar(p, 0.6, 35), polar(p, 1.2, 35), "F")


def sleigh() -> Sketch:
    p = (1.1, 0.6)
    centre = polar(p, 0.9, 35)
    s = _level(_plane(), p, 1.8).block(polar(p, 0.6, 35), 1.8, 0.8, 35).mass(centre, "m", 35)
    return _wheel(s, p, 35).text(between(p, polar(centre, 0.3, 125)), "a").turn(p, 1.6, 0, 35, "φ")


def sleigh_rotor() -> Sketch:
    p = (1.1, 0.6)
    centre = polar(p, 0.9, 35)
    s = (
        _level(_plane(), p, 1.3)
        .block(polar(p, 0.6, 35), 1.8, 0.8, 35)
        .disc(centre, 0.3)
        .mass(centre)
    )
    return _wheel(s, p, 35).turn(p, 1.6, 0, 35, "φ").turn(centre, 0.45, 60, 170, "ψ")


def bicycle() -> Sketch:
    rear = (1.0, 0.5)
    front = polar(rear, 1.8, 25)
    s = _level(_plane(), rear, 1.2).line(rear, front)
    _wheel(_wheel(s, rear, 25), front, 60).line(front, polar(front, 0.8, 25), dashed=True)
    return s.turn(rear, 0.9, 0, 25, "θ").turn(front, 0.6, 25, 60, "δ").text((1.9, 1.25), "l")


def trailer() -> Sketch:
    rear = (2.2, 1.0)
    front, axle = polar(rear, 1.3, 25), polar(rear, -1.5, 5)
    s = _level(_plane(), rear, 1.2).line(rear, front).line(rear, axle).pin(rear)
    _wheel(_wheel(_wheel(s, rear, 25), front, 55), axle, 5)
    s.line(front, polar(front, 0.7, 25), dashed=True).turn(front, 0.5, 25, 55, "δ")
    return s.turn(rear, 0.9, 0, 25, "θ").text(between(axle, (rear[0], rear[1] + 0.5)), "L, ψ")


def two_motors() -> Sketch:
    p = (1.4, 0.8)
    s = _level(_plane(), p, 1.3).disc(p, 0.75).mass(polar(p, 0.4, 30), "", 0)
    _wheel(_wheel(s, polar(p, 0.75, 120), 30), polar(p, -0.75, 120), 30)
    return (
        s.turn(p, 1.0, 0, 30, "θ")
        .text((1.0, 1.85), "φₗ")
        .text((2.1, 0.0), "φᵣ")
        .text((1.45, 1.2), "d")
    )


def snakeboard() -> Sketch:
    p = (1.8, 0.8)
    s = _plane().line(polar(p, -1.1, 20), polar(p, 1.1, 20)).disc(p, 0.4)
    _wheel(_wheel(s, polar(p, 1.1, 20), 60), polar(p, -1.1, 20), -20)
    _level(s, p, 1.4).turn(p, 0.55, 60, 150, "ψ").turn(p, 0.9, 0, 20, "θ")
    return s.turn(polar(p, 1.1, 20), 0.5, 20, 60, "φ")


def roller_racer() -> Sketch:
    p = (1.0, 0.6)
    hinge = polar(p, 1.3, 20)
    second = polar(hinge, 0.8, 55)
    s = _level(_plane(), p, 1.2).line(p, hinge).line(hinge, second).pin(hinge)
    _wheel(_wheel(s, p, 20), second, 55).line(hinge, polar(hinge, 0.9, 20), dashed=True)
    return (
        s.turn(p, 0.8, 0, 20, "θ")
        .turn(hinge, 0.6, 20, 55, "φ")
        .text((1.5, 1.05), "a")
        .text(polar(hinge, 0.6, 80), "b")
    )


SKETCHES = {
    "Skate on ice": skate,
    "Chaplygin's sleigh": sleigh,
    "Chaplygin's sleigh with a rotor": sleigh_rotor,
    "Kinematic bicycle": bicycle,
    "Car with a trailer": trailer,
    "Wheeled robot with two motors": two_motors,
    "Snakeboard": snakeboard,
    "Roller racer": roller_racer,
}
