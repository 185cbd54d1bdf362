"""Each command once on something good: what it prints is what the library computes."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.commands.machine.doctor import _vectors
from dalembert.kernel.backends.llvm import host

PENDULUM = """\
coordinates = ["a"]
T = "1/2*m*l^2*a.dot^2"
V = "-m*g*l*cos(a)"
[parameters]
m = 2
l = 0.5
g = 9.81
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.toml"
    path.write_text(PENDULUM)
    return path


def test_show_robot(answer, run) -> None:
    status, data = answer("show", "ur5e")
    assert status == 0
    assert data["degrees_of_freedom"] == 6
    assert [x["name"] for x in data["joints"]] == [f"joint{k}" for k in range(1, 7)]
    assert data["joints"][0]["upper"] == pytest.approx(2 * math.pi)
    assert "joint6" in run("show", "ur5e")[1]


def test_show_loops_and_systems(answer) -> None:
    assert answer("show", "four_bar")[1]["degrees_of_freedom"] == 1
    data = answer("show", "rp_arm_maximal")[1]
    assert len(data["coordinates"]) == 6
    assert len(data["constraints"]) == 4


def test_derive_prints_the_equations(run) -> None:
    status, text = run("derive", "particle")
    assert status == 0
    assert "m ÿ + m g = f" in text


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (".txt", "m ÿ + m g = f"),
        (".tex", r"\documentclass"),
        (".md", "## 1. Coordinates"),
        (".html", "<math"),
        (".py", "def mass_matrix(q, parameters):"),
        (".m", "classdef particle"),
        (".c", "void particle_mass_matrix("),
    ],
)
def test_derive_writes_by_the_ending(run, tmp_path: Path, ending: str, said: str) -> None:
    path = tmp_path / f"particle{ending}"
    assert run("derive", "particle", "-o", path)[0] == 0
    assert said in path.read_text(encoding="utf-8")


def test_derived_python_computes_the_equations(run, tmp_path: Path, rng) -> None:
    path = tmp_path / "arm.py"
    assert run("derive", "rp_arm", "-o", path)[0] == 0
    names: dict = {}
    exec(path.read_text(encoding="utf-8"), names)  # our own text, for a test
    q, qd, p = rng.uniform(1, 2, 2), rng.uniform(-1, 1, 2), rng.uniform(1, 2, 3)
    model = da.compile(da.textbook.rp_arm())
    M = np.array(names["mass_matrix"](q, p))
    bias = np.array(names["coriolis_matrix"](q, qd, p)) @ qd
    bias += np.array(names["other_forces"](q, p))[:, 0]
    assert np.allclose(M, model.mass_matrix(q, parameters=p), rtol=1e-12, atol=1e-12)
    assert np.allclose(bias, model.bias(q, qd, parameters=p), rtol=1e-12, atol=1e-12)


def test_symbolic_and_steps(run) -> None:
    assert "1. Coordinates" in run("derive", "rp_arm", "--steps")[1]
    assert run("derive", "rp_arm", "--symbolic")[0] == 2


def test_a_matrix_too_large_to_read_is_named_by_its_size(run, monkeypatch) -> None:
    """C of a robot of eight joints has 64,000 terms: it took a minute to print."""
    from dalembert.cli.commands.derive import derive

    assert "⟨" not in run("derive", "rp_arm")[1]
    monkeypatch.setattr(derive, "MAX_MATRIX_TERMS", 1)
    status, text = run("derive", "rp_arm")
    assert status == 0
    # M is m q₂² + m l q₂ + 2/3 m l², 0, 0, m
    assert "⟨4 terms: -f python, -f matlab or -f c write them as code⟩" in text


def test_derive_writes_pdf(run, tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="typst writes PDF")
    path = tmp_path / "particle.pdf"
    assert run("derive", "particle", "-o", path)[0] == 0
    assert path.read_bytes().startswith(b"%PDF-")
    assert run("derive", "particle", "-f", "pdf")[0] == 2


