"""Reports in a browser without network: silent, seen, moving, and without barriers.

`python -m tools.reports` looks in the same way at reports on everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dalembert as da
from tools.browser import started, visit, why_not
from tools.reports.look import look
from tools.reports.subjects import subject

if TYPE_CHECKING:
    from playwright.sync_api import Browser  # pyright: ignore[reportMissingImports]

NAMES = ("rp_mechanism", "particle")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if missing := why_not():
        pytest.skip(missing)
    with started() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


def report_on(name: str, folder: Path) -> Path:
    path = folder / f"{name}.html"
    if not path.exists():
        da.report.write(subject(name), path, title=name, progress=False)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_silent_seen_moving_and_without_barriers(
    name: str, browser: Browser, folder: Path
) -> None:
    pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    assert look(browser, report_on(name, folder)).faults == []


def test_a_page_with_faults_is_found_out(browser: Browser, folder: Path) -> None:
    pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    page = report_on("particle", folder).read_text(encoding="utf-8")
    # a picture from elsewhere, pale words, formulas and drawings that are not seen, a stopped clock
    page = page.replace("</h1>", "</h1><img src='https://example.org/a.png'>")
    page = page.replace("</style>", "p {color:#ccc} math, figure svg * {visibility:hidden}</style>")
    page = page.replace("this.points = points;", "this.points ||= points; say();")
    spoiled = folder / "spoiled.html"
    spoiled.write_text(page, encoding="utf-8")
    found = "\n".join(look(browser, spoiled).faults)
    for words in ("image-alt", "color-contrast", "got an empty box", "moves 0 pixels", "says:"):
        assert words in found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_follows_the_choice_of_light_or_dark(
    browser: Browser, folder: Path, scheme: Any
) -> None:
    page = visit(browser, report_on("particle", folder), scheme=scheme).page
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def test_the_animation_stops_and_goes_where_the_slider_is(browser: Browser, folder: Path) -> None:
    page = visit(browser, report_on("rp_mechanism", folder)).page
    page.locator("figure.motion button").click()
    assert page.locator("figure.motion button").text_content() == "Play"
    page.locator("figure.motion input").fill("0")
    assert page.locator("figure.motion output").text_content() == "0.00 s"


def test_reduced_motion_is_respected(browser: Browser, folder: Path) -> None:
    page = visit(browser, report_on("rp_mechanism", folder), reduced_motion="reduce").page
    assert page.locator("figure.motion button").text_content() == "Play"
    assert page.locator("figure.motion output").text_content() == "0.00 s"


def test_names_of_a_person_do_not_run(browser: Browser, tmp_path: Path) -> None:
    nasty = "</script><script>document.title='run'</script><img src=x onerror=document.title='run'>"
    arm = da.Builder(nasty).link(nasty, mass=1, com=(1, 0, 0)).revolute(nasty, nasty).build()
    da.report.write(arm, tmp_path / "nasty.html", title=nasty, progress=False)
    seen = visit(browser, tmp_path / "nasty.html")
    assert seen.page.title() == nasty
    assert seen.messages == []
    assert len(seen.requests) == 1
