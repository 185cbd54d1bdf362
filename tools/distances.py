"""Write the table of distances in docs/kinematics.md: `python -m tools.distances`.

Each kind of pair is drawn 100,000 times and compared with MuJoCo; half of the turns between the
shapes are those of joints about their axes, or none.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.agreement.distance_pairs import PAIRS, compare

PAGE = Path(__file__).parent.parent / "docs" / "kinematics.md"
COUNT = 100_000
HEAD = "| shapes | apart | overlapping | of these with another depth |\n|---|---|---|---|\n"


def main() -> None:
    """Measure, and replace the table."""
    rng = np.random.default_rng(0)
    rows = []
    for name in PAIRS:
        found = compare(name, COUNT, rng)
        others = f"{found.num_others:,} of {found.num_overlapping:,}"
        rows.append(f"| {name} | {found.apart:.1e} m | {found.overlapping:.1e} m | {others} |")
        print(rows[-1])
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(HEAD)
    end = re.compile(r"\n(?!\|)").search(text, start)
    assert end is not None
    PAGE.write_text(text[:start] + HEAD + "\n".join(rows) + text[end.start() :], encoding="utf-8")


if __name__ == "__main__":
    main()
