"""What a phase portrait shows, by numbers: points of rest, their kinds, separatrices."""

import matplotlib
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.pictures.plane import Plane
from dalembert.errors import EvaluationError
from dalembert.model import Model

matplotlib.use("Agg")

(theta,) = da.coordinates("theta")


def pendulum(damping: float = 0.0) -> Model:
    system = da.System(
        kinetic=theta.dot**2 / 2,
        potential=-da.cos(theta),
        dissipation=damping * theta.dot**2 / 2,
        coordinates=[theta],
    )
    return da.compile(system)


def plane(model: Model) -> Plane:
    return Plane(model, 0, np.zeros(1), np.zeros(0), None)


def test_points_of_rest_and_their_kinds() -> None:
    rests = plane(pendulum()).rests(-7, 7)
    np.testing.assert_allclose([r.q for r in rests], np.arange(-2, 3) * np.pi, atol=1e-12)
    assert [r.kind for r in rests] == ["centre", "saddle", "centre", "saddle", "centre"]
    assert [r.kind for r in plane(pendulum(0.3)).rests(-4, 4)] == ["saddle", "attracting", "saddle"]
    assert plane(pendulum(-0.3)).rests(-1, 1)[0].kind == "repelling"


def test_separatrices_of_the_pendulum_have_the_energy_of_the_saddle() -> None:
    flat = plane(pendulum())
    saddle = flat.rests(3, 4)[0]
    for curve in flat.separatrices(saddle, (-np.pi, np.pi, -3, 3)):
        np.testing.assert_allclose(flat.energy(*curve.T), 1.0, atol=1e-5)
        # v = ±2 cos(θ/2)
        np.testing.assert_allclose(abs(curve[:, 1]), 2 * abs(np.cos(curve[:, 0] / 2)), atol=1e-3)


def test_weak_damping_is_not_taken_for_none() -> None:
    x, v = np.meshgrid(np.linspace(-3, 3, 9), np.linspace(-2, 2, 9))
    assert plane(pendulum()).keeps_energy(x, v)
    assert not plane(pendulum(1e-6)).keeps_energy(x, v)


def test_the_picture_has_lines_and_marks() -> None:
    ax = da.analysis.phase_portrait(pendulum(), (-4, 4))
    assert len(ax.lines) == 4  # the axis and three points of rest
    assert ax.get_xlabel() == r"$\theta$"
    damped = da.analysis.phase_portrait(pendulum(0.2), (-4, 4))
    # besides, four separatrices at each of two saddles
    assert len(damped.lines) == 4 + 8
    import matplotlib.pyplot as plt

    plt.close("all")


def test_what_has_no_portrait_is_refused() -> None:
    driven = da.compile(
        da.textbook.driven_pendulum(), parameters={"m": 1, "l": 1, "g": 9.81, "a": 0.1, "omega": 9}
    )
    with pytest.raises(EvaluationError, match="changes with time"):
        da.analysis.phase_portrait(driven)
    with pytest.raises(EvaluationError, match="coordinate among theta"):
        da.analysis.phase_portrait(pendulum(), coordinate="phi")
    with pytest.raises(EvaluationError, match="orientations"):
        da.analysis.phase_portrait(da.compile(da.textbook.robots.quadrotor()))
