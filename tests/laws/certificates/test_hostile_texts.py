"""The checker refuses texts that are not what they seem, with its own error, in bounded work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalembert.certificates import check
from tests.cases import num_cases
from tests.effort import at_once, peak_memory
from tests.figures import Figures
from tools.certificates.cases import textbook
from tools.certificates.texts import bombs, malformed

# far below what the checker allows, to answer quickly
WORK = check.MAX_WORK // 500
MAX_MEMORY = 2 << 30
# bombs without an end are refused, long ones may be right
HARMLESS = {"nested quotients"}


def data_of(name: str) -> dict[str, Any]:
    return json.loads(textbook()[name]().text)


def is_refused(text: bytes, work: int = check.MAX_WORK) -> bool:
    try:
        check.check(check.read(text), work)
    except check.Refused:
        return True
    return False


@pytest.mark.parametrize("name", ["rp_arm", "rp_arm_maximal", "planar_3r"])
def test_malformed_texts(name: str, figures: Figures) -> None:
    count = 0
    for what, text in malformed(data_of(name)):
        assert is_refused(text), what
        count += 1
    assert count > 100
    figures.count("malformed texts", count)


def test_bombs(figures: Figures) -> None:
    for what, text in bombs(data_of("rp_arm")):
        refused = at_once(lambda text=text: is_refused(text, WORK), 20)
        assert refused or what in HARMLESS, what
        figures.count("bombs", 1)
    assert peak_memory() < MAX_MEMORY


def test_random_bytes_and_texts(rng: Any, scale: float) -> None:
    good = bytearray(textbook()["particle"]().text.encode())
    for _ in range(num_cases(300, scale)):
        bad = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            i = int(rng.integers(len(bad)))
            match rng.integers(3):
                case 0:
                    bad[i] = int(rng.integers(256))
                case 1:
                    del bad[i : i + int(rng.integers(1, 9))]
                case _:
                    bad[i:i] = bytes(rng.integers(32, 127, size=3).tolist())
        is_refused(bytes(bad))


# ---- the file itself


def run(arguments: list[str], python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    # -I -S: nothing but the standard library can be imported
    command = [python, "-I", "-S", check.__file__, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120
    )


def test_it_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    textbook()["rp_arm"]().save(path)
    found = run([str(path)])
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[-1] == "rp_arm: 12 claims, 39 identities, all hold"
    assert "    body 0" in lines
    assert "        mass m" in lines
    assert "        centre of mass (1/2 cos(q1) l, 1/2 l sin(q1))" in lines
    assert "Proved: M q̈ + C q̇ + N = Υ" in lines
    assert not found.stderr
    assert run([str(path), "--quiet"]).stdout.splitlines() == lines[-1:]
    long = run([str(path), "--equations"]).stdout
    assert "M[1, 1] = m\n" in long or "M[1, 1] = m" in long


def test_it_says_no(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    data = data_of("rp_arm")
    data["claimed"]["M"][1][1] = 0
    path.write_text(json.dumps(data), encoding="utf-8")
    found = run([str(path)])
    assert found.returncode == 1
    assert found.stdout.startswith("REFUSED: identity")
    assert not found.stderr


def test_wrong_arguments(tmp_path: Path) -> None:
    assert run([]).returncode == 2
    assert run([str(tmp_path / "none.json")]).returncode == 2
    assert run([str(tmp_path)]).returncode == 2
    assert run(["a.json", "b.json"]).returncode == 2
    assert run(["--what", "a.json"]).returncode == 2


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_pythons(version: str, tmp_path: Path) -> None:
    python = os.environ.get(f"DALEMBERT_PYTHON_{version.replace('.', '_')}")
    if not python:
        pytest.skip(f"set DALEMBERT_PYTHON_{version.replace('.', '_')} to run it there")
    path = tmp_path / "claims.json"
    textbook()["ur5e"]().save(path)
    found = run([str(path)], python)
    assert found.returncode == 0, found.stderr
    assert found.stdout == run([str(path)]).stdout


@pytest.mark.parametrize("name", ["l", "x\x1b[31m", "q1\u202e"])
def test_what_is_printed_moves_no_cursor(name: str, tmp_path: Path) -> None:
    data = data_of("rp_arm")
    data["description"]["program"].append(["sym", name])
    data["parameters"] = [*data["parameters"], name]
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = run([str(path)])
    assert found.returncode == 1
    assert "\x1b" not in found.stdout
    assert "\u202e" not in found.stdout


def test_names_that_look_alike_are_told() -> None:
    assert check.alike(["l", "I", "m", "rn", "O", "q0", "q1"]) == ["l and I", "m and rn"]