def test_report(answer, pendulum: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, data = answer("report", pendulum, "-t", 0.2)
    assert (status, data) == (0, {"written": "pendulum.html"})
    assert "<math" in Path("pendulum.html").read_text(encoding="utf-8")
    assert answer("report", pendulum, "-o", "a.docx")[0] == 2
    assert answer("report", pendulum, "-o", "none/a.html")[0] == 2


def test_prove(answer) -> None:
    status, data = answer("prove", "double_pendulum", "--kernels")
    assert status == 0
    verdicts = [x["verdict"] for proofs in data.values() for x in proofs]
    assert len(verdicts) > 12
    assert set(verdicts) == {"proved"}


def test_simulate_small_swing_has_the_known_period(answer, pendulum: Path) -> None:
    # a = 1e-3 cos(√(g/l) t) to 1e-9, so the quarter of a period ends at zero
    quarter = math.pi / 2 / math.sqrt(9.81 / 0.5)
    status, data = answer("simulate", pendulum, "--q", "0.001", "-t", quarter)
    assert status == 0
    assert abs(data["final"]["q"][0]) < 1e-8
    assert data["energy_error"] < 1e-12


def test_simulate_writes_files(run, pendulum: Path, tmp_path: Path) -> None:
    csv, plot = tmp_path / "a.csv", tmp_path / "a.svg"
    status, text = run("simulate", pendulum, "-t", 0.1, "--q", "a=pi/2", "-o", csv, "-o", plot)
    assert status == 0
    assert da.Trajectory.load(csv)["a"][0] == math.pi / 2
    assert "<svg" in plot.read_text(encoding="utf-8")
    assert str(csv) in text


def test_simulate_with_a_controller(answer) -> None:
    arguments = ("simulate", "ur5e", "-t", 4, "--controller", "computed_torque")
    status, data = answer(*arguments, "--stiffness", 100, "--goal", "joint2=-1")
    assert status == 0
    assert data["final"]["q"] == pytest.approx([0, -1, 0, 0, 0, 0], abs=1e-6)


def test_simulate_asks_for_values_by_name(run) -> None:
    status, text = run("simulate", "double_pendulum")
    assert status == 2
    assert "-p g=1" in text


def test_ik_reaches_or_says_why(answer) -> None:
    model = da.compile(da.textbook.robots.ur5e())
    status, data = answer("ik", "ur5e", "--position", "0.3,0.2,0.4", "--rpy", "pi,0,0.3")
    assert status == 0
    X = model.forward_kinematics(list(data["q"].values()), frame="flange")
    c, s = math.cos(0.3), math.sin(0.3)
    assert np.allclose(X[:3, 3], [0.3, 0.2, 0.4], atol=1e-8)
    assert np.allclose(X[:3, :3], [[c, s, 0], [s, -c, 0], [0, 0, -1]], atol=1e-8)
    status, data = answer("ik", "ur5e", "--position", "9,0,0")
    assert status == 1
    assert "out of reach" in data["status"]


def test_convert_round_trip_and_losses(answer, tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    assert answer("convert", "ur5e", path) == (
        0,
        {"written": str(path), "lost": [], "notes": []},
    )
    assert da.load(path) == da.textbook.robots.ur5e()
    status, data = answer("convert", "bennett_linkage", tmp_path / "b.urdf")
    assert (status, "loop" in data["error"]) == (2, True)
    status, data = answer("convert", "bennett_linkage", tmp_path / "b.urdf", "--drop")
    assert status == 0
    assert any("loop" in x for x in data["lost"])


def test_codegen(answer, tmp_path: Path) -> None:
    status, data = answer("codegen", "ur5e", "-o", tmp_path)
    assert status == 0
    for path in data["written"]:
        assert "ur5e" in Path(path).read_text()
    data = answer("codegen", "ur5e", "-l", "python", "--function", "gravity")[1]
    names: dict = {}
    exec(data["source"], names)  # our own text, for a test
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    expected = da.compile(da.textbook.robots.ur5e()).gravity(q)
    assert np.allclose(names["gravity"](q), expected, atol=1e-12)
    assert answer("codegen", "ur5e", "--function", "gravitas")[0] == 2


def test_textbook_names_stand_for_files(answer, run) -> None:
    names = answer("textbook")[1]["examples"]
    assert len(names) > 30
    for name in ("rp_arm", "planar_chain:3", "stewart_platform"):
        assert name in names
        assert run("show", name)[0] == 0
    assert "5. Lagrangian" in run("textbook", "rp_arm")[1]


def test_analyse_says_why_there_is_nothing(answer) -> None:
    status, data = answer("analyse", "planar_arm_nr:2", "--samples", 50)
    assert status == 0
    assert "value for every parameter" in data["structure"]["none"]
    assert "energy" in answer("analyse", "double_pendulum")[1]["conserved"]


def test_analyse_says_where_a_quantity_is_conserved(answer, tmp_path: Path) -> None:
    path = tmp_path / "rope.toml"
    path.write_text('coordinates = ["x"]\nT = "m*x.dot^2/2"\nV = "m*log(x)"\n[parameters]\nm = 2\n')
    assert "[x > 0]" in answer("analyse", path)[1]["conserved"]


def test_bench_and_doctor(answer) -> None:
    status, data = answer("bench", "ur5e", "--batch", 10)
    assert status == 0
    assert all(x["one_state_s"] > 0 for x in data.values())
    status, data = answer("doctor")
    assert status == 0
    assert data["backends"]["llvm"] == "the right number"
    assert data["packages"]["numpy"] == np.__version__
    assert re.match(r"\d+ doubles", data["machine"]["vectors"])


def test_doctor_names_what_the_processor_lacks(answer, monkeypatch: pytest.MonkeyPatch) -> None:
    old = host.Host("x86_64-unknown-linux-gnu", "nehalem", "+sse4.2", 2)
    monkeypatch.setattr(host, "this_host", lambda: old)
    assert "2 doubles, no fused multiply-add" in _vectors()


def test_help_of_every_command(run) -> None:
    text = run("--help")[1]
    for name in re.findall(r"^│ (\w+) ", text, re.MULTILINE):
        status, about = run(name, "--help")
        assert status == 0
        assert "--json" in about
