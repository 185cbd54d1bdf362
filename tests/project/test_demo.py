"""`./demo` runs and shows what it promises."""

from __future__ import annotations

import pytest

from dalembert import demo


def test_demo_derives_and_proves_the_rp_arm(capsys: pytest.CaptureFixture[str]) -> None:
    demo.rp_arm()
    out = capsys.readouterr().out
    assert "m g (l + q₂) c₁ = τ₁" in out
    assert "✓ identical to problem 1, exactly" in out
    assert "✗" not in out
    assert "λ₄ =" in out


@pytest.mark.parametrize("show", ["derivation", "gallery"])
def test_other_shows_run(show: str, capsys: pytest.CaptureFixture[str]) -> None:
    demo.SHOWS[show]()
    assert len(capsys.readouterr().out) > 500
