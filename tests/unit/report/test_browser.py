"""Reports in a browser without network: no message, no request, and the animation plays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dalembert as da

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "arm.html"
    da.report.write(da.textbook.robots.rp_mechanism(), path, progress=False)
    return path


def opened(browser: Any, place: Path, **options: Any) -> tuple[Any, list[str], list[str]]:
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 800}, **options)
    page = context.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(place.as_uri())
    return page, messages, requests


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_opens_silently(browser: Any, place: Path, scheme: str) -> None:
    page, messages, requests = opened(browser, place, color_scheme=scheme)
    assert messages == []
    assert requests == [place.as_uri()]
    # equations and drawings have a size: they are seen
    boxes = [
        page.locator(x).first.bounding_box() for x in ("section > .formulas math", "figure svg")
    ]
    assert all(box["width"] > 50 and box["height"] > 10 for box in boxes)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light == "rgb(255, 255, 255)") == (scheme == "light")
    # a page is never wider than its window: what is wide scrolls by itself
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000


def test_the_animation_plays_stops_and_goes_where_the_slider_is(browser: Any, place: Path) -> None:
    page, _, _ = opened(browser, place)
    line = page.locator("figure.motion line").last
    before = line.get_attribute("x2")
    page.wait_for_function(
        "x => [...document.querySelectorAll('figure.motion line')].at(-1).getAttribute('x2') != x",
        arg=before,
    )
    page.locator("figure.motion button").click()
    assert page.locator("figure.motion button").text_content() == "Play"
    page.locator("figure.motion input").fill("0")
    assert page.locator("figure.motion output").text_content() == "0.00 s"


def test_reduced_motion_is_respected(browser: Any, place: Path) -> None:
    page, _, _ = opened(browser, place, reduced_motion="reduce")
    assert page.locator("figure.motion button").text_content() == "Play"
    assert page.locator("figure.motion output").text_content() == "0.00 s"


def test_names_of_a_person_do_not_run(browser: Any, tmp_path: Path) -> None:
    nasty = "</script><script>document.title='run'</script><img src=x onerror=document.title='run'>"
    arm = da.Builder(nasty).link(nasty, mass=1, com=(1, 0, 0)).revolute(nasty, nasty).build()
    da.report.write(arm, tmp_path / "nasty.html", title=nasty, progress=False)
    page, messages, requests = opened(browser, tmp_path / "nasty.html")
    assert page.title() == nasty
    assert messages == []
    assert len(requests) == 1
