"""A headless Chromium without network, and what a page does in it."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page  # pyright: ignore[reportMissingImports]

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# drawn by the processor: a machine that tests has no screen
OPTIONS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WIDTH, HEIGHT = 1000, 800
WAIT = 120_000
"""Milliseconds that something may take on a busy machine."""
LEAST_INK = 0.002
"""Part of a picture that is not background where something is drawn."""
GRAVE = ("serious", "critical")
INSIDE = "math > *"
"""Parts of formulas, thousands on a page: they have no colours or names of their own."""


def why_not() -> str:
    """Return what is missing on this machine to open a page; nothing if all is there."""
    try:
        import playwright.sync_api  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        return "expected the package playwright, which drives the browser: pip install playwright"
    if _program() is None:
        return f"expected one of {', '.join(PROGRAMS)} on this machine: install a Chromium"
    return ""


def _program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser, and end it.

    Raises:
        RuntimeError: playwright or Chromium is not installed.
    """
    if missing := why_not():
        raise RuntimeError(missing)
    from playwright.sync_api import sync_playwright  # pyright: ignore[reportMissingImports]

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=_program(), args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """An open page with all that it said and asked for."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def visit(
    browser: Browser,
    place: Path,
    *,
    scheme: Literal["light", "dark"] = "light",
    width: int = WIDTH,
    **options: Any,
) -> Visit:
    """Open a file without a network."""
    context = browser.new_context(
        offline=True, viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, **options
    )
    context.set_default_timeout(WAIT)
    found = Visit(context.new_page())
    found.page.on("console", lambda message: found.messages.append(message.text))
    found.page.on("pageerror", lambda error: found.messages.append(str(error)))
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.goto(place.as_uri())
    return found


def pixels(png: bytes) -> np.ndarray:
    """Return red, green and blue of a picture, ``(height, width, 3)``."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)


def is_blank(png: bytes) -> bool:
    """Tell whether nearly all of a picture is like its first pixel, the background."""
    found = pixels(png)
    return float((np.abs(found - found[0, 0]).max(axis=-1) > 40).mean()) < LEAST_INK


def barriers(page: Page) -> list[str]:
    """Return the serious and critical faults of accessibility that axe-core finds on a page.

    Raises:
        RuntimeError: the package axe-playwright-python, which brings axe-core, is not installed.
    """
    try:
        from axe_playwright_python.sync_playwright import Axe  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise RuntimeError(
            "expected the package axe-playwright-python: pip install axe-playwright-python"
        ) from None
    found = Axe().run(page, context={"exclude": [INSIDE]}).response["violations"]
    return [
        f"{x['impact']}: {x['id']}: {x['help']}: {x['nodes'][0]['html'][:200]}"
        for x in found
        if x["impact"] in GRAVE
    ]
