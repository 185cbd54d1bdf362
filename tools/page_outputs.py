"""Write what the code of pages prints below it: `python -m tools.page_outputs docs/system.md …`.

Every `python` block that prints something gets a `text` block right after it; one that is there is
replaced. The blocks of a page share their names, in order. Without arguments: every page that is
written in this way. The tests run the code again and compare.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
from pathlib import Path
from typing import Any

from tools.markdown import Block, blocks

DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMES = (
    "system.md",
    "course.md",
    "textbook/block.md",
    "textbook/planar_arm_ik.md",
    "textbook/angular_velocity.md",
)
WRITTEN = (*sorted((DOCS / "gallery").glob("*.md")), *(DOCS / name for name in NAMES))


def output_of(code: str, names: dict[str, Any]) -> str:
    """Run the code of a page of this repository and return what it prints."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(code, "page", "exec"), names)
    return stream.getvalue()


def with_outputs(page: str) -> str:
    """Return the page with what its code prints.

    >>> print(with_outputs("```python\\nprint(1 + 1)\\n```"), end="")
    ```python
    print(1 + 1)
    ```
    <BLANKLINE>
    ```text
    2
    ```
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    lines = page.splitlines()
    parts: list[str] = []
    done = 0
    found = blocks(page)
    for block, after in itertools.zip_longest(found, found[1:]):
        if block.info != "python":
            continue
        printed = output_of(block.text, names)
        parts += lines[done : _last_line(block)]
        done = _last_line(block)
        if after is not None and after.info == "text" and after.follows == 0:
            done = _last_line(after)
        if printed:
            parts += ["", "```text", *(s.rstrip() for s in printed.rstrip().splitlines()), "```"]
    return "\n".join([*parts, *lines[done:]]) + "\n"


def _last_line(block: Block) -> int:
    """Return the number of the line that closes the block."""
    return block.first + block.text.count("\n")


def main() -> None:
    """Write the pages that are named, or all."""
    for path in [Path(name) for name in sys.argv[1:]] or WRITTEN:
        old = path.read_text(encoding="utf-8")
        new = with_outputs(old)
        if new != old:
            path.write_text(new, encoding="utf-8", newline="\n")
            print(f"written: {path}")


if __name__ == "__main__":
    main()
