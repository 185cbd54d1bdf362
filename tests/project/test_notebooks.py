"""The notebooks of `notebooks/` run, say what is true and show no bare object."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT, SRC
from tests.project.test_examples import SECONDS, missing_packages

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))

# what each prints, of results that are known beforehand: verdicts, ranks, true parameters
PRINTED = {
    "course": [
        "13 of 13 proved",
        "after 5 s the pole is 0.000 rad from the top",
        "the sign of gravity is opposite",
    ],
    "engineers_day": [
        "2.2 kg more than the bare arm",
        "inverse kinematics: converged",
        "finished at t = 2",
    ],
    "gradients": [
        "CasADi: m = 0.70",
        "JAX: m = 0.70",
        "both agree to",
    ],
    "identification": [
        "21 of 36 parameters determine the torques",
        "21 base parameters found; bodies explain the torques as well",
        "3 of 3 links can exist",
    ],
    "xacro_to_c": [
        "pinocchio agrees: 7 links and 25 torques compared",
        "mujoco agrees",
        "inverse kinematics: converged",
        "distance of base and fore: by 0.1",
        "all limits are kept",
        "finished; the joints stay within",
        "C: cell.h",
    ],
}

# runs a notebook as a script does, and prints the type of what a cell shows without a face
SHOW = """
import runpy, sys
app = runpy.run_path(sys.argv[1])["app"]
shown, _ = app.run()
faces = ("_mime_", "_repr_html_", "_repr_markdown_", "_repr_latex_", "savefig")
for x in shown:
    if x is not None and not any(hasattr(x, face) for face in faces):
        print("no face:", type(x).__name__)
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path) -> None:
    if missing := missing_packages(path):
        pytest.skip(f"not installed: {', '.join(missing)}; see docs/notebooks.md")
    settings = {
        "MPLBACKEND": "Agg",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": str(SRC),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", SHOW, str(path)],
        env=os.environ | settings,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in PRINTED[path.stem]:
        assert line in done.stdout
    assert "no face" not in done.stdout


def test_every_notebook_is_on_the_page() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        assert f"(../notebooks/{path.name})" in page
