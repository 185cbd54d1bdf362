"""Whatever a public function is given in the place of an argument: a result, or our own error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import Crossing, Delayed, FirstOrder, Sampled
from tests.figures import Figures


class Strange:
    """An object of no kind that is known."""


STRANGE: list[Any] = [
    *(3, -1, 0, 1.5, True, "x", "", b"x", None, 1j, float("nan"), float("inf"), 10**400, 1e-300),
    *([], [3], ["a"], [None], [1j], [[1], [2, 3]], {}, {"a": 1}, (1, 2, 3), set(), Strange()),
    *(np.array([]), np.array(["a"]), np.array([1j]), np.array(3), np.zeros((2, 3)), np.zeros(10)),
    *(np.ma.array([1.0, 2.0], mask=[True, False]), np.array(["2020"], "M8[D]"), len, int, da),
    *(lambda: 1, lambda *x: "a", lambda *x: None, lambda *x: [1j], lambda *x: 10**400, range(2)),
]


def arm() -> da.Mechanism:
    return da.textbook.robots.rp_mechanism().bind({"m": 1, "l": 0.5, "g": 9.81})


def good(tmp_path: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Return public functions, each with arguments that it accepts, of every kind."""
    model, ur5e = da.compile(arm()), da.compile(da.textbook.robots.ur5e())
    (x,), (k,) = da.coordinates("x"), da.parameters("k")
    spring = da.System(kinetic=x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x])
    start = {"model": model, "q0": [0.1, 0.2], "qd0": [0.0, 0.0]}
    oscillator = {"model": da.compile(spring), "q0": [1.0], "qd0": [0.0], "t": 0.01}
    watched = {"external": {}, "reference": "world", "initial": "check", "events": ()}
    method = da.simulation.DOP853(rtol=1e-9)
    target = ur5e.forward_kinematics([0.1, -1.0, 1.2, 0.3, 0.5, 0.2], frame="flange")
    path = tmp_path / "arm.json"
    da.save(arm(), path)
    law = {"law": lambda t, q, qd: -q, "period": 0.1, "delay": 0.0}
    quanta = {"position_quantum": 0.0, "velocity_quantum": 0.0, "force_quantum": 0.0, "sensors": ()}
    return {
        "simulate": (
            da.simulate,
            {**start, "t": 0.01, "forces": None, "method": method, **watched}
            | {"constraints": da.simulation.Projection()},
        ),
        "rollout": (
            da.rollout,
            {**start, "steps": 2, "forces": None, "method": da.simulation.RK4(0.01)}
            | {"parameters": {}, "controls": np.zeros((2, 2)), "external": {}, "record": 1},
        ),
        "sensitivities": (
            da.sensitivities,
            {**oscillator, "forces": None, "parameters": {"k": 1}, "method": method, **watched},
        ),
        "cost_gradient": (
            da.cost_gradient,
            {**oscillator, "forces": None, "parameters": {"k": 1}, "method": method, **watched}
            | {"running": x**2, "final": x},
        ),
        "solve_ik": (
            da.solve_ik,
            {"model": ur5e, "target": target, "q0": [0.0] * 6, "frame": "flange", "method": None}
            | {"limits": (), "objectives": (), "tolerance": 1e-9},
        ),
        "compile": (
            da.compile,
            {"description": arm(), "backend": "numpy", "parameters": {}, "dtype": "float64"},
        ),
        "load": (da.load, {"source": path, "accept_nonphysical": True, "root": tmp_path}),
        "Sampled": (Sampled, {**law, **quanta, "into": None}),
        "Delayed": (Delayed, {"law": law["law"], "delay": 0.1, "history": None}),
        "FirstOrder": (FirstOrder, {"rates": {x: -x}, "forces": [x], "start": {}, "commands": ()}),
        "Ground": (
            standing,
            {"friction": 0.5, "restitution": 0.0, "height": 0.0, "normal": (0, 0, 1)}
            | {"links": None, "rim_points": None},
        ),
        "TimeStepping": (stepped, {"step": 1e-3, "tolerance": 1e-4, "beta": 0.2}),
        "distances": (balls().distances, {"q": [0.0, 3.0], "pairs": [["a", "b"]], "exclude": ()}),
        "load_srdf": (da.load_srdf, {"source": srdf(tmp_path), "mechanism": ur5e.mechanism}),
        "check_answer": (
            da.check_answer,
            {"mine": "x.ddot + k*x = 0", "eq": spring.equations(), "part": None, "where": None},
        ),
        "check_derivation": (
            da.check_derivation,
            {"lines": "V = k*x**2/2", "eq": spring.equations()},
        ),
        "Crossing": (Crossing, {"of": x, "direction": -1, "name": "down", "change": None}),
    }


