"""Beams that bend, as links of a builder: against closed forms, literature and `da.Beam`."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism.parts.shape_functions import clamped
from dalembert.ring import equal

M, L, EI, G = da.parameters("m l EI g")
NUMBERS = {M: 1.3, L: 0.8, EI: 2.1, G: 9.81}
SLENDER = {"mass": 1, "length": 1, "stiffness": 1, "foreshortening": False}
DRAWN = {**SLENDER, "foreshortening": True}


def hertz(mechanism, q=None):
    model = da.compile(mechanism)
    return 2 * np.pi * da.analysis.modes(model, model.neutral if q is None else q).hertz


def same(eq, other):
    return all(equal(x, y) for x, y in zip([*eq.M, *eq.N], [*other.M, *other.N], strict=True))


@pytest.mark.parametrize("modes", [1, 2, 3, 4])
def test_equations_are_those_of_a_beam_in_a_system(modes):
    """On a hinge, with gravity: M and N agree as expressions."""
    q = da.coordinates(" ".join(f"q{i + 1}" for i in range(modes + 1)))
    shapes = [clamped(i) for i in range(modes)]
    beam = da.Beam(M, L, EI, q[1:], orientation=q[0], shapes=shapes, foreshortening=False)
    system = da.System.from_bodies([beam], coordinates=q, gravity=(0, -G))
    built = da.Builder("beam", gravity=(0, -G, 0))
    built = built.beam("rod", mass=M, length=L, stiffness=EI, modes=modes, foreshortening=False)
    built = built.revolute("j", "rod")
    assert same(system.equations(), built.build().equations())


def test_shapes_of_any_kind():
    """Shapes that are not orthogonal, one without a mean: still those of a beam in a system."""
    shapes = [lambda s: s**2, lambda s: s**3, lambda s: s**3 - 3 * s**2 / 4 + s**5 / 7]
    alone = [lambda s: s**3 - 3 * s**2 / 4]
    for given in (shapes, alone):
        q = da.coordinates(" ".join(f"q{i + 1}" for i in range(len(given) + 1)))
        beam = da.Beam(M, L, EI, q[1:], orientation=q[0], shapes=given, foreshortening=False)
        system = da.System.from_bodies([beam], coordinates=q, gravity=(0, -G))
        built = da.Builder("beam", gravity=(0, -G, 0))
        built.beam(
            "rod",
            mass=M,
            length=L,
            stiffness=EI,
            modes=len(given),
            shapes=given,
            foreshortening=False,
        )
        assert same(system.equations(), built.revolute("j", "rod").build().equations())


def test_a_second_link_on_the_tip():
    """A rod hinged to the tip is where point and direction of the tip say."""
    q = da.coordinates("q1 q2 q3 q4")
    shapes = [clamped(0), clamped(1)]
    beam = da.Beam(M, L, EI, q[1:3], orientation=q[0], shapes=shapes, foreshortening=False)
    angle = beam.angle(1) + q[3]
    tip = beam.point(1)
    com = [tip[0] + L / 2 * da.cos(angle), tip[1] + L / 2 * da.sin(angle)]
    rod = da.Body(M, com, M * L**2 / 12, angle)
    system = da.System.from_bodies([beam, rod], coordinates=q, gravity=(0, -G))
    I = M * L**2 / 12
    built = da.Builder("arm", gravity=(0, -G, 0)).beam(
        "boom", mass=M, length=L, stiffness=EI, foreshortening=False
    )
    built = built.revolute("slew", "boom").link("rod", mass=M, com=(L / 2, 0, 0), inertia=(0, I, I))
    built = built.revolute("elbow", "rod").build()
    assert built.joint("elbow").parent == "boom_tip"
    ours, theirs = (da.compile(x.bind(NUMBERS)) for x in (built, system))
    state = np.random.default_rng(4).uniform(-0.5, 0.5, (2, 4))
    np.testing.assert_allclose(ours.mass_matrix(state[0]), theirs.mass_matrix(state[0]), atol=1e-13)
    np.testing.assert_allclose(ours.bias(*state), theirs.bias(*state), atol=1e-12)


@pytest.mark.parametrize("load", [0, 0.5, 3])
def test_frequencies_with_a_load_at_the_tip(load):
    """β of 1 + cos β cosh β + μ β (cos β sinh β - sin β cosh β) = 0, with ω = β² √(EI/(m l³))."""

    def left(b):
        bend = np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b)
        return 1 + np.cos(b) * np.cosh(b) + load * b * bend

    beam = da.Builder("beam", gravity=(0, 0, 0)).beam("rod", **SLENDER, modes=5)
    beam.fixed("wall", "rod").link("load", mass=load).fixed("grip", "load")
    found = np.sqrt(hertz(beam.build()))
    expected: Any = [brentq(left, 0.8, 2), brentq(left, 3.8, 4.8)]
    np.testing.assert_allclose(found[:2], expected, rtol=1e-4)
    # an upper bound, as Rayleigh's
    assert (found[:2] > np.array(expected) * (1 - 1e-9)).all()


def test_weight_bends_it():
    """The tip hangs by m g l³/(8 EI) + M g l³/(3 EI), exactly with three shapes, and turns."""
    m, load, l, stiffness, g = 2.0, 0.5, 1.5, 900.0, 9.81
    beam = da.Builder("beam", gravity=(0, -g, 0))
    beam.beam("rod", mass=m, length=l, stiffness=stiffness, modes=3, foreshortening=False)
    beam.fixed("wall", "rod")
    model = da.compile(beam.link("load", mass=load).fixed("grip", "load").build())
    (rest,) = da.analysis.equilibria(model, starts=[model.neutral])
    tip = model.forward_kinematics(rest.q, "load")
    drop = m * g * l**3 / (8 * stiffness) + load * g * l**3 / (3 * stiffness)
    turn = m * g * l**2 / (6 * stiffness) + load * g * l**2 / (2 * stiffness)
    assert tip[1, 3] == pytest.approx(-drop, rel=1e-9)
    assert np.arctan2(tip[1, 0], tip[0, 0]) == pytest.approx(-turn, rel=1e-9)


# Wright, Smith, Thresher and Wang, Vibration modes of centrifugally stiffened beams, J. Appl. Mech.
# 49 (1982), table 1: the first flapping frequency of a uniform cantilever at the speed Ω, both in
# units of √(EI/(m l³))
FLAPPING = {2: 4.1373, 5: 6.4495, 12: 13.1702}


@pytest.mark.parametrize("speed", FLAPPING)
def test_a_rotating_beam_is_stiffened(speed):
    """Out of the plane of rotation as published; in it ω² is less by Ω²."""
    beam = da.Builder("blade", gravity=(0, 0, 0))
    beam.beam("rod", **DRAWN, modes=(4, 4)).revolute("shaft", "rod")
    model = da.compile(beam.drive("speed", "shaft", speed * da.time).build())
    places = [model.joint(f"rod_{axis}{i + 1}").index for axis in "yz" for i in range(4)]
    v = np.zeros(model.nv)
    v[model.joint("shaft").index] = speed
    # columns of -∂q̈/∂q; points drawn back are of second order
    step, K = 1e-6, np.zeros((8, 8))
    for k, place in enumerate(places):
        q = np.zeros(model.nq)
        q[place] = step
        K[:, k] = -model.forward_dynamics(q, v, np.zeros(model.nv), t=0.0)[places] / step
    lag, flap = (np.linalg.eigvals(K[a : a + 4, a : a + 4]).real.min() for a in (0, 4))
    # four shapes are few at high speed
    assert np.sqrt(flap) == pytest.approx(FLAPPING[speed], rel=1e-5 * (5 + speed**2))
    assert lag == pytest.approx(flap - speed**2, rel=1e-3)


def test_foreshortening_is_that_of_a_beam_in_a_system():
    """A pendulum that bends far: the same motion, with points drawn back by couplings."""
    q = da.coordinates("q1 q2 q3")
    beam = da.Beam(M, L, EI, q[1:], orientation=q[0], shapes=[clamped(0), clamped(1)])
    system = da.System.from_bodies([beam], coordinates=q, gravity=(0, -G))
    built = da.Builder("beam", gravity=(0, -G, 0))
    built.beam("rod", mass=M, length=L, stiffness=EI).revolute("j", "rod")
    ours, theirs = (da.compile(x.bind(NUMBERS)) for x in (built.build(), system))
    start, speed, times = [0.3, 0.1, -0.05], [1.0, -0.4, 0.2], np.linspace(0, 1, 5)
    motion = da.simulate(theirs, start, speed, times)
    # the sliders along x are linear in a of the couplings a = 0, with their velocities
    back = -ours.constraint_error([*start, 0, 0, 0])
    A = ours.constraint_jacobian([*start, *back])
    other = da.simulate(ours, [*start, *back], [*speed, *-A[:, :3] @ speed], times)
    assert motion.ok
    assert other.ok
    np.testing.assert_allclose(other.q[:, :3], motion.q, atol=1e-8)


def test_a_column_buckles_at_eulers_load():
    """P = π² EI/(4 l²) of a clamped column."""
    for factor, is_unstable in ((0.99, False), (1.02, True)):
        column = da.Builder("column", gravity=(-1, 0, 0))
        beam = {**DRAWN, "mass": 1e-3}
        column.beam("rod", **beam, modes=2).fixed("wall", "rod")
        column.link("load", mass=factor * np.pi**2 / 4).fixed("grip", "load")
        model = da.compile(column.build())
        (rest,) = da.analysis.equilibria(model, starts=[model.neutral])
        assert (rest.eigenvalues.real.max() > 1e-6) == is_unstable


def test_damping_of_the_material():
    """R is τ times the strain energy of the rates: the first mode decays with τ ω²/2."""
    beam = da.Builder("beam", gravity=(0, 0, 0)).beam("rod", **SLENDER, modes=1, damping=0.01)
    model = da.compile(beam.fixed("wall", "rod").build())
    poles = np.linalg.eigvals(da.analysis.linearise(model, [0.0]).A)
    # ω² = 20 of one shape, s²
    np.testing.assert_allclose(poles.real, -0.01 * 20 / 2, rtol=1e-12)
    np.testing.assert_allclose(abs(poles), np.sqrt(20), rtol=1e-12)


def test_kept_in_files_and_proved(tmp_path):
    beam = da.Builder("beam", gravity=(0, 0, -G))
    beam.beam("rod", mass=M, length=L, stiffness=(EI, 2 * EI), modes=(1, 1))
    mechanism = beam.revolute("j", "rod", axis="y").build()
    da.save(mechanism, tmp_path / "beam.json")
    assert da.load(tmp_path / "beam.json") == pickle.loads(pickle.dumps(mechanism)) == mechanism
    # lumped parameters want no l in a denominator
    assert [x.statement for x in mechanism.prove() if not x.is_proved] == [
        "M q̈ + C q̇ + N is linear in lumped parameters"
    ]


def test_held_deflections_leave_a_rod():
    """Locked and reduced it is the rigid rod; the next link is at its end."""
    rest, sixth = {"mass": 1, "inertia": (0.01,) * 3}, Fraction(1, 6)
    beam = da.Builder("arm").beam("boom", mass=2, length=1, stiffness=5, modes=(2, 1))
    beam = beam.revolute("slew", "boom", axis="y").link("load", **rest).revolute("wrist", "load")
    beam = beam.build()
    held = [joint.name for joint in beam.moving_joints if joint.name.startswith("boom")]
    rod = da.Builder("arm").link("boom", mass=2, com=(0.5, 0, 0), inertia=(0, sixth, sixth))
    rod = rod.revolute("slew", "boom", axis="y").link("load", **rest)
    rod = rod.revolute("wrist", "load", origin=(1, 0, 0)).build()
    assert len(held) == 6
    assert same(beam.lock(held).reduce().equations(), rod.equations())


def test_panels_of_a_satellite():
    """On a floating hub: one turning mode with both panels, as by hand; momentum is kept."""
    m, l, stiffness, hub, r = 5.0, 2.0, 20.0, 30.0, 0.5
    craft = da.Builder("satellite", gravity=(0, 0, 0)).link("hub", mass=100, inertia=(hub,) * 3)
    craft.floating("free", "hub")
    for side, turn in (("left", 0.0), ("right", np.pi)):
        craft.beam(side, mass=m, length=l, stiffness=stiffness, modes=1, foreshortening=False)
        origin = (r * np.cos(turn), 0, 0)
        craft.fixed(f"{side}_root", side, parent="hub", origin=origin, rpy=(0, 0, turn))
    craft.link("rotor", mass=2, inertia=(0.02,) * 3).revolute("wheel", "rotor", parent="hub")
    model = da.compile(craft.build())
    # θ of the hub, and η of both panels in s²: ∫φ = 1/3, ∫sφ = 1/4, ∫φ² = 1/5
    turning = hub + 2 * m * ((r + l) ** 3 - r**3) / (3 * l)
    both = 2 * m * (r / 3 + l / 4)
    bent, k = 2 * m / 5, 2 * 4 * stiffness / l**3
    omega = np.sqrt(k / (bent - both**2 / turning))
    found = 2 * np.pi * da.analysis.modes(model, model.neutral).hertz
    assert abs(found - omega).min() < 1e-9 * omega
    v = np.zeros(model.nv)
    v[3:6], v[-1] = [0.1, -0.05, 0.2], 50
    motion = da.simulate(model, model.neutral, v, [0, 0.5], method=da.simulation.DOP853())
    before, after = (model.centroidal_momentum(motion.q[i], motion.qd[i]) for i in (0, -1))
    np.testing.assert_allclose(after, before, atol=1e-9)


def test_its_coordinates_are_passive():
    """Nothing drives a deflection: the hinge alone has a torque."""
    beam = da.Builder("arm", gravity=(0, 0, 0)).beam("rod", **SLENDER).revolute("j", "rod").build()
    assert da.compile(beam).actuation.matrix.tolist() == [[1], [0], [0]]
    assert [str(x) for x in beam.system().forces] == ["τ₁", "0", "0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modes": 0}, "expected 1 to 8 modes of beam 'rod'"),
        ({"modes": (1, 2, 3)}, "numbers of modes"),
        ({"modes": 2, "shapes": [lambda s: s**2]}, "2 shapes of beam 'rod' that are independent"),
        ({"modes": 1, "shapes": [da.sin]}, "shapes of a beam"),
        ({"modes": 1, "shapes": 5}, "expected shapes for beam 'rod'"),
        ({"modes": 1, "shapes": [["a"]]}, "as functions of s or coefficients"),
        ({"length": 0}, "expected a positive length of beam 'rod'"),
        ({"stiffness": (1, -1)}, "expected a positive stiffness of beam 'rod'"),
        ({"mass": -1}, "mass that is not negative"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InvalidMechanism, match=message):
        da.Builder("beam").beam("rod", **{**SLENDER, **options}).fixed("wall", "rod").build()
