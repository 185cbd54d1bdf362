"""Results in notebooks: what they show is short, says its numbers, and is text, not markup."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.display import Printed
from dalembert.simulation import simulate

g, l = 9.81, 0.5
a = da.coordinates("a")[0]
m = da.parameters("m")[0]


def pendulum() -> da.System:
    """A point of 1 kg on a rod with a torque; m g is its weight."""
    (u,) = da.inputs("u")
    T, V = (l * a.dot) ** 2 / 2, -m * g * l * da.cos(a)
    return da.System(kinetic=T, potential=V, coordinates=[a], forces=[u])


def motion() -> da.simulation.Trajectory:
    return simulate(da.compile(pendulum(), parameters={m: 2}), [0.1], None, 0.5)


def gradient() -> Any:
    model = da.compile(pendulum())
    return da.cost_gradient(model, [0.1], [0.0], 0.5, final=a**2, parameters={m: 2})


def derivatives() -> Any:
    model = da.compile(pendulum())
    return da.sensitivities(model, [0.1], [0.0], [0.0, 0.5], parameters={m: 2})


def arm() -> da.Model:
    return da.compile(da.textbook.robots.ur5e())


Q = np.array([0, -1.2, 1.5, -1.0, -1.5, 0])
MADE: dict[str, tuple[Callable[[], Any], str]] = {
    "motion": (motion, "finished at t = 0.5"),
    # V = -m g l cos a = -2·9.81·0.5·cos 0.1
    "energy": (lambda: motion().energy, "V: -9.76099 J at the start"),
    # ω² = m g/l; the top is a saddle
    "linear motion": (
        lambda: analysis.linearise(da.compile(pendulum(), parameters={m: 2}), [np.pi]),
        "6.264",
    ),
    "modes": (lambda: analysis.modes(da.compile(pendulum(), parameters={m: 2}), [0.0]), "0.99698"),
    "ellipsoid": (lambda: analysis.ellipsoid(arm().jacobian(Q, "flange")[:3], "velocity"), "0.63"),
    "gradient": (gradient, "by m: "),
    "derivatives": (derivatives, "derivatives of 2 states at 2 times by the state at the start"),
    "payload": (lambda: analysis.payload(arm(), Q, "flange", effort=[150.0] * 6), "kg"),
    "reach": (lambda: da.solve_ik(arm(), arm().forward_kinematics(Q + 0.1, "flange"), Q), "q = ("),
}


@pytest.mark.parametrize("name", MADE)
def test_a_result_shows_what_it_prints(name: str) -> None:
    make, said = MADE[name]
    result = make()
    shown = result._repr_html_()
    assert said in str(result)
    assert shown.startswith("<pre")
    assert "array(" not in shown
    assert len(shown) < 2000


def test_text_is_no_markup() -> None:
    class Odd(Printed):
        def __str__(self) -> str:
            return "<script>alert(1)</script>"

    assert "<script" not in Odd()._repr_html_()
