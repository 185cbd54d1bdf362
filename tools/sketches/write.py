"""Write a sketch for each system of the gallery, and its link below the title on the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from dalembert.picture import Placed
from dalembert.picture.svg import svg
from tools.sketches import machines, particles, pendulums, rolling, ropes, wheels
from tools.sketches.draw import Sketch

SCALE = 54.0
"""Pixels of a unit."""
GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
PAGES: dict[str, dict[str, Callable[[], Sketch]]] = {
    "machines": machines.SKETCHES,
    "particles": particles.SKETCHES,
    "pendulums": pendulums.SKETCHES,
    "rolling": rolling.ROLLING,
    "ropes": ropes.SKETCHES,
    "tops": rolling.TOPS,
    "wheels": wheels.SKETCHES,
}


def files() -> dict[Path, str]:
    """Return every file with its text: the sketches, and the pages with links to them."""
    found = {}
    for page, sketches in PAGES.items():
        path = GALLERY / f"{page}.md"
        text = path.read_text(encoding="utf-8")
        for title, draw in sketches.items():
            name = f"sketches/{slug(title)}.svg"
            found[GALLERY / name] = svg(Placed.at_rest(draw().picture()), title, scale=SCALE)
            text = linked(text, title, name)
        found[path] = text
    return found


def slug(title: str) -> str:
    """Return a title as the name of a file.

    >>> slug("Watt's governor")
    'watts_governor'
    """
    return re.sub(r"[^a-z0-9]+", "_", title.lower().replace("'", "")).strip("_")


def linked(page: str, title: str, name: str) -> str:
    """Return the page with the image right below the title."""
    head, link = f"## {title}\n", f"![{title}]({name})\n"
    if link in page:
        return page
    if page.count(head) != 1:
        raise SystemExit(f"expected the title {title!r} once, got {page.count(head)} times")
    return page.replace(head, f"{head}\n{link}")


def write_all() -> int:
    """Write what has changed and return how many files that were."""
    count = 0
    for path, text in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            count += 1
    return count