def balls() -> da.Model:
    rail = da.Builder("rail")
    for name in "ab":
        rail = rail.link(name, mass=1, inertia=(1, 1, 1)).shape(name, da.mechanism.Sphere(0.5))
        rail = rail.prismatic(f"slide of {name}", name, parent="world", axis="z")
    return da.compile(rail.build())


def standing(**options: Any) -> None:
    da.simulate(balls(), [2, 3], None, 0.001, events=[da.simulation.Ground(**options)])


def stepped(**options: Any) -> None:
    method = da.simulation.TimeStepping(sweeps=2, **options)
    da.rollout(balls(), [0, 3], [0, 0], steps=2, method=method, events=[da.simulation.Ground()])


def srdf(folder: Path) -> Path:
    path = folder / "arm.srdf"
    path.write_text('<robot name="ur5e"><group name="arm"><joint name="joint3"/></group></robot>')
    return path


NAMES = ["simulate", "rollout", "sensitivities", "cost_gradient", "solve_ik", "compile", "load"]
NAMES += ["Sampled", "Delayed", "FirstOrder", "Crossing", "Ground", "TimeStepping", "distances"]
NAMES += ["load_srdf", "check_answer", "check_derivation"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_a_strange_argument_gives_a_result_or_our_own_error(
    name: str, tmp_path: Path, figures: Figures
) -> None:
    function, arguments = good(tmp_path)[name]
    function(**arguments)
    foreign = []
    for argument in arguments:
        for value in STRANGE:
            try:
                function(**{**arguments, argument: value})
            except da.DalembertError as error:
                assert str(error).strip()  # noqa: PT017
            except Exception as error:
                foreign.append(f"{argument}={value!r:.40}: {type(error).__name__}: {error}"[:160])
    assert not foreign, "\n".join(["", *foreign])
    figures.count("strange arguments", len(arguments) * len(STRANGE))


@pytest.mark.parametrize("value", STRANGE, ids=lambda x: f"{x!r:.25}")
def test_a_force_that_is_none_stops_with_our_own_error(value: Any) -> None:
    model = da.compile(arm())

    def law(t: float, q: Any, qd: Any) -> Any:
        return value

    for forces in (law, Sampled(law, 0.05), Delayed(law, 0.01)):
        try:
            motion = da.simulate(model, [0.1, 0.2], None, 0.02, forces)
        except da.DalembertError as error:
            assert str(error).strip()  # noqa: PT017
        else:
            # numbers, and two of them
            assert np.shape(value) == (2,), motion.status
    for events in ([Crossing(law)], [Crossing(lambda t, q, qd: t - 0.01, change=law)]):
        try:
            da.simulate(model, [0.1, 0.2], None, 0.02, events=events)
        except da.DalembertError as error:
            assert str(error).strip()  # noqa: PT017


def test_a_class_in_the_place_of_an_object_is_named() -> None:
    with pytest.raises(da.EvaluationError, match=r"got the class RK4: write RK4\(\)"):
        da.simulate(da.compile(arm()), [0, 0], None, 1.0, method=da.simulation.RK4)  # type: ignore[arg-type]
    with pytest.raises(da.EvaluationError, match=r"expected an integrator .* for method=, got 3"):
        da.simulate(da.compile(arm()), [0, 0], None, 1.0, method=3)  # type: ignore[arg-type]


def test_samples_that_fill_the_memory_are_refused_before_they_do() -> None:
    with pytest.raises(da.EvaluationError, match=r"at most 10,000,000 samples .* got a period of"):
        da.simulate(da.compile(arm()), [0, 0], None, 1.0, Sampled(lambda *_: [0, 0], 1e-12))


@pytest.mark.parametrize("argument", ["model", "tasks", "dt", "limits", "velocity"])
def test_strange_arguments_of_differential_kinematics(argument: str) -> None:
    pytest.importorskip("daqp", reason="DAQP solves the programs of ticks")
    q = [0.1, 0.2]
    good = {"model": da.compile(arm()), "tasks": [da.ik.PostureTask(q)], "dt": 0.01}
    da.ik.DifferentialIK(**good).tick(q)
    for value in STRANGE:
        try:
            da.ik.DifferentialIK(**{**good, argument: value})
        except da.DalembertError as error:
            assert str(error).strip()  # noqa: PT017


@pytest.mark.parametrize("argument", ["margin", "pairs", "exclude"])
def test_strange_arguments_of_a_clearance(argument: str) -> None:
    model = da.compile(da.textbook.robots.ur5e())
    for value in STRANGE:
        try:
            limit = da.ik.Clearance(**{argument: value})
            da.solve_ik(model, np.eye(4), limits=[limit])
        except da.DalembertError as error:
            assert str(error).strip()  # noqa: PT017
