"""Random models of all scales: every motion is right by a second method, or stops with a reason.

``python -m tests.laws.test_random_motions 200 7`` looks at 200 models from the seed 7 and counts;
with ``100`` behind it motions last a hundred times as long.
"""

import sys
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, Crossing, JointStops, Radau, Sampled, Taylor, simulate
from tests.cases import num_cases

AGREE = 1e-6
"""Two methods at their tightest differ by less, beside the size of the motion."""

NUDGE, MARGIN = 1e-12, 10.0
"""Of starts that differ by rounding, and by how much more two methods may differ."""

KINDS = ("revolute", "revolute", "prismatic", "spherical", "universal")


class Case(NamedTuple):
    """A model to move, from where, how long (s), and what acts on it."""

    model: Any
    q0: np.ndarray
    v0: np.ndarray
    duration: float
    forces: Any
    events: list[Any]
    features: tuple[str, ...]


def random_case(rng, stretch=1.0):
    """Return a chain of a random size in metres and kilograms, some of it closed or driven.

    It moves for about its own period, ``stretch`` times as long.
    """
    length, mass = 10.0 ** rng.uniform(-4, 4), 10.0 ** rng.uniform(-4, 4)
    second = float(np.sqrt(length / 9.81))
    features = [
        x for x in ("loop", "drive", "stiff", "stops", "sampled", "events") if rng.random() < 0.3
    ]
    if "sampled" in features and "stops" in features:
        features.remove("stops")
    builder = _chain(rng, length, mass, second, features)
    mechanism = builder.build()
    model = da.compile(mechanism)
    q0 = model.random_configuration(seed=int(rng.integers(1 << 30)))
    q0 = np.where(np.abs(q0) > 1e3, 0.0, q0)
    if "loop" in features:
        mechanism, q0 = _closed(rng, builder, model, q0, length)
        model = da.compile(mechanism)
    v0 = 0.3 * rng.normal(size=model.nv) / second * _sizes(model, length)
    events: list[Any] = []
    if any(joint.limits.lower is not None for joint in mechanism.joints):
        events.append(JointStops(restitution=float(rng.uniform(0, 0.9))))
    if "events" in features:
        events.append(Crossing(da.sin(7 * da.time / second), name="clock"))
    forces = None
    if "sampled" in features:
        torque = 0.2 * mass * 9.81 * length
        forces = Sampled(
            lambda t, q, v: np.full(model.nv, -torque * np.sign(np.sin(5 * t / second))), second / 7
        )
    return Case(
        model,
        q0,
        v0,
        float(stretch * second * rng.uniform(0.3, 1.0)),
        forces,
        events,
        tuple(features),
    )


def _chain(rng, length, mass, second, features):
    builder = da.Builder("random", gravity=tuple(9.81 * x for x in rng.normal(size=3).round(3)))
    for i in range(int(rng.integers(1, 4))):
        m, arm = mass * rng.uniform(0.3, 3), length * rng.uniform(0.3, 1)
        com = tuple((arm * rng.normal(size=3) / 2).tolist())
        inertia = tuple((m * arm**2 * rng.uniform(0.6, 1.0, size=3)).tolist())
        kind = str(rng.choice(KINDS))
        options: dict[str, Any] = {"origin": tuple((arm * rng.normal(size=3)).tolist())}
        if kind in ("revolute", "prismatic"):
            options["axis"] = str(rng.choice(["x", "y", "z"]))
            # N m/rad or N/m that give about the frequency of the pendulum, or much more
            unit = m * arm**2 if kind == "revolute" else m
            factor = 1e5 if "stiff" in features else 1.0
            options["stiffness"] = factor * unit / second**2 * rng.uniform(0, 1)
            options["damping"] = factor * unit / second * rng.uniform(0, 0.3)
            if "stops" in features:
                size = 1.0 if kind == "revolute" else length
                options["limits"] = (-0.6 * size, 0.8 * size)
        builder.link(f"l{i}", mass=m, com=com, inertia=inertia)
        getattr(builder, kind)(f"j{i}", f"l{i}", **options)
        if "drive" in features and kind == "revolute":
            features.remove("drive")
            features.append("driven")
            builder.drive("drive", f"j{i}", da.sin(da.time / second) / 2)
    if "drive" in features:
        features.remove("drive")
    return builder


def _closed(rng, builder, model, q0, length):
    """Tie a point of the last link to the ground where it is."""
    last = builder.joints[-1].child
    t = 0.0 if model.description.is_timed else None
    point = (length * rng.normal(size=3)).tolist()
    X = model.forward_kinematics(q0, last, t=t)
    place = X[:3, :3] @ point + X[:3, 3]
    builder.loop("tie", (last, tuple(point)), ("world", tuple(place.tolist())))
    return builder.build(), q0


