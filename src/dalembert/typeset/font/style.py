"""The font of formulas on pages: a subset of STIX Two Math (SIL Open Font License, `OFL.txt`).

`python -m tools.math_font` makes it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib.resources import files

FAMILY = "dalembert math"
"""The name under which a page knows the font."""


@cache
def math_style() -> str:
    """Return CSS that sets formulas in the font, which it contains."""
    data = b64encode(files("dalembert.typeset.font").joinpath("math.woff2").read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{data})"
    return (
        f'@font-face {{ font-family: "{FAMILY}"; src: {source} format("woff2"); '
        "font-display: block; }\n"
        f'math {{ font-family: "{FAMILY}", "STIX Two Math", "Latin Modern Math", '
        '"Cambria Math", math; font-size: 1.12em; font-style: normal; }\n'
        # entries of matrices are as large as formulas on lines of their own
        "math[display] mtd { math-style: normal; }\n"
    )
