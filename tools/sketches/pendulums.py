"""Sketches of pendulums."""

from __future__ import annotations

from tools.sketches.draw import Point, Sketch, polar


def _hung(p: Point = (0, 2)) -> Sketch:
    """Return a ceiling with a hinge."""
    x, y = p
    return Sketch().ground((x + 0.5, y), (x - 0.5, y)).line(p, (x, y - 1.4), dashed=True)


def spring_pendulum() -> Sketch:
    bob = polar((0, 2), 1.6, -60)
    s = _hung().spring((0, 2), bob, "k, l").mass(bob, "m", 0).pin((0, 2))
    return s.turn((0, 2), 0.9, -90, -60, "θ")


def coupled() -> Sketch:
    s = Sketch().ground((2.1, 2), (-0.5, 2))
    for x, angle, i in ((0, -75, "₁"), (1.6, -60, "₂")):
        bob = polar((x, 2), 1.7, angle)
        s.line((x, 2), (x, 0.9), dashed=True).rod((x, 2), bob).mass(bob, "m", 0).pin((x, 2))
        s.turn((x, 2), 0.8, -90, angle, f"θ{i}")
    return s.spring(polar((0, 2), 1.1, -75), polar((1.6, 2), 1.1, -60), "k")


def wilberforce() -> Sketch:
    s = Sketch().ground((0.6, 2.6), (-0.6, 2.6)).spring((0, 2.6), (0, 1.0), "").disc((0, 0.6), 0.4)
    return s.arrow((0.9, 1.6), (0.9, 0.6), "z").turn((0, 0.6), 0.65, 200, 330, "θ")


def on_a_circle() -> Sketch:
    pivot = polar((0, 0), 0.7, 40)
    bob = polar(pivot, 1.5, -65)
    s = (
        Sketch()
        .disc((0, 0), 0.7)
        .line((0, 0), pivot, dashed=True)
        .turn((0, 0), 0.4, 0, 40, "")
        .text((-0.1, 0.45), "γ t")
    )
    s.line(pivot, polar(pivot, 1.2, -90), dashed=True).rod(pivot, bob).mass(bob, "m", 0).pin(pivot)
    return s.turn(pivot, 0.8, -90, -65, "φ").text((0.35, 0.1), "a")


def wagon() -> Sketch:
    bob = polar((0, 1.3), 0.95, -120)
    s = Sketch().ground((-1.4, 0), (1.8, 0)).block((0, 0.85), 2.0, 1.1).disc((-0.6, 0.15), 0.15)
    s.disc((0.6, 0.15), 0.15).line((0, 1.4), (0, 0.5), dashed=True).rod((0, 1.4), bob).mass(
        bob, "", 0
    )
    return s.arrow((1.1, 1.0), (1.9, 1.0), "a").turn((0, 1.4), 0.6, -90, -120, "−θ")


def reaction_wheel() -> Sketch:
    top = polar((0, 0), 1.7, 65)
    s = Sketch().ground((-0.6, 0), (0.6, 0)).line((0, 0), (0, 1.5), dashed=True).rod((0, 0), top)
    s.disc(top, 0.55).pin(top).pin((0, 0)).turn((0, 0), 0.8, 90, 65, "θ")
    return s.turn(top, 0.75, 60, -40, "φ")


def _two_links(shoulder: str, elbow: str) -> Sketch:
    knee = polar((0, 0), 1.4, 35)
    tip = polar(knee, 1.3, 75)
    s = Sketch().ground((0, 0.5), (0, -0.5)).rod((0, 0), knee).rod(knee, tip).pin((0, 0)).pin(knee)
    s.line((0, 0), (1.6, 0), dashed=True).line(knee, polar(knee, 1.0, 35), dashed=True)
    s.turn((0, 0), 0.8, 0, 35, "q₁").turn(knee, 0.7, 35, 75, "q₂")
    return s.text((0.1, 0.45), shoulder).text((knee[0] - 0.25, knee[1] + 0.2), elbow)


def acrobot() -> Sketch:
    return _two_links("", "τ")


def pendubot() -> Sketch:
    return _two_links("τ", "")


def double_on_a_cart() -> Sketch:
    first = polar((1.8, 0.7), 1.1, -65)
    second = polar(first, 1.0, -45)
    s = Sketch().ground((0, 1.1), (0, 0.3)).line((0, 0.3), (3.4, 0.3), dashed=True)
    s.spring((0, 0.7), (1.3, 0.7), "k").block((1.8, 0.7), 1.0, 0.5).arrow(
        (1.8, 1.2), (2.6, 1.2), "x"
    )
    s.rod((1.8, 0.7), first).rod(first, second).mass(first, "m", 0).mass(second, "m", 0)
    s.line((1.8, 0.7), (1.8, -0.6), dashed=True).line(first, polar(first, 0.8, -65), dashed=True)
    return s.turn((1.8, 0.7), 0.8, -90, -65, "q₁").turn(first, 0.6, -65, -45, "q₂").pin((1.8, 0.7))


def tora() -> Sketch:
    tip = polar((1.9, 0.6), 0.7, -50)
    s = Sketch().ground((0, 1.1), (0, 0)).ground((0, 0), (3.4, 0)).spring((0, 0.6), (1.2, 0.6), "k")
    s.block((1.9, 0.6), 1.4, 1.0).rod((1.9, 0.6), tip).mass(tip, "m", -50).pin((1.9, 0.6))
    return (
        s.arrow((1.9, 1.35), (2.7, 1.35), "x")
        .turn((1.9, 0.6), 0.4, -90, -50, "θ")
        .arrow((2.6, 0.6), (3.2, 0.6), "F")
    )


SKETCHES = {
    "Spring pendulum": spring_pendulum,
    "Two pendulums coupled by a spring": coupled,
    "Wilberforce's pendulum": wilberforce,
    "Pendulum whose pivot goes round a circle": on_a_circle,
    "Pendulum in a wagon that speeds up": wagon,
    "Pendulum with a reaction wheel": reaction_wheel,
    "Acrobot": acrobot,
    "Pendubot": pendubot,
    "Double pendulum on a cart with a spring and dampers": double_on_a_cart,
    "Cart with an eccentric rotor (TORA)": tora,
}
