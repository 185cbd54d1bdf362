"""The site lists every page once, its links hold, and it loads nothing from elsewhere."""

from __future__ import annotations

import html
import importlib.util
import inspect
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

import dalembert as da
from tests.project.source_tree import ROOT
from tools.browser import started, why_not
from tools.site import __main__ as site
from tools.site import api, contents, source
from tools.site.docstrings import escaped
from tools.site.look import look, search
from tools.site.references import owners, package_of

MISSING = [name for name in site.PACKAGES if importlib.util.find_spec(name) is None]
needs_sphinx = pytest.mark.skipif(
    bool(MISSING), reason=f'no {", ".join(MISSING)}: pip install ".[docs]"'
)


def test_every_page_is_listed_once() -> None:
    listed = Counter(source.listed_pages())
    scripts = {f"examples/{file.name}" for file in (ROOT / "examples").glob("*.py")}
    unlisted = sorted({*source.all_pages(), *scripts} - set(listed))
    assert not unlisted, f"add to tools/site/contents.py: {', '.join(unlisted)}"
    assert set(listed) <= {*source.all_pages(), *scripts}
    assert [page for page, times in listed.items() if times > 1] == []


def test_three_kinds_of_users_are_met_on_the_front_page() -> None:
    front = (ROOT / contents.FRONT).read_text(encoding="utf-8")
    linked = set(source.targets(contents.FRONT, front))
    assert {f"docs/tutorials/{name}.md" for name in ("student", "controls", "gpu")} <= linked


def test_readme_and_front_page_lead_to_every_page() -> None:
    # by links alone, as a reader of the repository goes
    ways = ["README.md", contents.FRONT]
    for page in ways:
        text = (ROOT / page).read_text(encoding="utf-8")
        linked = dict.fromkeys(source.targets(page, text))
        ways += [target for target in linked if target.endswith(".md") and target not in ways]
    assert sorted(set(source.all_pages()) - set(ways)) == []


def test_links_are_those_of_the_site() -> None:
    page = "[a](../kernels.md#backends), [b](README.md)\n```text\n[c](nothing.md)\n```\n"
    moved = source.moved("docs/extending/pass.md", page)
    assert moved == "[a](../kernels.md#backends), [b](index.md)\n```text\n[c](nothing.md)\n```\n"
    assert source.moved("CONTRIBUTING.md", "[x](docs/gpu.md)") == "[x](../gpu.md)"
    assert source.moved("docs/gpu.md", "[x](https://a.org/b.md) [y](#jax)") == (
        "[x](https://a.org/b.md) [y](#jax)"
    )
    assert source.moved("CHANGELOG.md", "[x](examples/)") == "[x](../examples/index.md)"
    assert source.moved("docs/gpu.md", "[x](textbook)") == "[x](textbook/index.md)"
    script = "[x](../../examples/02_prove.py)"
    assert source.moved("docs/examples/README.md", script) == "[x](02_prove.md)"


@pytest.mark.parametrize("target", ["nothing.md", "../../../outside.md", "coming_from"])
def test_a_link_that_leads_nowhere_is_an_error(target: str) -> None:
    with pytest.raises(source.BrokenLink, match=f"docs/gpu.md: expected .*{target}"):
        source.moved("docs/gpu.md", f"[x]({target})")


def test_every_public_name_is_explained_once() -> None:
    places = Counter(
        id(getattr(importlib.import_module(package), name))
        for package in api.packages()
        for name in api.public_names(package)
    )
    assert max(places.values()) == 1
    for name in da.__all__:
        value = getattr(da, name)
        explained = id(value) in places or f"dalembert.{name}" in api.packages()
        assert explained or isinstance(value, (str, da.Expr)), name


def test_formulas_of_docstrings_are_no_markup() -> None:
    lines = ["|q| with `q_1`", "and ``a*b``, 2*x*", ">>> x_ * 2", "'`'"]
    assert escaped(lines) == [
        r"\|q\| with ``q_1``",
        r"and ``a*b``, 2\*x\*",
        "",
        ">>> x_ * 2",
        "'`'",
    ]


