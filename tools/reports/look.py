"""Open a report without network and say what is wrong with it, with pictures for a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tools.browser import WIDTH, Visit, barriers, is_blank, pixels, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page  # pyright: ignore[reportMissingImports]

MOST_BYTES = 5_000_000
MOVED = 20
"""Pixels that differ between two moments of an animation, at least."""
STILL = 20_000
"""Milliseconds until an animation counts as standing still."""
SEEN = {"an equation": "section math:visible", "a drawing": "figure:not(.motion) svg"}
SHOWN = ("Overview", "Equations of motion", "Simulation")
"""The sections that are on the sheet of pictures."""
OPEN = "for (const e of document.querySelectorAll('details')) e.open = true"


class Look(NamedTuple):
    """What was found on a page: a line for each fault, and pictures of some sections."""

    faults: list[str]
    pictures: list[bytes]


def look(browser: Browser, place: Path) -> Look:
    """Return what is wrong with a report; nothing is the answer that is hoped for."""
    faults = []
    size = place.stat().st_size
    if size >= MOST_BYTES:
        faults.append(f"expected less than {MOST_BYTES:,} bytes, got {size:,}")
    light = visit(browser, place)
    faults += _noise(light, place) + _unseen(light.page) + _still(light.page)
    pictures = _pictures(light.page)
    faults += _wide(light.page)
    for scheme in ("light", "dark"):
        seen = (
            light
            if scheme == "light"
            else visit(browser, place, scheme=scheme, reduced_motion="reduce")
        )
        seen.page.evaluate(OPEN)
        faults += [f"{scheme}: {fault}" for fault in barriers(seen.page)]
        faults += [f"{scheme}: {fault}" for fault in _noise(seen, place)]
        seen.page.context.close()
    return Look(list(dict.fromkeys(faults)), pictures)


def _noise(seen: Visit, place: Path) -> list[str]:
    said = [f"the page says: {text}" for text in seen.messages]
    asked = [f"the page asks for {url}" for url in seen.requests if url != place.as_uri()]
    return said + asked


def _unseen(page: Page) -> list[str]:
    """Return what should be seen and is not: the pixels of its box are all background."""
    faults = []
    for what, selector in SEEN.items():
        found = page.locator(selector).all()
        if not found:
            faults.append(f"expected {what}, got none")
        elif is_blank(found[0].screenshot()):
            faults.append(f"expected to see {what}, got an empty box")
    return faults


def _still(page: Page) -> list[str]:
    """Return whether the animation stands still, by itself or where its slider is moved."""
    motion = page.locator("figure.motion")
    if not motion.count():
        return ["expected an animation, got none"]
    shown = motion.locator("output")
    if shown.text_content() == "0.00 s":
        page.wait_for_function(
            "() => document.querySelector('figure.motion output').textContent != '0.00 s'",
            timeout=STILL,
        )
    slider, drawing = motion.locator("input"), motion.locator("canvas")
    end = float(slider.get_attribute("max") or 0)
    pictures = []
    for part in (0.0, 0.3, 0.6):
        slider.evaluate(
            "(e, x) => { e.value = x; e.dispatchEvent(new Event('input')) }", part * end
        )
        pictures.append(pixels(drawing.screenshot()))
    changes = [int(np.any(pictures[0] != other, axis=-1).sum()) for other in pictures[1:]]
    return [] if max(changes) >= MOVED else [f"the animation moves {max(changes)} pixels"]


def _wide(page: Page) -> list[str]:
    width = page.evaluate("document.documentElement.scrollWidth")
    return [] if width <= WIDTH else [f"the page is {width} pixels wide in a window of {WIDTH}"]


def _pictures(page: Page) -> list[bytes]:
    found = [page.locator("section", has=page.get_by_role("heading", name=x)) for x in SHOWN]
    return [section.first.screenshot() for section in found if section.count()]
