"""Beams by Rayleigh and Ritz: frequencies, deflections, stiffening and buckling in closed form."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem

m, l, EI, g = da.parameters("m l EI g")

# cos b cosh b = -1
CLAMPED = np.array([1.875104068711961, 4.694091132974174, 7.854757438237613])


def deflections(count, name="e"):
    return da.coordinates(" ".join(f"{name}{i + 1}" for i in range(count)))


def frequencies(system):
    """Return ω of small motions: the roots of det(K - ω² M) at η = 0."""
    eq = system.equations()
    rest = {x: 0 for q in eq.coordinates for x in (q, q.dot)} | {da.time: 0}
    n = range(len(eq.coordinates))
    M = [[float(eq.M[i, j].subs(rest).evaluate({})) for j in n] for i in n]
    K = [
        [float(as_force(eq, i).diff(q).subs(rest).evaluate({})) for q in eq.coordinates] for i in n
    ]
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def as_force(eq, i):
    """Return the left side of an equation without accelerations."""
    still = {q.ddot: 0 for q in eq.coordinates}
    return eq.residual[i].subs(still)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_cantilever_has_the_frequencies_of_the_closed_form(scale):
    """ω = b² √(EI/(m l³)); the first two to six digits, the third to five."""
    e = deflections(8)
    beam = da.Beam(2.0, scale, 3.0, e, foreshortening=False)
    found = frequencies(da.System.from_bodies([beam], coordinates=e))
    expected = CLAMPED**2 * np.sqrt(3.0 / (2.0 * scale**3))
    assert found[:2] == pytest.approx(expected[:2], rel=1e-6)
    assert found[2] == pytest.approx(expected[2], rel=1e-5)
    # Ritz: from above
    assert (found[:3] >= expected * (1 - 1e-9)).all()


def test_pinned_ends_have_the_squares_of_pi():
    e = deflections(6)
    shapes = [lambda s, k=k: s * (1 - s) * (2 * s - 1) ** k for k in range(6)]
    beam = da.Beam(1.0, 1.0, 1.0, e, shapes=shapes, foreshortening=False)
    found = frequencies(da.System.from_bodies([beam], coordinates=e))
    assert found[:2] == pytest.approx([np.pi**2, 4 * np.pi**2], rel=2e-5)


def test_a_load_at_the_tip_and_the_weight_bend_it_exactly():
    """F l³/(3 EI), and m g l³/(8 EI): cubic and quartic deflections are among the shapes."""
    e = deflections(3)
    (F,) = da.inputs("F")
    beam = da.Beam(m, l, EI, e, foreshortening=False)
    tip = beam.point(1)
    for gravity, load, expected in (
        (None, F, F * l**3 / (3 * EI)),
        ((0, g), 0, m * g * l**3 / (8 * EI)),
    ):
        push = da.Load(force=(0, load), point=tip)
        system = da.System.from_bodies([beam], coordinates=e, gravity=gravity, forces=[push])
        found = da.Matrix(
            [[x.diff(y) for y in e] for x in (as_force(system.equations(), i) for i in range(3))]
        )
        right = da.Matrix.column(
            [-as_force(system.equations(), i).subs(dict.fromkeys(e, 0)) for i in range(3)]
        )
        bent = dict(zip(e, found.solve(right).entries, strict=True))
        assert da.equal(tip[1].subs(bent), expected)


def test_a_heavy_tip_slows_it_down():
    """1 + cos b cosh b = (M/m) b (sin b cosh b - cos b sinh b), here with M = m, by bisection."""
    from math import cos, cosh, sin, sinh

    def left(b):
        return 1 + cos(b) * cosh(b) - b * (sin(b) * cosh(b) - cos(b) * sinh(b))

    low, high = 1.0, 1.8
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if left(low) * left(middle) > 0 else (low, middle)
    e = deflections(5)
    beam = da.Beam(1.0, 1.0, 1.0, e)
    system = da.System.from_bodies([beam, da.Body(1.0, beam.point(1))], coordinates=e)
    assert frequencies(system.small_motion())[0] == pytest.approx(low**2, rel=1e-8)


@pytest.mark.parametrize(
    ("speed", "count", "expected", "tolerance"),
    [(1, 4, 3.6817, 2e-4), (3, 4, 4.7973, 2e-4), (12, 5, 13.1702, 3e-3)],
)
def test_a_rotating_beam_is_stiffened(speed, count, expected, tolerance):
    """Wright, Smith, Thresher & Wang (1982), table 1: first flapping frequency of a blade.

    In the plane of rotation ω² is less by Ω².
    """
    f, e = deflections(count, "f"), deflections(count)
    R = da.rotation_z(speed * da.time)
    blade = da.Beam(1, 1, 1, (), across=f, orientation=R)
    flap = frequencies(da.System.from_bodies([blade], coordinates=f))[0]
    assert flap == pytest.approx(expected, abs=tolerance)
    lag = da.Beam(1, 1, 1, e, orientation=speed * da.time)
    within = frequencies(da.System.from_bodies([lag], coordinates=e))[0]
    assert within**2 == pytest.approx(flap**2 - speed**2, rel=1e-9)


def test_without_foreshortening_it_would_soften():
    """The classical error: K - Ω² M in the plane."""
    e = deflections(5)
    lag = da.Beam(1, 1, 1, e, orientation=3 * da.time, foreshortening=False)
    found = frequencies(da.System.from_bodies([lag], coordinates=e))[0]
    assert found**2 == pytest.approx(CLAMPED[0] ** 4 - 9, rel=1e-6)


def test_a_pushed_column_buckles_at_eulers_load():
    """π² EI/(4 l²): the stiffness vanishes there, and is positive below."""
    e = deflections(5)
    beam = da.Beam(1, 2, 3, e)
    critical = np.pi**2 * 3 / (4 * 2**2)
    for part, is_stable in ((0.9999, True), (1.0001, False)):
        push = da.Load(force=(-part * critical, 0), point=beam.point(1))
        eq = da.System.from_bodies([beam], coordinates=e, forces=[push]).equations()
        rest = {x: 0 for q in e for x in (q, q.dot)}
        K = [[float(as_force(eq, i).diff(q).subs(rest).evaluate({})) for q in e] for i in range(5)]
        assert (np.linalg.eigvalsh(np.array(K)).min() > 0) == is_stable


def test_a_flexible_arm_swings_and_is_proved():
    """Two links, the first one soft: energy is kept, and all proofs hold."""
    q1, q2, e1 = da.coordinates("q1 q2 e1")
    soft = da.Beam(1, 1, 50, [e1], orientation=q1)
    tip, turn = soft.point(1), soft.angle(1) + q2
    hand = (tip[0] + da.cos(turn) / 2, tip[1] + da.sin(turn) / 2)
    system = da.System.from_bodies(
        [soft, da.Body(1, hand, da.parse("1/12", []), turn)],
        coordinates=[q1, q2, e1],
        gravity=(0, -9.81),
    )
    model = da.compile(system)
    motion = da.simulate(model, [0.3, 0.2, 0.0], [0, 0, 0], 1.0)
    assert motion.ok
    assert motion.energy_error < 1e-10
    single = da.System.from_bodies([soft], coordinates=[q1, e1], gravity=(0, -9.81))
    proofs = {p.statement: p for p in single.equations().prove()}
    assert proofs["Euler–Lagrange residual = D'Alembert's, body by body"].is_proved
    assert proofs["M ⪰ 0"].is_proved


def test_odd_beams_are_refused():
    (e,) = da.coordinates("e")
    with pytest.raises(InvalidSystem, match="got none"):
        da.Beam(1, 1, 1, [])
    with pytest.raises(InvalidSystem, match="rotation matrix"):
        da.Beam(1, 1, 1, [], across=[e])
    with pytest.raises(InvalidSystem, match="2 components"):
        da.Beam(1, 1, 1, [e], origin=(0, 0, 0))
    with pytest.raises(InvalidSystem, match="one for each coordinate"):
        da.Beam(1, 1, 1, [e], shapes=[])
    with pytest.raises(InvalidSystem, match="polynomials of degree 20"):
        da.Beam(1, 1, 1, [e], shapes=[da.sin]).potential()
    with pytest.raises(InvalidSystem, match="numbers alone"):
        da.Beam(1, 1, 1, [e], shapes=[lambda s: l * s**2]).potential()
    with pytest.raises(InvalidSystem, match="in the plane"):
        da.Beam(1, 1, 1, [e], orientation=da.rotation_z(0)).angle(1)
