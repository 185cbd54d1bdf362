"""The scripts of `examples/` run, say what is true and write their pictures."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT, SRC

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURES = ROOT / "docs" / "examples"
LARGEST = 60_000  # bytes of a picture in the repository
SECONDS = 300  # until a script counts as hanging, on a loaded machine

# a line that each prints: textbook equations, verdicts, counts
PRINTED = {
    "01_derive_double_pendulum": "m l² cos(a - b) ä + m l² b̈ - m l² sin(a - b) ȧ² + m g l sin(b)",
    "02_prove": "13 of 13 proved",
    "03_compile_panda": "ns for one state",
    "04_four_bar": "finished at t = 20",
    "05_inverse_kinematics": "out of reach: the nearest point found for flange is",
    "06_balance_cart_pole": "finished at t = 4",
    "07_payload_rollouts": "finished at t = 2",
    "08_swing_up_casadi": "degrees from the top",
    "09_report": "without a network",
    "10_payload_friction_sweep": "1,024 of 1,024 rows, 0 failed",
    "11_worst_case_torque": "32,768 of 32,768 rows, 0 failed",
    "12_workspace_tolerances": "32,768 of 32,768 rows, 0 failed",
    "13_gain_robustness": "8,192 of 8,192 rows, 0 failed",
    "14_base_parameter_sensitivity": "of 43 base parameters make 90 %",
    "15_train_policy_jax": "64 of 64 poles stand",
    "16_identify": "48 of 48 base parameters within four standard deviations",
    "17_throw_by_two_bounces": "throw 3: at 4.000000000 m after 1.900000000 s",
}


def missing_packages(path: Path) -> list[str]:
    """Return the packages that a script imports and that are not installed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [
        a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names
    ]
    packages = {name.split(".")[0] for name in modules}
    return sorted(name for name in packages if importlib.util.find_spec(name) is None)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    if missing := missing_packages(path):
        pytest.skip(f"not installed: {', '.join(missing)}")
    settings = {"MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, str(path), str(tmp_path)],
        env=os.environ | settings,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[path.stem] in done.stdout
    written = sorted(tmp_path.iterdir())
    assert written
    for file in written:
        # nothing else, and a person is told where it is
        assert file.stem == path.stem
        assert str(file) in done.stdout
        check_content(file)


def check_content(file: Path) -> None:
    """Check that a picture shows something and that a page is whole."""
    if file.suffix == ".png":
        from matplotlib.image import imread

        assert imread(file).std() > 0.02
    else:
        assert file.suffix == ".html"
        assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_every_example_is_on_the_page_with_its_picture() -> None:
    page = (PICTURES / "README.md").read_text(encoding="utf-8")
    names = [path.stem for path in EXAMPLES]
    assert len(names) >= 8
    for name in names:
        assert f"(../../examples/{name}.py)" in page
        assert f"]({name}.png)" in page
        assert 1000 < (PICTURES / f"{name}.png").stat().st_size < LARGEST
    shown = sorted(path.stem for path in PICTURES.glob("*.png"))
    assert shown == names


def test_missing_package_is_found(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nimport no_such_package.part as part\n", encoding="utf-8")
    assert missing_packages(script) == ["no_such_package"]
