"""A prescribed motion that runs into a stop: no impulse ends it, and that is the reason given."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import JointStops, simulate
from tests.laws.test_random_motions import random_case


def arm(speed):
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.1)}
    return da.compile(
        da.Builder("arm")
        .link("upper", **rod)
        .revolute("shoulder", "upper", axis="y", limits=(-0.5, 0.5))
        .link("lower", **rod)
        .revolute("elbow", "lower", axis="y", origin=(0, 0, -1))
        .drive("turn", "shoulder", speed * da.time)
        .build()
    )


@pytest.mark.parametrize("speed", [1.0, 0.1, 1e3])
def test_a_drive_into_a_stop(speed):
    model = arm(speed)
    motion = simulate(model, [0, 0], [speed, 0], 1 / speed, events=[JointStops(restitution=0.5)])
    assert not motion.ok
    assert motion.t[-1] == pytest.approx(0.5 / speed)
    assert "prescribed motions fix: they push it through" in motion.status
    assert "'upper limit of shoulder'" in motion.status


@pytest.mark.filterwarnings("ignore")
def test_a_drive_and_a_loop_into_a_stop():
    """A loop that a drive moves has its angles from it: found by random models, [404, 36]."""
    case = random_case(np.random.default_rng([404, 36]))
    motion = simulate(
        *(case.model, case.q0, case.v0, [0, case.duration]), events=case.events, initial="project"
    )
    assert not motion.ok
    assert "prescribed motions fix: they push it through" in motion.status