def _sizes(model, length):
    """Return 1 for velocities of angles, the length for those of sliders."""
    sizes = []
    for joint in model.mechanism.moving_joints:
        sizes += [1.0 if joint.turn else length] * joint.nv
    return np.array(sizes)


def verdict(case):
    """Return "right", or a reason to stop; raise where a motion is wrong."""
    model = case.model
    motion: Any = None
    refused = None
    try:
        motion = simulate(
            *(model, case.q0, case.v0, [0.0, case.duration], case.forces),
            events=case.events,
            initial="project",
        )
    except da.DalembertError as error:
        # a start that cannot be
        refused = str(error)
    if refused is not None:
        assert refused.startswith("expected ")
        return f"refused: {refused[:60]}"
    assert np.isfinite(motion.q).all()
    if not motion.ok:
        assert motion.t[-1] < case.duration
        assert ": expected" in motion.status or "stopped by" in motion.status, motion.status
        return f"stopped: {motion.status.split(': ', 1)[1][:60]}"
    assert motion.t[-1] == case.duration
    second: Any = DOP853()
    if motion.method.startswith("DOP853"):
        has_series = not case.events and case.forces is None and model.nv <= 8
        second = Taylor() if has_series else DOP853(rtol=1e-12)
    if any("Radau" in text for text in motion.warnings):
        second = Radau(rtol=1e-11, atol=1e-14 * min(_sizes(model, 1.0)))
    other = simulate(
        *(model, motion.q[0], motion.qd[0], [0.0, case.duration], case.forces),
        events=case.events,
        method=second,
    )
    assert other.ok, other.status
    apart = _apart(motion, other)
    if apart.max() >= AGREE:
        # neither method is wrong where the last digits of the start decide
        assert apart.max() <= MARGIN * _sensitivity(case, motion), (
            *(apart, motion.method, motion.warnings, second),
        )
    energy: Any = motion.energy
    scale = np.abs(energy.kinetic).max() + np.ptp(energy.potential) + abs(energy.work[-1])
    # what does not move has the rounding of its potential energy
    allowed = 1e-8 * scale + 1e-13 * np.abs(energy.potential).max()
    assert motion.energy_error <= allowed, (motion.energy_error, scale)
    return "right"


def _apart(motion, other):
    """Return by how much two motions end apart, beside the size of the first."""
    size = 1 + np.abs(motion.q[-1]) + np.abs(motion.q[-1] - motion.q[0])
    length = np.abs(motion.q).max(axis=0)
    return np.abs(motion.q[-1] - other.q[-1]) / np.where(
        length > 0, np.maximum(length, 1e-3 * length.max()), size
    )


def _sensitivity(case, motion):
    """Return how far apart motions end that start `NUDGE` apart, by the same method."""
    other: Any = simulate(
        *(case.model, motion.q[0] * (1 + NUDGE), motion.qd[0] * (1 + NUDGE)),
        *([0.0, case.duration], case.forces),
        events=case.events,
        initial="project",
    )
    assert other.ok, other.status
    return _apart(motion, other).max()


@pytest.mark.filterwarnings("ignore")
def test_random_motions_are_right_or_stop_with_a_reason(rng, scale):
    cases = num_cases(2, scale)
    # every fourth one for long
    verdicts = [verdict(random_case(rng, 100.0 if k % 4 == 3 else 1.0)) for k in range(cases)]
    # drives and ties that contradict each other are refused
    if len(verdicts) >= 20:
        assert verdicts.count("right") >= 0.7 * len(verdicts), Counter(verdicts)


@pytest.mark.filterwarnings("ignore")
def test_a_slide_that_is_long_beside_its_links():
    """Ten thousand lengths away forces have seven digits: no reason to stop."""
    assert verdict(random_case(np.random.default_rng([314, 14]))) == "right"


def main(count, seed, stretch=1.0):
    """Print what became of so many models."""
    found: Counter[str] = Counter()
    for k in range(count):
        case = random_case(np.random.default_rng([seed, k]), stretch)
        try:
            found[verdict(case)] += 1
        except Exception as error:
            found["WRONG"] += 1
            print(seed, k, case.features, type(error).__name__, str(error)[:300], flush=True)
        if k % 10 == 9 or k == count - 1:
            print(k + 1, "models:", dict(found.most_common()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:]))
