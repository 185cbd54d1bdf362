"""Print the figures of the source tree, keep them, or write them into a page."""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

from tests.project.source_tree import SRC
from tools.blocks import write_block
from tools.house.measures import Row, measure

GOALS = {
    "lines": "900 fewer",
    "largest folder": "≤ 15",
    "largest call-time cycle": "≤ 4",
    "kind checks": "2",
    "hooks": "0",
    "`Any` in public functions": "≤ 2 %",
    "`Any` in exported names": "≤ 2 %",
}


def commit_of(src: Path) -> str:
    """Return the short id of the commit that is checked out."""
    call = ["git", "-C", str(src), "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()


def table(rows: list[Row], before: dict[str, str] | None = None) -> str:
    """Return the figures as a Markdown table, beside earlier ones where given."""
    head = ["", "now", "goal"] if before is None else ["", "before", "after", "goal"]
    cells = [head, ["---"] * len(head)]
    for row in rows:
        earlier = [] if before is None else [before.get(row.name, "-")]
        cells.append([row.name, *earlier, row.text, GOALS.get(row.name, "")])
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def main() -> None:
    """Print the figures, keep them, or write them into a page."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.house", description="Measure the source."
    )
    parser.add_argument("--src", type=Path, default=SRC, help="the folder that holds dalembert/")
    parser.add_argument("--markdown", action="store_true", help="print a table")
    parser.add_argument("--places", action="store_true", help="list what was counted")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("--before", type=Path, help="figures that --json kept earlier")
    parser.add_argument("--write", type=Path, help="the page whose block to replace")
    given = parser.parse_args()
    rows = measure(given.src.resolve())
    before = json.loads(given.before.read_text("utf-8"))["figures"] if given.before else None
    if given.json:
        kept = {"commit": commit_of(given.src), "figures": {row.name: row.text for row in rows}}
        text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        given.json.write_text(text, encoding="utf-8")
    if given.write:
        write_block(given.write, "house", table(rows, before))
    elif given.markdown or before:
        print(table(rows, before))
    else:
        for row in rows:
            print(f"{row.name:<42} {row.text}")
            print(*(f"    {x}\n" for x in row.places if given.places), sep="", end="")


if __name__ == "__main__":
    main()
