"""`dalembert certify`: what it writes is accepted by the checker, and compared with FILE."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dalembert.certificates import check

Run = Callable[..., tuple[int, str]]


def data_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_it_writes_what_the_checker_accepts(run: Run, tmp_path: Path) -> None:
    path, coq = tmp_path / "claims.json", tmp_path / "claims.v"
    status, text = run("certify", "rp_arm", "-o", path, "--coq", coq)
    assert status == 0
    assert "✓ newton euler" in text
    assert f"{check.__file__} {path}" in text
    _, counts = check.check(check.read(path.read_bytes()))
    assert sum(counts.values()) == 39
    assert "Theorem newton_euler" in coq.read_text(encoding="utf-8")
    assert (tmp_path / "Motion.v").exists()


def test_against_another_system(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    run("certify", "rp_arm", "-o", path)
    status, text = run("certify", "rp_arm", "--against", path)
    assert status == 0
    assert "it describes rp_arm" in text
    status, text = run("certify", "cart_pole", "--against", path)
    assert status == 1
    assert "it describes something else than cart_pole:" in text
    assert "coordinates: q1, q2, and now x, theta" in text
    status, text = run("certify", "rp_arm", "-p", "m=2", "--against", path)
    assert status == 1
    assert "parameters: g, l, m, and now g, l" in text


def test_a_refused_certificate(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    run("certify", "rp_arm", "-o", path)
    data = data_of(path)
    data["claimed"]["N"].reverse()
    path.write_text(json.dumps(data), encoding="utf-8")
    status, text = run("certify", "rp_arm", "--against", path)
    assert status == 1
    assert "is refused: identity" in text
    path.write_text("{", encoding="utf-8")
    assert run("certify", "rp_arm", "--against", path)[0] == 1
    assert run("certify", "rp_arm", "--against", tmp_path / "none")[0] == 2


def test_values_make_numbers_of_parameters(
    answer: Callable[..., tuple[int, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "claims.json"
    status, found = answer("certify", "cart_pole", "-p", "g=9.81", "-o", path)
    assert status == 0
    assert found["written"] == str(path)
    assert "newton_euler" in found["claims"]
    assert data_of(path)["parameters"] == ["l", "m_c", "m_p"]
    program = data_of(path)["description"]["program"]
    numbers = {step[1].lstrip("-") for step in program if step[0] == "num"}
    assert "981/100" in numbers


@pytest.mark.parametrize("name", ["Motion.v", "2.v", "claims.txt"])
def test_names_that_coq_does_not_take(run: Run, tmp_path: Path, name: str) -> None:
    status, text = run("certify", "rp_arm", "--coq", tmp_path / name)
    assert status == 2
    assert ".v" in text


def test_what_cannot_be_certified(run: Run, tmp_path: Path) -> None:
    status, text = run("certify", "quadrotor")
    assert status == 2
    assert "with_euler_angles" in text
    assert run("certify", "rp_arm", "-o", tmp_path / "no" / "x.json")[0] == 2
