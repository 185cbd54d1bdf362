"""Wheels, balls and ellipsoids that roll: a bicycle, a coin, a turntable, a rattleback."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.simulation import DOP853


def free(name, turns, **link):
    """Return a body that slides along x, y and z of the world, then turns about some axes."""
    builder = da.Builder(name)
    for axis in "xyz":
        builder.link(f"to_{axis}").prismatic(axis, f"to_{axis}", axis=axis)
    for axis, joint in turns[:-1]:
        builder.link(joint).revolute(joint, joint, axis=axis)
    return builder.link("body", **link).revolute(turns[-1][1], "body", axis=turns[-1][0])


def steady_eigenvalues(model, q, qd):
    """Return the eigenvalues of small changes of a steady motion that the constraints allow."""
    n, step = model.nv, 1e-4
    num = model.description.num_position_constraints

    def slope(f):
        """∂f/∂(q, q̇) by differences of fourth order."""
        columns = []
        for e in step * np.eye(2 * n):
            near, far = (f(*np.split(np.r_[q, qd] + k * e, 2)) for k in (1, 2))
            back, away = (f(*np.split(np.r_[q, qd] - k * e, 2)) for k in (1, 2))
            columns.append((8 * (near - back) - (far - away)) / (12 * step))
        return np.stack(columns, axis=1)

    def rate(x, v):
        return np.r_[v, model.forward_dynamics(x, v, np.zeros(n))]

    def kept(x, v):
        return np.r_[model.constraint_error(x)[:num], model.constraint_jacobian(x) @ v]

    C = slope(kept)
    _, sizes, rows = np.linalg.svd(C)
    Z = rows[int((sizes > 1e-7 * sizes[0]).sum()) :].T
    found = np.linalg.eigvals(Z.T @ slope(rate) @ Z)
    return np.sort_complex(found[abs(found) > 1e-2])


def test_the_benchmark_bicycle():
    """Meijaard, Papadopoulos, Ruina and Schwab, Linearized dynamics equations for the balance and
    steer of a bicycle, Proc. R. Soc. A 463 (2007), table 2: eigenvalues at 5 m/s."""
    wheels = [da.Rolling("rear", 0.3, "y"), da.Rolling("front", 0.35, "y")]
    model = da.compile(da.textbook.robots.bicycle().system(rolling=wheels))
    q, qd, v = np.zeros(9), np.zeros(9), 5.0
    qd[0], qd[6], qd[8] = v, v / 0.3, v / 0.35
    weave = -0.775341882195845 + 4.464867713788229j
    expected = [-14.078389692798220, weave.conjugate(), weave, -0.322866429004087]
    np.testing.assert_allclose(steady_eigenvalues(model, q, qd), expected, atol=1e-6)


@pytest.mark.parametrize(("factor", "is_unstable"), [(0.98, True), (1.02, False)])
def test_a_coin_stays_upright_above_its_critical_speed(factor, is_unstable):
    """A thin disc: v² > g r/3 (Routh, Advanced rigid dynamics, 1905)."""
    r, g = 0.2, 9.81
    thin = {"mass": 1, "inertia": (r * r / 4, r * r / 2, r * r / 4)}
    coin = free("coin", [("z", "yaw"), ("x", "lean"), ("y", "spin")], **thin)
    model = da.compile(coin.build().system(rolling=[da.Rolling("body", r, "y")]))
    q, qd, v = np.zeros(6), np.zeros(6), factor * np.sqrt(g * r / 3)
    q[2], qd[0], qd[5] = r, v, v / r
    found = steady_eigenvalues(model, q, qd)
    assert (found.real.max() > 0.1) == is_unstable


def test_a_ball_on_a_turntable_goes_round_with_two_sevenths():
    """The centre of a solid ball moves in a circle at 2/7 of the speed of the table (Earnshaw)."""
    r, speed = 0.1, 3.0
    ball = free("ball", [("x", "a"), ("y", "b"), ("z", "c")], mass=1, inertia=(2 * r * r / 5,) * 3)
    ball.link("table", mass=1, inertia=(1, 1, 1)).revolute("table", "table", parent="world")
    ball.drive("motor", "table", speed * da.time)
    model = da.compile(ball.build().system(rolling=[da.Rolling("body", r, on="table")]))
    q = [0.3, 0, r, 0, 0, 0, 0]
    times = np.linspace(0, 2, 9)
    motion = da.simulate(
        model, q, [0, 0.1, 0, 0, 0, 0, speed], times, initial="project", method=DOP853()
    )
    assert motion.ok
    z = motion.q[:, 0] + 1j * motion.q[:, 1]
    rate = motion.qd[:, 0] + 1j * motion.qd[:, 1]
    np.testing.assert_allclose(rate, rate[0] * np.exp(2j / 7 * speed * times), atol=1e-9)
    np.testing.assert_allclose(np.abs(rate), np.abs(rate[0]), atol=1e-10)
    assert abs(z[-1] - z[0]) > 0.1


def test_a_rattleback_rolls_as_by_hand():
    """Kane and Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear
    Mechanics 17 (1982): an ellipsoid whose principal axes of inertia are turned against it. The
    motion is that of Newton and Euler's equations about the contact, written here by hand."""
    axes, h, m, g = np.array([0.2, 0.03, 0.02]), 0.01, 1.0, 9.81
    tensor = np.array([[2e-4, -0.2e-4, 0], [-0.2e-4, 16e-4, 0], [0, 0, 17e-4]])
    inertia = (2e-4, 16e-4, 17e-4, -0.2e-4, 0, 0)
    stone = free(
        "stone",
        [("z", "yaw"), ("x", "roll"), ("y", "pitch")],
        mass=m,
        com=(0, 0, -h),
        inertia=inertia,
    )
    rolls = da.Rolling("body", tuple(axes))
    model = da.compile(stone.build().system(rolling=[rolls]))
    q, qd = np.array([0, 0, 0.02, 0, 0.01, 0.02]), np.array([0, 0, 0, -5.0, 0, 0])
    times = np.linspace(0, 0.4, 5)
    loose = DOP853(rtol=1e-9, atol=1e-11)
    motion = da.simulate(model, q, qd, times, initial="project", method=loose)
    assert motion.ok
    assert motion.energy_error < 1e-7

    def contact(up):
        depth = np.sqrt(up @ (axes**2 * up))
        # from the mass centre to the lowest point
        return -(axes**2) * up / depth + [0, 0, h]

    def rates(t, x):
        """ω and the vertical, both in axes of the stone."""
        w, up = x[:3], x[3:]
        s, turned = contact(up), -np.cross(w, up)
        d = 1e-6
        slip = (contact(up + d * turned) - contact(up - d * turned)) / (2 * d)
        v = -np.cross(w, s)
        # v̇ + ω × v = F/m - g up with v = -ω × s; I ω̇ + ω × I ω = s × F
        S = np.array([[0, -s[2], s[1]], [s[2], 0, -s[0]], [-s[1], s[0], 0]])
        left = tensor - m * S @ S
        known = np.cross(w, v) - np.cross(w, slip) + g * up
        right = m * np.cross(s, known) - np.cross(w, tensor @ w)
        return np.r_[np.linalg.solve(left, right), turned]

    start = _in_body(model, motion, 0)
    found = solve_ivp(rates, (0, 0.4), start, t_eval=times, rtol=1e-10, atol=1e-12).y
    for k in range(len(times)):
        np.testing.assert_allclose(_in_body(model, motion, k), found[:, k], atol=2e-5)


