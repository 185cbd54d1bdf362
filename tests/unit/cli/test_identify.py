"""`dalembert identify`: a table of measurements, the numbers of the robot, its file."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.01)}
    built = (
        da.Builder("arm")
        .link("upper", **rod)
        .revolute("shoulder", "upper", axis="y", damping=0.5)
        .link("lower", **rod)
        .revolute("elbow", "lower", axis="y", origin=(0, 0, -1))
        .build()
    )
    da.save(built, tmp_path / "arm.json")
    return tmp_path / "arm.json"


def table(path: Path, arm: Path, *, rates: bool, factor: float = 1.5) -> Path:
    """Write a swing of the arm, its torques times a factor: an arm with heavier links."""
    model = da.compile(da.load(arm))
    t = np.arange(0, 20, 2e-3)
    rate = 2 * np.pi * np.array([0.1, 0.23, 0.37, 0.61])[:, None]
    weights = np.random.default_rng(0).normal(size=(4, 2))
    phase = np.outer(t, rate)
    q, qd = np.sin(phase) @ weights, np.cos(phase) @ (rate * weights)
    qdd = -np.sin(phase) @ (rate**2 * weights)
    tau = factor * model.inverse_dynamics(q, qd, qdd)
    parts = {"q": q, "qd": qd, "qdd": qdd, "tau": tau} if rates else {"q": q, "tau": tau}
    names = ["t", *(f"{kind}:{joint}" for kind in parts for joint in ("shoulder", "elbow"))]
    rows = np.column_stack([t, *parts.values()])
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
    return path


@pytest.mark.parametrize("options", [[], ["--cutoff", "8"]])
def test_heavier_links_are_found(answer, arm, tmp_path, options):
    data = table(tmp_path / "swing.csv", arm, rates=not options)
    status, said = answer("identify", arm, data, *options, "-o", tmp_path / "found.json")
    assert status == 0, said
    base = {row["name"]: row["value"] for row in said["base"]}
    # the lower link: m c = 0.5 kg m, and 1.5 times that was measured
    assert base["lower.hz"] == pytest.approx(-0.75, rel=1e-3)
    assert said["parameters"]["shoulder.damping"] == pytest.approx(0.75, rel=2e-2)
    found = da.load(tmp_path / "found.json")
    moved = da.compile(found)
    q = np.random.default_rng(1).normal(size=(3, 20, 2))
    want = 1.5 * da.compile(da.load(arm)).inverse_dynamics(*q)
    assert moved.inverse_dynamics(*q) == pytest.approx(want, abs=0.05)


def test_a_table_for_people(run, arm, tmp_path):
    data = table(tmp_path / "swing.csv", arm, rates=True)
    status, out = run("identify", arm, data)
    assert status == 0
    assert "base parameters found" in out
    assert "described" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t,q:shoulder\n0,1\n", "expected the columns q:shoulder, q:elbow"),
        ("t,q:shoulder,q:elbow,tau:shoulder,tau:elbow\n0,1,2,3,x\n", "expected numbers"),
        ("t,q:shoulder,q:elbow,tau:shoulder,tau:elbow\n0,1,2,3,4\n", "--cutoff"),
        ("", "expected"),
    ],
)
def test_tables_that_cannot_be_used(run, arm, tmp_path, text, said):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    status, out = run("identify", arm, path)
    assert status == 2
    assert said in out