def test_a_name_of_two_packages_is_that_of_the_page() -> None:
    assert owners("dalembert.control")["Motion"] == "dalembert.control"
    assert owners("dalembert.analysis")["Motion"] == "dalembert.analysis"
    assert "Motion" not in owners("dalembert.ik")
    assert owners("dalembert.ik")["Model"] == "dalembert"
    assert (package_of("api/dalembert.ik"), package_of("gpu")) == ("dalembert.ik", None)


def test_formulas_become_mathml() -> None:
    pytest.importorskip("latex2mathml", reason="pip install latex2mathml")
    from tools.site.mathml import mathml

    lines = mathml(r"\begin{aligned} a &= 1 \\ b &= 2 \end{aligned}", "block")
    assert lines.count("<mtr>") == 2
    with pytest.raises(ValueError, match=r"got \\nonsense in"):
        mathml(r"\nonsense x", "inline")


def test_a_folder_with_other_files_is_not_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "PACKAGES", ())
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(SystemExit, match="expected a new folder or one with a site"):
        site.main([str(tmp_path)])
    assert (tmp_path / "mine").read_text() == "kept"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "PACKAGES", ("json", "no_such_package"))
    with pytest.raises(SystemExit, match=r'expected no_such_package.*pip install "\.\[docs\]"'):
        site.main([])


class Loaded(HTMLParser):
    """Collects what a page loads by itself: scripts, styles, pictures, frames."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        loads = given.get("src"), given.get("data"), given.get("href") if tag == "link" else None
        self.found += [address for address in loads if address]


def loaded(page: str) -> list[str]:
    parser = Loaded()
    parser.feed(page)
    return parser.found


def test_what_a_page_loads_is_found() -> None:
    page = '<link href="a.css"><script src="https://b/c.js"></script><a href="https://d">d</a>'
    assert loaded(page) == ["a.css", "https://b/c.js"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation") / "site"
    # in a process of its own: Sphinx's own warnings are not ours
    command = [sys.executable, "-m", "tools.site", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@needs_sphinx
def test_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(built: Path) -> None:
    pages = sorted(built.rglob("*.html"))
    assert len(pages) > len(source.all_pages())
    foreign = re.compile(r"(?:[a-z]+:)?//")
    for page in pages:
        for address in loaded(page.read_text(encoding="utf-8")):
            assert not foreign.match(address), (page.name, address)
    for style in built.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


@needs_sphinx
def test_a_sentence_with_a_colon_is_no_type(built: Path) -> None:
    page = (built / "api" / "dalembert.ik.html").read_text(encoding="utf-8")
    words = html.unescape(re.sub("<[^>]+>", "", page))
    sentence = inspect.getdoc(da.ik.AxisTask.units) or ""
    assert ":" in sentence
    assert sentence in words


@needs_sphinx
def test_pages_in_a_browser_are_silent_seen_searched_and_without_barriers(built: Path) -> None:
    if missing := why_not():
        pytest.skip(missing)
    pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    with started() as browser:
        assert look(browser, built) == []
        titles, place = search(browser, built, "Baumgarte")
        assert "Simulation" in titles
        assert place.startswith("api/dalembert.simulation.html#")
        spoil(built / "index.html")
        faults = "\n".join(look(browser, built, ["index"]))
    for words in ("image-alt", "asks for https://example.org", "pixels wide", "says: ready"):
        assert words in faults


def spoil(page: Path) -> None:
    """Put a picture from elsewhere, a box that is too wide and a message into a page."""
    text = page.read_text(encoding="utf-8")
    wrong = """<img src="https://example.org/a.png"><div style="width:2000px">wide</div>
    <script>console.log("ready")</script>"""
    page.write_text(text.replace("</h1>", f"</h1>{wrong}", 1), encoding="utf-8")
