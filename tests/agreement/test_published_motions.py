"""Motions with published reference values: multibody and celestial problems of test sets."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, simulate


def squeezer():
    """Andrews' squeezing mechanism: seven bodies, six loop equations, one motor.

    Data: E. Hairer & G. Wanner, Solving Ordinary Differential Equations II (1996), section VII.7.
    """
    q = da.coordinates("beta Theta gamma Phi delta Omega epsilon")
    b, T, g, P, d, W, e = q
    m1, m2, m3, m4, m5, m6, m7 = (
        *("0.04325", "0.00365", "0.02373", "0.00706", "0.07050", "0.00706", "0.05498"),
    )
    masses = [da.parse(x, []) for x in (m1, m2, m3, m4, m5, m6, m7)]
    i = [
        da.parse(x, [])
        for x in (
            "2.194e-6",
            "4.410e-7",
            "5.255e-6",
            "5.667e-7",
            "1.169e-5",
            "5.667e-7",
            "1.912e-5",
        )
    ]
    numbers = {
        "xa": "-0.06934", "ya": "-0.00227", "xb": "-0.03635", "yb": "0.03273", "xc": "0.014",
        "yc": "0.072", "d": "0.028", "da": "0.0115", "e": "0.02", "ea": "0.01421", "rr": "0.007",
        "ra": "0.00092", "ss": "0.035", "sa": "0.01874", "sb": "0.01043", "sc": "0.018",
        "sd": "0.02", "ta": "0.02308", "tb": "0.00916", "u": "0.04", "ua": "0.01228",
        "ub": "0.00449", "zf": "0.02", "zt": "0.04", "fa": "0.01421",
    }  # fmt: skip
    n = {name: da.parse(text, []) for name, text in numbers.items()}
    m1, m2, m3, m4, m5, m6, m7 = masses
    sin, cos = da.sin, da.cos
    f, z = n["zf"] - n["fa"], n["e"] - n["ea"]
    rr, lever, zt, u = n["rr"], n["da"], n["zt"], n["u"]
    bd, Td, gd, Pd, dd, Wd, ed = (x.dot for x in q)
    kinetic = (
        (m1 * n["ra"] ** 2 + m2 * (rr**2 - 2 * lever * rr * cos(T) + lever**2) + i[0] + i[1])
        * bd**2
        + 2 * (m2 * (lever**2 - lever * rr * cos(T)) + i[1]) * bd * Td
        + (m2 * lever**2 + i[1]) * Td**2
        + (m3 * (n["sa"] ** 2 + n["sb"] ** 2) + i[2]) * gd**2
        + (m4 * z**2 + i[3]) * Pd**2
        + 2 * (m4 * (z**2 + zt * z * sin(P)) + i[3]) * Pd * dd
        + (
            m4 * (zt**2 + 2 * zt * z * sin(P) + z**2)
            + m5 * (n["ta"] ** 2 + n["tb"] ** 2)
            + i[3]
            + i[4]
        )
        * dd**2
        + (m6 * f**2 + i[5]) * Wd**2
        + 2 * (m6 * (f**2 - u * f * sin(W)) + i[5]) * Wd * ed
        + (
            m6 * (f**2 - 2 * u * f * sin(W) + u**2)
            + m7 * (n["ua"] ** 2 + n["ub"] ** 2)
            + i[5]
            + i[6]
        )
        * ed**2
    ) / 2
    # a spring of 4530 N/m and 0.07785 m from body 3 to the ground
    x = n["sd"] * cos(g) + n["sc"] * sin(g) + n["xb"] - n["xc"]
    y = n["sd"] * sin(g) - n["sc"] * cos(g) + n["yb"] - n["yc"]
    stretch = da.sqrt(x**2 + y**2) - da.parse("0.07785", [])
    px = rr * cos(b) - n["d"] * cos(b + T)
    py = rr * sin(b) - n["d"] * sin(b + T)
    return da.System(
        coordinates=q,
        kinetic=kinetic,
        potential=4530 * stretch**2 / 2,
        forces=[da.parse("0.033", []), 0, 0, 0, 0, 0, 0],
        constraints=[
            px - n["ss"] * sin(g) - n["xb"],
            py + n["ss"] * cos(g) - n["yb"],
            px - n["e"] * sin(P + d) - zt * cos(d) - n["xa"],
            py + n["e"] * cos(P + d) - zt * sin(d) - n["ya"],
            px - n["zf"] * cos(W + e) - u * sin(e) - n["xa"],
            py - n["zf"] * sin(W + e) + u * cos(e) - n["ya"],
        ],
    )


@pytest.mark.parametrize("method", [None, DOP853()], ids=["default", "DOP853"])
def test_andrews_squeezer(method):
    """Reference at 0.03 s: F. Mazzia & C. Magherini, Test Set for IVP Solvers 2.4 (2008), II-13."""
    start = [
        -0.0617138900142764496358948458001,
        0.0,
        0.455279819163070380255912382449,
        0.222668390165885884674473185609,
        0.487364979543842550225598953530,
        -0.222668390165885884674473185609,
        1.23054744454982119249735015568,
    ]
    reference = [
        *(15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948),
        *(0.5244099658805304, 0.5347301163226948, 1.048080741042263),
    ]
    motion = simulate(da.compile(squeezer()), start, None, [0.0, 0.03], method=method)
    assert motion.ok
    np.testing.assert_allclose(motion.q[-1], reference, rtol=1e-9)


def test_pleiades():
    """Seven stars in a plane, t = 3: Test Set for IVP Solvers 2.4, II-10."""
    x = da.coordinates(" ".join(f"x{i}" for i in range(7)))
    y = da.coordinates(" ".join(f"y{i}" for i in range(7)))
    pairs = [(i, j) for i in range(7) for j in range(i)]
    distances = {(i, j): da.sqrt((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2) for i, j in pairs}
    system = da.System(
        coordinates=[*x, *y],
        kinetic=sum((i + 1) * (x[i].dot ** 2 + y[i].dot ** 2) for i in range(7)) / 2,
        potential=-sum((i + 1) * (j + 1) / distances[i, j] for i, j in pairs),
    )
    q0 = [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4]
    v0 = [0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0]
    reference = [
        *(0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310),
        *(0.3425581707156584, 1.562172101400631, -0.7003092922212495),
        *(-3.943437585517392, -3.271380973972550, 5.225081843456543, -2.590612434977470),
        *(1.198213693392275, -0.2429682344935824, 1.091449240428980),
    ]
    motion = simulate(da.compile(system), q0, v0, [0.0, 3.0])
    np.testing.assert_allclose(motion.q[-1], reference, rtol=1e-11)


def test_arenstorf_orbit_closes():
    """A satellite that passes the moon of mass μ comes back after a period.

    E. Hairer, S. P. Nørsett & G. Wanner, Solving Ordinary Differential Equations I (1993), II.0.
    """
    x, y = da.coordinates("x y")
    mu = da.parse("0.012277471", [])
    # in axes that turn with the earth and the moon
    kinetic = ((x.dot - y) ** 2 + (y.dot + x) ** 2) / 2
    V = -(1 - mu) / da.sqrt((x + mu) ** 2 + y**2) - mu / da.sqrt((x - 1 + mu) ** 2 + y**2)
    model = da.compile(da.System(lagrangian=kinetic - V, coordinates=[x, y]))
    start, rate = [0.994, 0.0], [0.0, -2.00158510637908252240537862224]
    motion = simulate(model, start, rate, [0.0, 17.0652165601579625588917206249])
    # an error grows by 1e4 and more on this orbit
    np.testing.assert_allclose(motion.q[-1], start, atol=1e-9)
    np.testing.assert_allclose(motion.qd[-1], rate, atol=1e-6)


def four_bars(count):
    """A ladder of four-bars that share their rods, links of 1 m and 1 kg, at 90°.

    The problem A02 of the IFToMM library of multibody benchmarks.
    """
    builder = da.Builder("ladder", gravity=(0, -9.81, 0))
    rod = {
        "mass": 1,
        "com": (0.5, 0, 0),
        "inertia": (0, da.parse("1/12", []), da.parse("1/12", [])),
    }
    for i in range(count + 1):
        builder.link(f"upright{i}", **rod)
        builder.continuous(f"pivot{i}", f"upright{i}", parent="world", origin=(i, 0, 0))
    for i in range(count):
        builder.link(f"top{i}", **rod)
        builder.continuous(f"top_pivot{i}", f"top{i}", parent=f"upright{i}", origin=(1, 0, 0))
        builder.loop(f"loop{i}", (f"top{i}", (1, 0, 0)), (f"upright{i + 1}", (1, 0, 0)))
    return builder.build()


@pytest.mark.parametrize("count", [1, 2])
def test_ladder_of_four_bars_keeps_its_energy_through_singular_positions(count):
    """All loops are flat at once where the uprights lie down; B₀ begins with 1 m/s."""
    model = da.compile(four_bars(count))
    q0 = [np.pi / 2] * (count + 1) + [-np.pi / 2] * count
    v0 = [-1.0] * (count + 1) + [1.0] * count
    motion = simulate(model, q0, v0, 10.0)
    assert motion.ok
    assert motion.energy_error < 1e-6
    # a parallelogram with equal uprights is one pendulum: ½ J ω² + M g ½ sin = const
    J = (count + 1) / 3 + count
    weight = 9.81 * ((count + 1) / 2 + count)
    angle, rate = motion.q[:, 0], motion.qd[:, 0]
    energy = J * rate**2 / 2 + weight * np.sin(angle)
    # near singular positions one upright is known less well than the whole: the library asks 0.1 J
    np.testing.assert_allclose(energy, J / 2 + weight, rtol=1e-4)
    np.testing.assert_allclose(motion.q[:, 1], angle, atol=1e-3)


def test_cartesian_pendulum_of_the_library():
    """The problem A01: a mass of 1 kg on a rod of 1 m from (-1, 0), 10 s; closed form by sn."""
    from scipy.special import ellipj, ellipk

    x, y = da.coordinates("x y")
    system = da.System(
        coordinates=[x, y],
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=da.parse("9.81", []) * y,
        constraints=[(x**2 + y**2 - 1) / 2],
    )
    motion = simulate(da.compile(system), [-1.0, 0.0], None, np.linspace(0, 10, 21))
    # sin(θ/2) = k sn(K - ω t), θ from the bottom, k = sin(π/4)
    m = 0.5
    sn = ellipj(ellipk(m) - np.sqrt(9.81) * motion.t, m)[0]
    theta = -2 * np.arcsin(np.sqrt(m) * sn)
    np.testing.assert_allclose(motion["x"], np.sin(theta), atol=1e-11)
    np.testing.assert_allclose(motion["y"], -np.cos(theta), atol=1e-11)
    # the tension of the rod: m g cos θ + m θ̇² = 3 m g cos θ, λ < 0 pulls inwards
    np.testing.assert_allclose(motion.lam[:, 0], -3 * 9.81 * np.cos(theta), atol=1e-9)
