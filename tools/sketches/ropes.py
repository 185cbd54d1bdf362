"""Sketches of blocks, ropes and springs."""

from __future__ import annotations

from tools.sketches.draw import Sketch, polar


def _pulley(x: float, y: float, r: float = 0.35) -> Sketch:
    return Sketch().disc((x, y), r).pin((x, y))


def atwood() -> Sketch:
    s = _pulley(0, 2, 0.5).ground((0.6, 2.9), (-0.6, 2.9)).line((0, 2.9), (0, 2))
    s.line((-0.5, 2), (-0.5, 0.9)).line((0.5, 2), (0.5, 1.3))
    s.block((-0.5, 0.65), 0.55, 0.5, label="m₁").block((0.5, 1.05), 0.55, 0.5, label="m₂")
    return s.arrow((-1.1, 2), (-1.1, 0.8), "x").text((0.75, 2.3), "I, r")


def double_atwood() -> Sketch:
    s = _pulley(0, 2.4).ground((0.6, 3.1), (-0.6, 3.1)).line((0, 3.1), (0, 2.4))
    s.line((-0.35, 2.4), (-0.35, 0.9)).block((-0.35, 0.65), 0.5, 0.5, label="m₁")
    s.line((0.35, 2.4), (0.75, 1.5)).disc((0.75, 1.5), 0.3).pin((0.75, 1.5))
    s.line((0.45, 1.5), (0.45, 0.7)).block((0.45, 0.45), 0.5, 0.5, label="m₂")
    s.line((1.05, 1.5), (1.05, 0.2)).block((1.05, -0.05), 0.5, 0.5, label="m₃")
    return s.arrow((-0.95, 2.2), (-0.95, 0.8), "x").arrow((1.6, 1.5), (1.6, 0.5), "y")


def swinging_atwood() -> Sketch:
    bob = polar((1.2, 2), 1.4, -60)
    s = _pulley(0, 2, 0.25).disc((1.2, 2), 0.2).line((0, 2.25), (1.2, 2.2))
    s.line((-0.25, 2), (-0.25, 0.9)).block((-0.25, 0.65), 0.5, 0.5, label="M")
    s.line((1.2, 2), bob).mass(bob, "m", 0).line((1.2, 2), (1.2, 0.6), dashed=True)
    return s.turn((1.2, 2), 0.8, -90, -60, "θ").text((1.85, 1.65), "r")


def wedge() -> Sketch:
    s = Sketch().ground((-0.4, 0), (3.2, 0)).line((0, 0), (2.6, 0), (0, 1.5), (0, 0))
    s.block((1.05, 1.16), 0.6, 0.45, -30, "m").text((0.6, 0.45), "M").turn(
        (2.6, 0), 0.8, 180, 150, "α"
    )
    return s.arrow((-0.2, -0.4), (0.9, -0.4), "X").arrow((-0.1, 2.1), (0.5, 1.76), "s")


def yo_yo() -> Sketch:
    s = Sketch().ground((0.7, 2.6), (-0.7, 2.6)).line((-0.2, 2.6), (-0.2, 0.8))
    s.disc((0, 0.8), 0.7).disc((0, 0.8), 0.2).turn((0, 0.8), 0.95, 40, -40, "φ")
    return s.arrow((-1.1, 2.4), (-1.1, 0.8), "x").text((0.35, 1.1), "r")


def carts() -> Sketch:
    s = Sketch().ground((0, 0), (5.6, 0)).ground((0, 0.9), (0, 0)).ground((5.6, 0), (5.6, 0.9))
    for i, x in enumerate((1.25, 2.75, 4.25), start=1):
        s.block((x, 0.45), 0.6, 0.5, label="m").disc((x - 0.2, 0.1), 0.1).disc((x + 0.2, 0.1), 0.1)
        s.arrow((x, 1.0), (x + 0.5, 1.0), f"x{'₀₁₂₃'[i]}")
    for a, b in ((0, 0.95), (1.55, 2.45), (3.05, 3.95), (4.55, 5.6)):
        s.spring((a, 0.45), (b, 0.45))
    return s


def puck() -> Sketch:
    s = (
        Sketch()
        .line((-1.4, 0.9), (0.8, 0.9), (1.8, 2), (-0.4, 2), (-1.4, 0.9))
        .disc((0.2, 1.45), 0.09)
    )
    s.line((0.2, 1.45), (-0.5, 1.7)).mass((-0.5, 1.7), "m", 180).line((0.2, 1.4), (0.2, 0.1))
    s.block((0.2, -0.15), 0.5, 0.5, label="M").text((-0.1, 1.8), "r")
    return s.turn((0.2, 1.45), 0.5, -20, 130, "φ")


def ladder() -> Sketch:
    s = Sketch().ground((0, 2.6), (0, 0)).ground((0, 0), (2.2, 0)).rod((0, 2.1), (1.3, 0))
    s.mass((0.65, 1.05), "", 0).text((1.2, 1.2), "x, y").turn((0, 2.1), 0.7, -90, -58, "θ")
    return s.arrow((1.3, 0), (1.3, 0.7), "λ₁").arrow((0, 2.1), (0.7, 2.1), "λ₂")


SKETCHES = {
    "Atwood's machine with a heavy pulley": atwood,
    "Double Atwood machine": double_atwood,
    "Swinging Atwood machine": swinging_atwood,
    "Block on a wedge that slides": wedge,
    "Yo-yo": yo_yo,
    "Train of three carts on springs": carts,
    "Puck on a table with a hanging mass": puck,
    "Ladder that slides down a wall": ladder,
}
