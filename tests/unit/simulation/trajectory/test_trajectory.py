"""Trajectories: files that come back bit for bit, resampling, poses, figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, MissingDependency, UnknownName
from dalembert.model import Model
from dalembert.simulation import Trajectory, simulate

ARRAYS = ("t", "q", "qd", "qdd", "tau", "lam", "position_error", "velocity_error")


def spinning(rng: np.random.Generator) -> tuple[Model, Trajectory]:
    """Return a free body with a damped hinge, tumbling."""
    built = (
        da.Builder("tumbler")
        .link("a", mass=1, com=(0.05, 0, 0.02), inertia=(0.1, 0.2, 0.25))
        .floating("base", "a")
        .link("b", mass=0.5, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
        .revolute("hinge", "b", axis="y", origin=(0.3, 0, 0), damping=0.05)
        .build()
    )
    model = da.compile(built)
    v = rng.normal(size=model.nv)
    return model, simulate(model, model.configuration.neutral, v, 2.0, [0.1] * model.nv)


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_file_comes_back_bit_for_bit(ending: str, tmp_path: Path, rng: np.random.Generator):
    model, motion = spinning(rng)
    path = tmp_path / f"motion.{ending}"
    motion.save(path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    back = Trajectory.load(path, model)
    for name in ARRAYS:
        assert getattr(back, name).tobytes() == getattr(motion, name).tobytes()
    for name in ("total", "work", "dissipated", "kinetic", "potential"):
        assert getattr(back.energy, name).tobytes() == getattr(motion.energy, name).tobytes()
    for name in ("name", "method", "q_names", "input_names", "events", "status", "ok"):
        assert getattr(back, name) == getattr(motion, name)


def test_a_file_needs_no_pickle_and_carries_json(tmp_path: Path, rng: np.random.Generator):
    _, motion = spinning(rng)
    motion.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as file:
        meta = json.loads(str(file["meta"]))
    assert meta["format"] == "dalembert trajectory 2"
    assert meta["q_names"][-1] == "hinge"


def test_energies_that_no_double_holds_are_read(tmp_path: Path, rng: np.random.Generator):
    """A motion that ran away is in a file as it was: without a finite account of its energy."""
    _, motion = spinning(rng)
    motion.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as file:
        arrays = dict(file)
    arrays["energy_total"][-1] = arrays["energy_work"][-1] = np.inf
    np.savez(tmp_path / "m.npz", **arrays)
    back = Trajectory.load(tmp_path / "m.npz")
    assert not np.isfinite(back.energy_error)


def test_files_of_format_1_are_read(tmp_path: Path, rng: np.random.Generator):
    """They say is_complete for ok."""
    _, motion = spinning(rng)
    path = tmp_path / "m.csv"
    motion.save(path)
    text = path.read_text(encoding="utf-8")
    old = text.replace("trajectory 2", "trajectory 1").replace('"ok": true', '"is_complete": true')
    assert old != text
    path.write_text(old, encoding="utf-8")
    assert Trajectory.load(path).ok is True


def test_parquet_without_its_package(
    tmp_path: Path, rng: np.random.Generator, absent: Callable[[str], None]
) -> None:
    _, motion = spinning(rng)
    absent("pyarrow")
    with pytest.raises(MissingDependency, match="pip install pyarrow"):
        motion.save(tmp_path / "m.parquet")


def test_parquet_comes_back_bit_for_bit(tmp_path: Path, rng: np.random.Generator):
    pytest.importorskip("pyarrow", reason="pip install pyarrow")
    _, motion = spinning(rng)
    path = tmp_path / "m.parquet"
    motion.save(path)
    assert Trajectory.load(path).q.tobytes() == motion.q.tobytes()


def test_other_files_are_refused(tmp_path: Path, rng: np.random.Generator):
    _, motion = spinning(rng)
    with pytest.raises(EvaluationError, match=r"ending \.npz, \.csv, \.parquet"):
        motion.save(tmp_path / "m.mat")
    for name, text in (("m.csv", "a,b\n1,2\n"), ("m.npz", "no zip")):
        (tmp_path / name).write_text(text)
        with pytest.raises(EvaluationError, match="expected a trajectory in"):
            Trajectory.load(tmp_path / name)
    motion.save(tmp_path / "cut.csv")
    lines = (tmp_path / "cut.csv").read_text().splitlines()
    (tmp_path / "cut.csv").write_text("\n".join([*lines[:5], lines[5][:20]]))
    with pytest.raises(EvaluationError, match="expected a trajectory in"):
        Trajectory.load(tmp_path / "cut.csv")


def test_resampling_meets_a_simulation_of_those_times(rng: np.random.Generator):
    model, motion = spinning(rng)
    times = np.linspace(0.1, 1.9, 37)
    v = motion.qd[0]
    exact = simulate(model, motion.q[0], v, [0.0, *times], [0.1] * model.nv)
    found = motion.resample(times)
    # steps of 0.02 s: h⁶ for q, one order less for each derivative
    assert np.abs(found.q - exact.q[1:]).max() <= 1e-8
    assert np.abs(found.qd - exact.qd[1:]).max() <= 1e-6
    assert np.abs(found.qdd - exact.qdd[1:]).max() <= 1e-3
    assert np.abs(np.linalg.norm(found.q[:, 3:7], axis=1) - 1).max() <= 1e-15
    # stored times come back
    same = motion.resample(motion.t)
    assert np.abs(same.q - motion.q).max() <= 1e-14


def test_resampling_outside_or_without_a_model_is_refused(tmp_path: Path, rng: np.random.Generator):
    _, motion = spinning(rng)
    with pytest.raises(EvaluationError, match="expected times from 0 to 2"):
        motion.resample([2.1])
    motion.save(tmp_path / "m.npz")
    bare = Trajectory.load(tmp_path / "m.npz")
    with pytest.raises(EvaluationError, match="model=model"):
        bare.resample([1.0])
    with pytest.raises(EvaluationError, match="model=model"):
        bare.frames()


def test_frames_are_the_poses_of_links(rng: np.random.Generator):
    _, motion = spinning(rng)
    poses = motion.frames()
    assert set(poses) == {"world", "a", "b"}
    assert np.abs(poses["a"][:, :3, 3] - motion.q[:, :3]).max() <= 1e-15
    R = poses["b"][:, :3, :3]
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() <= 1e-14
    assert motion.frames([0.5, 1.0])["b"].shape == (2, 4, 4)
    (x,) = da.coordinates("x")
    system = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x]))
    with pytest.raises(InvalidMechanism, match="expected the model of a mechanism"):
        simulate(system, [0.0], [1.0], 1.0).frames()


def test_a_figure_is_drawn(tmp_path: Path, rng: np.random.Generator):
    _, motion = spinning(rng)
    figure = motion.plot(tmp_path / "m.png")
    assert len(figure.axes) == 4
    assert [len(axes.lines) for axes in figure.axes] == [8, 7, 5, 1]
    assert (tmp_path / "m.png").stat().st_size > 10_000


def test_a_trajectory_is_frozen_and_tells_about_itself(rng: np.random.Generator):
    _, motion = spinning(rng)
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0, 0] = 1.0
    assert motion["hinge"].tolist() == motion.q[:, 7].tolist()
    with pytest.raises(UnknownName, match="did you mean hinge"):
        motion["hing"]
    text = str(motion)
    assert "finished at t = 2" in text
    assert "energy account closes to" in text
