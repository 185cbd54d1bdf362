"""Results as a page of the documentation, docs/benchmarks.md with its plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.plot import draw
from benchmarks.tables import all_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"
INTRODUCTION = """\
# Benchmarks

Written by `python -m benchmarks --write-docs`: figures of one run on one machine. Only ratios
within the run mean something elsewhere.

All engines see the same robots and the same 256 random states in double precision, and all of them
agreed with the recursions to 1e-9 of the largest entry before they were timed. Their rounds are
interleaved, and the best round of each counts, in time of the processor.

- **Pinocchio C++**: compiled on this machine with `-O3 -march=native` from the headers of the `pin`
  wheel; where it has two conventions, the faster one.
- **Pinocchio Python**: one call of the bindings at a time.
- **MuJoCo C**: only the stages of its pipeline that the task needs, called from C.
- **CasADi VM**, **CasADi C**: dalembert's recursions as CasADi's graph, in its virtual machine and
  as the C that it generates, compiled with `-O3 -march=native`; derivatives are CasADi's own.
- **dalembert batch**: many states in one call, one core; **float32**: the same in single precision,
  to 1e-4; **single**: state after state in compiled code; **Python**: one call at a time from
  Python.

Kinematics are the poses of all bodies, the Jacobian is that of the last body.
"""


def write_page(results: dict[str, Any], command: str, folder: Path = DOCS) -> None:
    """Write the page and the plot beside it."""
    described = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    parts = [
        INTRODUCTION,
        f"Command: `{command}`; {described}.\n",
        "![Ratios against Pinocchio in C++](benchmarks.svg)\n",
        *(f"{table.markdown()}\n" for table in all_tables(results)),
    ]
    if results["missing"]:
        rows = [f"- {name}: {reason}" for name, reason in results["missing"].items()]
        parts.append("Not measured:\n\n" + "\n".join(rows) + "\n")
    (folder / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")
    draw(results["robots"], folder / "benchmarks.svg")
