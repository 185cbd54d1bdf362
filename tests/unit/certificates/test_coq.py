"""The theorems for Coq: made from the data alone, and accepted where coqc is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.certificates.coq import MOTION, coq
from dalembert.errors import InvalidExpression
from tools.certificates.cases import textbook

COMPILED = ("rp_arm_maximal", "pinned_three_link")
# of the standard library, about the reals
AXIOMS = {"sig_not_dec", "sig_forall_dec", "functional_extensionality_dep"}


def data_of(name: str) -> dict[str, Any]:
    return json.loads(textbook()[name]().text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled theory."""
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed")
    path = tmp_path_factory.mktemp("coq")
    shutil.copy(MOTION, path)
    assert compiled(path, "Motion").returncode == 0
    return path


def compiled(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", f"{name}.v"], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


def accepted(folder: Path, text: str) -> str | None:
    """Return what Coq prints about a text, or None where it refuses."""
    (folder / "claims.v").write_text(text, encoding="utf-8")
    found = compiled(folder, "claims")
    return None if found.returncode else found.stdout


def test_every_claim_becomes_a_theorem() -> None:
    data = data_of("rp_arm")
    found = set(re.findall(r"^Theorem (\w+)", coq(data), re.MULTILINE))
    instead = {
        "lagranges_equations": {"forces", "equation_of_motion_1", "equation_of_motion_2"},
        "code_computes_the_equations": {"code_of_mass_matrix", "code_of_inverse_dynamics"},
    }
    for claim in data["claims"]:
        assert found >= instead.get(claim, {claim}), claim
    assert "Admitted" not in coq(data) + MOTION.read_text(encoding="utf-8")
    assert "Axiom" not in MOTION.read_text(encoding="utf-8")


def test_what_has_no_rule_is_told() -> None:
    (x,) = da.coordinates("x")
    m, k = da.parameters("m k")
    T, V = m * x.dot**2 / 2, k * da.sqrt(x**2 + 1)
    system = da.System(coordinates=[x], kinetic=T, potential=V)
    with pytest.raises(InvalidExpression, match=r"Motion\.v"):
        system.equations().certificate().coq()


@pytest.mark.parametrize("name", COMPILED)
def test_coq_accepts(folder: Path, name: str) -> None:
    printed = accepted(folder, coq(data_of(name)))
    assert printed is not None
    named = set(re.findall(r"^(?:\w+\.)*(\w+)\s*:", printed, re.MULTILINE))
    assert named - {"Axioms"} == AXIOMS, printed


def test_coq_refuses_what_is_wrong(folder: Path) -> None:
    data = data_of("rp_arm")
    assert accepted(folder, coq(data)) is not None
    # another number, M with two entries exchanged, and fewer parameters that are positive
    changes: list[dict[str, Any]] = []
    for _ in range(3):
        changes.append(data_of("rp_arm"))
    number = next(s for s in changes[0]["claimed"]["program"] if s[0] == "num" and s[1] != "0")
    number[1] = "3/7"
    M = changes[1]["claimed"]["M"]
    M[0][0], M[1][1] = M[1][1], M[0][0]
    changes[2]["positive"] = []
    for changed in changes:
        assert accepted(folder, coq(changed)) is None
