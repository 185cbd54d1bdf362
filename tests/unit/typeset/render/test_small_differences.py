"""Names of small differences: δ before the letter, dots on the letter."""

import pytest

import dalembert as da


@pytest.mark.parametrize(
    ("name", "text", "latex"),
    [
        ("deltatheta1", "δθ̈₁", r"\delta \ddot{\theta}_{1}"),
        ("deltax_c", "δẍ_c", r"\delta \ddot{x}_{c}"),
        ("delta", "δ̈", r"\ddot{\delta}"),
        ("delta1", "δ̈₁", r"\ddot{\delta}_{1}"),
        ("delta_x", "δ̈_x", r"\ddot{\delta}_{x}"),
    ],
)
def test_glyphs(name: str, text: str, latex: str) -> None:
    (x,) = da.coordinates(name)
    assert str(x.ddot) == text
    assert x.ddot.latex() == latex
