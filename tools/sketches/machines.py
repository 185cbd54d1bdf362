"""Sketches of machines and robots."""

from __future__ import annotations

from tools.sketches.draw import Sketch, polar


def crane() -> Sketch:
    load = polar((1.4, 2), 1.6, -65)
    s = Sketch().ground((3.2, 2.35), (0, 2.35)).block((1.4, 2.1), 0.9, 0.4, label="M")
    s.line((1.4, 1.9), load).block((load[0], load[1] - 0.2), 0.45, 0.4, label="m")
    s.line((1.4, 1.9), (1.4, 0.6), dashed=True).turn((1.4, 1.9), 0.9, -90, -65, "θ")
    return (
        s.arrow((0, 1.6), (0.9, 1.6), "x").text((2.0, 1.4), "l").arrow((1.85, 2.1), (2.5, 2.1), "F")
    )


def quadrotor() -> Sketch:
    p = (1.2, 1.8)
    load = polar(p, 1.3, -70)
    s = Sketch().rod(polar(p, -0.8, 15), polar(p, 0.8, 15)).mass(p, "M", 160)
    for end in (-0.8, 0.8):
        rotor = polar(polar(p, end, 15), 0.2, 105)
        s.line(polar(rotor, -0.3, 15), polar(rotor, 0.3, 15)).line(polar(p, end, 15), rotor)
    s.arrow(p, polar(p, 0.9, 105), "f").line(p, load).mass(load, "m", 0).line(
        p, (1.2, 0.7), dashed=True
    )
    return s.turn(p, 0.8, -90, -70, "α").line(p, (2.2, 1.8), dashed=True).turn(p, 1.0, 0, 15, "θ")


def slider_crank() -> Sketch:
    knee, piston = polar((0, 0), 0.9, 50), (2.6, 0)
    s = Sketch().ground((1.9, -0.3), (3.3, -0.3)).rod((0, 0), knee).rod(knee, piston)
    s.block(piston, 0.7, 0.5).pin((0, 0)).pin(knee).pin(piston).line((0, 0), (2.2, 0), dashed=True)
    s.turn((0, 0), 0.55, 0, 50, "θ").turn(piston, 0.9, 180, 161, "φ")
    return s.arrow((0, -0.7), (2.6, -0.7), "x").arrow((2.95, 0), (3.5, 0), "F")


def leg() -> Sketch:
    knee = polar((0, 0), 1.2, 70)
    tip = polar(knee, 1.2, 30)
    s = Sketch().ground((-0.4, 0), (0.4, 0)).rod((0, 0), knee).rod(knee, tip).pin((0, 0)).pin(knee)
    s.line((0, 0), (1.1, 0), dashed=True).line(knee, (knee[0] + 1, knee[1]), dashed=True)
    return (
        s.mass(tip, "", 0)
        .text((tip[0] + 0.4, tip[1]), "x, y")
        .turn((0, 0), 0.6, 0, 70, "q₁")
        .turn(knee, 0.8, 0, 30, "p₁")
    )


def parallel() -> Sketch:
    s = Sketch()
    corners = []
    for k in range(3):
        foot = polar((0, 0), 1.9, 90 + 120 * k)
        corner = polar((0, 0), 0.5, 100 + 120 * k)
        corners.append(corner)
        middle = ((foot[0] + corner[0]) / 2, (foot[1] + corner[1]) / 2)
        knee = polar(middle, 0.6, 180 + 120 * k)
        s.rod(foot, knee).rod(knee, corner).pin(foot).pin(knee).pin(corner)
        s.text(polar(foot, 0.3, 60 + 120 * k), f"q{'₁₂₃'[k]}")
    return s.line(*corners, corners[0]).mass((0, 0), "", 0).text((0.75, 0.45), "x, y, φ")


def eight_links() -> Sketch:
    p, angle = (0.0, 0.0), 70.0
    s = Sketch().ground((-0.4, 0), (0.4, 0))
    for turn in (0, -35, 20, -40, 25, -30, -25, 30):
        angle += turn
        after = polar(p, 0.65, angle)
        s.rod(p, after).pin(p)
        p = after
    return s.mass(p)


SKETCHES = {
    "Crane: a trolley with a rope of varying length": crane,
    "Quadrotor in the plane with a slung load": quadrotor,
    "Slider-crank": slider_crank,
    "One leg of a planar 3-RRR robot": leg,
    "Planar 3-RRR robot": parallel,
    "Planar arm with eight links": eight_links,
}
