"""`./demo` runs and shows what it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert import demo
from dalembert.cli.app import PANELS


def test_demo_derives_and_proves_the_rp_arm(capsys: pytest.CaptureFixture[str]) -> None:
    demo.rp_arm()
    out = capsys.readouterr().out
    assert "m g (l + q₂) c₁ = τ₁" in out
    assert "✓ identical to problem 1, exactly" in out
    assert "✗" not in out
    assert "λ₄ =" in out


def test_the_tour_ends_with_reports_and_what_to_try(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    demo.tour(tmp_path)
    out = capsys.readouterr().out
    assert "✗" not in out
    assert "m g (l + q₂) c₁ = τ₁" in out
    assert out.count("statements proved") == 2
    assert out.count("Simulated: finished at t = 2") == 2
    for name in ("rp_arm.html", "panda.html"):
        assert str(tmp_path / name) in out
        assert "<math" in (tmp_path / name).read_text(encoding="utf-8")
    # what it says to try is something that can be tried
    known = {name for commands in PANELS.values() for name in commands}
    tried = [line.split("-m dalembert ")[1].split()[0] for line in out.splitlines()[-3:]]
    assert len(tried) == 3
    assert set(tried) <= known


@pytest.mark.parametrize("show", ["derivation", "gallery"])
def test_other_shows_run(show: str, capsys: pytest.CaptureFixture[str]) -> None:
    demo.SHOWS[show]()
    assert len(capsys.readouterr().out) > 500
