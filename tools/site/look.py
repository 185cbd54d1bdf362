"""Open pages of the site without network and say what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tools.browser import barriers, is_blank, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page  # pyright: ignore[reportMissingImports]

PAGES = (
    "index",
    "tutorials/student",
    "textbook/cart_pole",
    "gallery/pendulums",
    "examples/index",
    "examples/02_prove",
    "coming_from/pinocchio",
    "benchmarks",
    "project/SECURITY",
    "api/dalembert.ik",
    "search",
)
"""One page of each kind."""
VIEWS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1200), ("dark", 390))
"""Colours and the width of the window."""
FOUND = "#search-results li a"


def look(browser: Browser, site: Path, names: Iterable[str] = PAGES) -> list[str]:
    """Return what is wrong with the site; nothing is the answer that is hoped for.

    Pages are opened on a screen in light colours and on a phone in dark ones, in turn.
    """
    faults = []
    for name, (scheme, width) in zip(names, cycle(VIEWS), strict=False):
        seen = visit(browser, site / f"{name}.html", scheme=scheme, width=width)
        found = _strangers(seen.requests, site) + _wide(seen.page) + _unseen(seen.page)
        found += [f"the page says: {text}" for text in seen.messages]
        # last: axe-core asks for style sheets by itself
        found += barriers(seen.page)
        faults += [f"{name}, {scheme}: {fault}" for fault in found]
        seen.page.context.close()
    return faults


def search(browser: Browser, site: Path, word: str) -> tuple[list[str], str]:
    """Type a word on the front page; return the titles found, and the page the first leads to."""
    page = visit(browser, site / "index.html").page
    box = page.locator("input[name=q]").first
    box.fill(word)
    box.press("Enter")
    page.get_by_text("Search finished").wait_for()
    titles = [str(found.text_content()) for found in page.locator(FOUND).all()]
    page.locator(FOUND).first.click()
    page.wait_for_load_state()
    place = page.url.removeprefix(site.as_uri() + "/")
    page.context.close()
    return titles, place


def _strangers(requests: list[str], site: Path) -> list[str]:
    here = site.as_uri() + "/"
    return [f"the page asks for {url}" for url in requests if not url.startswith(here)]


def _wide(page: Page) -> list[str]:
    wide, window = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    return [f"the page is {wide} pixels wide in a window of {window}"] if wide > window else []


def _unseen(page: Page) -> list[str]:
    formulas = page.locator(".content math:visible").all()[:3]
    return [
        f"expected to see a formula, got an empty box: {formula.text_content()}"
        for formula in formulas
        if is_blank(formula.screenshot())
    ]
