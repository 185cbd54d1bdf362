"""Limits of joints: motions beyond them are noted, or held by stops."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UnknownName
from dalembert.simulation import JointStops, KelvinVoigt, rollout, simulate

PUSH, UPPER = 2.0, 0.5
ROOT = 1e-9
"""Error of the time at which a slide that is accelerated evenly meets its stop."""


def slide(**limits):
    """Return the model of 1 kg on a slide, without gravity."""
    b = da.Builder("slide", gravity=(0, 0, 0)).link("block", mass=1)
    return da.compile(b.prismatic("rail", "block", axis="x", **limits).build())


def test_a_motion_beyond_a_limit_has_a_warning_with_joint_and_time() -> None:
    model = slide(limits=(-1, UPPER))
    times = np.linspace(0, 1, 101)
    (text,) = simulate(model, [0], None, times, [PUSH]).warnings
    # x = t² passes 0.5 between 0.70 and 0.71, and ends 0.5 beyond
    assert text == (
        "rail is beyond its upper limit 0.5 from t = 0.71, by 0.5 at most: limits='hold' adds stops"
    )
    (text,) = simulate(model, [0], None, times, [-2 * PUSH]).warnings
    assert text.startswith("rail is beyond its lower limit -1 from t = 0.71, by 1 at most")


def test_within_limits_or_without_them_nothing_is_said() -> None:
    assert simulate(slide(limits=(-1, 1.01)), [0], None, 1.0, [PUSH]).warnings == ()
    assert simulate(slide(), [0], None, 1.0, [PUSH]).warnings == ()
    ignored = simulate(slide(limits=(-1, UPPER)), [0], None, 1.0, [PUSH], limits="ignore")
    assert ignored.warnings == ()


def test_held_joints_stop_at_their_limits() -> None:
    motion = simulate(slide(limits=(-1, UPPER)), [0], None, 1.0, [PUSH], limits="hold")
    assert motion.ok
    assert motion.warnings == ()
    assert motion.events[0][0] == pytest.approx(math.sqrt(2 * UPPER / PUSH), abs=ROOT)
    assert motion.q[-1] == pytest.approx([UPPER], abs=1e-14)
    # what holds it against the push
    assert motion.lam[-1] == pytest.approx([0, PUSH], abs=1e-12)


def test_stops_that_are_given_stay_as_they_are() -> None:
    soft = JointStops(compliance=KelvinVoigt(100, 1))
    motion = simulate(
        slide(limits=(-1, UPPER)), [0], None, 1.0, [PUSH], events=[soft], limits="hold"
    )
    assert motion.q.max() > UPPER + 0.01
    assert motion.warnings == ()


def test_holding_robots_without_limits_changes_nothing() -> None:
    free = simulate(slide(), [0], None, 1.0, [PUSH], limits="hold")
    assert free.q[-1] == pytest.approx([PUSH / 2], abs=1e-14)


def test_rollouts_count_who_is_beyond() -> None:
    model = slide(limits=(-1, UPPER))
    runs = rollout(model, [[0.0], [0.0], [-0.9]], None, 100, [PUSH], method=da.simulation.RK4(0.01))
    assert runs.warnings == (
        "rail is beyond its upper limit 0.5 from t = 0.71 in 2 of 3 rollouts, by 0.5 at most",
    )
    assert runs.warnings[0] in str(runs)
    assert rollout(model, [0.0], None, 100, [PUSH], limits="ignore").warnings == ()


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UnknownName, match="warn, hold, ignore"):
        simulate(slide(), [0], None, 1.0, limits="stop")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="warn, ignore"):
        rollout(slide(), [0], None, 1, limits="hold")  # type: ignore[arg-type]


def test_many_joints_are_counted() -> None:
    b = da.Builder("chain", gravity=(0, 0, 0))
    for k in range(5):
        b.link(f"l{k}", mass=1, inertia=(1, 1, 1))
        b.revolute(f"j{k}", f"l{k}", axis="z", limits=(-0.1, 0.1))
    (text,) = simulate(da.compile(b.build()), [0] * 5, [1] * 5, 0.5).warnings
    assert text.count("is beyond") == 3
    assert "; 2 more joints: limits=" in text
