"""`dalembert sweep`: a study that a file describes."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("pyarrow", reason="pip install pyarrow")

# a mass on a spring, whose motion is q0 cos(√(k/m) t)
SPRING = """\
coordinates = ["x"]
T = "1/2*m*x.dot^2"
V = "1/2*k*x^2"
[parameters]
m = 1
k = 4
"""
STUDY = """\
robot = "ROBOT"
rows = 64
steps = 500
[spread]
k = [1, 9]
q = [-1, 1]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "spring.toml").write_text(SPRING, encoding="utf-8")
    path = tmp_path / "swing.toml"
    text = STUDY.replace("ROBOT", (tmp_path / "spring.toml").as_posix())
    path.write_text(text, encoding="utf-8")
    return path


def test_rollouts(answer, run, study: Path) -> None:
    status, data = answer("sweep", study)
    assert status == 0
    assert (data["rows"], data["failed"]) == (64, 0)
    found = da.Study.open(data["folder"])
    k, start = found["k"], found["q"][:, 0]
    assert np.allclose(found["q_end"][:, 0], start * np.cos(np.sqrt(k) * 0.5), rtol=0, atol=1e-10)
    assert data["columns"]["k"]["lowest"] == pytest.approx(k.min())
    # it is complete: nothing is computed again
    assert "64 of 64 rows, 0 failed" in run("sweep", study)[1]


def test_torques_on_a_grid(answer, tmp_path: Path) -> None:
    path = tmp_path / "torques.toml"
    path.write_text(
        'robot = "panda"\ncompute = "torque"\npoints = "grid"\n[spread]\nq = [0.1, 0.2, 0.3]\n',
        encoding="utf-8",
    )
    assert answer("sweep", path, "--folder", tmp_path / "here")[0] == 0
    tau = da.Study.open(tmp_path / "here")["tau"]
    model = da.compile(da.textbook.robots.panda())
    for q, mine in zip((0.1, 0.2, 0.3), tau, strict=True):
        assert np.allclose(mine, model.gravity([q] * 7), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("rows = 64", "row = 64"), "expected a key, got 'row': did you mean rows"),
        (("rows = 64", "rows = 0"), "1 to 1,000,000,000,000 rows, got 0"),
        (("rows = 64", 'rows = "x"'), "a whole number of rows"),
        (("rows = 64", 'points = "sobel"'), "got 'sobel': did you mean sobol"),
        (("rows = 64", 'compute = "ik"'), "expected compute =, got 'ik'"),
        (("steps = 500", "steps = -1"), "steps and step as numbers"),
        (("steps = 500", "seed = -1"), "a seed from 0"),
        (("k = [1, 9]", "kk = [1, 9]"), "got 'kk'"),
        (("k = [1, 9]", "k = [9, 1]"), "lowest ≤ highest"),
        (("q = [-1, 1]", "q = [[1, 2], [3, 4]]"), "or lists of 1, as spread of q"),
        (("q = [-1, 1]", "qdd = [-1, 1]"), "got 'qdd'"),
        (("robot =", "robot = 3 #"), "expected robot as text"),
        (("[spread]", "[spread"), "expected a study in TOML"),
    ],
)
def test_a_wrong_file_is_refused(run, study: Path, change: tuple[str, str], said: str) -> None:
    study.write_text(study.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    status, text = run("sweep", study)
    assert status == 2
    assert said in text