def _in_body(model, motion, k):
    """Return ω and the vertical in axes of the stone."""
    _, roll, pitch = motion.q[k, 3:]
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    R = Rx @ Ry
    dyaw, droll, dpitch = motion.qd[k, 3:]
    w = R.T @ [0, 0, dyaw] + Ry.T @ [droll, 0, 0] + [0, dpitch, 0]
    return np.r_[w, R.T @ [0, 0, 1]]


def test_refusals():
    ball = (
        da.Builder("ball")
        .link("ball", mass=1, inertia=(1, 1, 1))
        .revolute("j", "ball", axis="y")
        .build()
    )
    with pytest.raises(UnknownName, match="expected a link of ball, got 'bal'"):
        ball.system(rolling=[da.Rolling("bal", 1)])
    with pytest.raises(InvalidMechanism, match="expected positive radii"):
        ball.system(rolling=[da.Rolling("ball", -1)])
    with pytest.raises(InvalidMechanism, match="one radius of 'ball', or three semi-axes"):
        ball.system(rolling=[da.Rolling("ball", (1, 2, 3), "y")])


def test_a_ball_on_a_beam():
    """Its centre at height r above the beam: velocity (ẋ - r θ̇, x θ̇) there, spin θ̇ - ẋ/r."""
    m, r, beam, g = 0.1, 0.02, 0.3, 9.81
    J = 0.4 * m * r * r
    built = da.Builder("beam").link("beam", mass=1, inertia=(beam,) * 3)
    built.revolute("tilt", "beam", axis="-y").link("cart")
    built.prismatic("along", "cart", axis="x", origin=(0, 0, r))
    built.link("ball", mass=m, inertia=(J,) * 3).revolute("spin", "ball", axis="y")
    system = built.build().system(rolling=[da.Rolling("ball", r, on="beam")])
    # the slider keeps the height, and nothing goes sideways: these rows are left out
    assert (len(system.constraints), len(system.velocity_constraints)) == (0, 1)
    a, x = da.coordinates("a x")
    T = beam * a.dot**2 + m * ((x.dot - r * a.dot) ** 2 + (x * a.dot) ** 2)
    T = (T + J * (a.dot - x.dot / r) ** 2) / 2
    V = m * g * (x * da.sin(a) + r * da.cos(a))
    hand = da.compile(da.System(kinetic=T, potential=V, coordinates=[a, x]))
    found = da.compile(system).forward_dynamics([0.2, 0.3, 0], [0.4, -0.5, -0.5 / r], [0, 0, 0])
    np.testing.assert_allclose(found[:2], hand.forward_dynamics([0.2, 0.3], [0.4, -0.5], []))
