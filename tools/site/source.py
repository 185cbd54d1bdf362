"""The source of the site: the Markdown pages with links that hold there, and what they show.

The pages are written to be read in the repository. On the site they stand in other places: those
of `docs/` at the top, those of the root in `project/`, scripts of `examples/` as pages of their
own. Links are written anew, and a link that leads nowhere is an error.
"""

from __future__ import annotations

import ast
import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dalembert.typeset.font.style import math_style
from dalembert.typeset.render.kinds import site_style
from tools.markdown import blocks
from tools.site.contents import FRONT, GROUPS
from tools.site.results import with_formulas

ROOT = Path(__file__).resolve().parents[2]
STATIC = ".static"
"""The folder of files that the build makes for all pages."""
LINK = re.compile(r"(?<=\]\()(?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?(?=\))")
ELSEWHERE = re.compile(r"[a-z]+:|$")


class BrokenLink(ValueError):
    """A page links to a file that does not exist."""


def write_source(folder: Path) -> None:
    """Write the pages, their pictures and the files that they link to into an empty folder."""
    for file in sorted((ROOT / "docs").rglob("*")):
        if file.is_file() and file.suffix != ".md":
            _copy(file.relative_to(ROOT).as_posix(), folder)
    for path in all_pages():
        text = (ROOT / path).read_text(encoding="utf-8")
        for target in targets(path, text):
            if target.endswith(".md"):
                continue
            if is_script(target):
                _write(folder / place(target), script_page(target))
            elif not target.startswith("docs/"):
                _copy(target, folder)
        _write(folder / place(path), with_formulas(moved(path, text)) + _contents(path, text))
    _write(folder / STATIC / "math.css", math_style() + site_style())


def all_pages() -> list[str]:
    """Return the Markdown pages of the site, as paths in the repository."""
    outside = [page for pages in GROUPS.values() for page in pages if "/" not in page]
    inside = (ROOT / "docs").rglob("*.md")
    return sorted(file.relative_to(ROOT).as_posix() for file in inside) + outside


def listed_pages() -> list[str]:
    """Return the pages that a reader finds in the contents, in order."""
    found = [FRONT]
    for page in (page for pages in GROUPS.values() for page in pages):
        found += [page, *children(page, (ROOT / page).read_text(encoding="utf-8"))]
    return found


def children(path: str, text: str) -> list[str]:
    """Return the pages that the page of a folder stands for, in the order of its links."""
    if not path.endswith("/README.md"):
        return []
    folder = posixpath.dirname(place(path))
    linked = dict.fromkeys(targets(path, text))
    return [
        target
        for target in linked
        if target != path and posixpath.dirname(place(target)) == folder and _is_page(target)
    ]


def targets(path: str, text: str) -> Iterator[str]:
    """Yield the files that a page links to, as paths in the repository."""
    for line in _prose(text):
        for link in LINK.finditer(line):
            if not ELSEWHERE.match(link["target"]):
                yield resolved(path, link["target"])


def resolved(path: str, target: str) -> str:
    """Return the path in the repository of a relative link on a page; of a folder, its page.

    >>> resolved("docs/extending/pass.md", "../kernels.md"), resolved("CHANGELOG.md", "examples")
    ('docs/kernels.md', 'docs/examples/README.md')
    """
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    # the page of a folder of the root is in docs/
    pages = (f"{found}/README.md", f"docs/{found}/README.md")
    if (ROOT / found).is_dir():
        found = next((page for page in pages if (ROOT / page).is_file()), found)
    if found.startswith("..") or not (ROOT / found).is_file():
        raise BrokenLink(f"{path}: expected a link to a file of the repository, got {target}")
    return found


def moved(path: str, text: str) -> str:
    """Return the text of a page with its links as they are on the site."""
    here = posixpath.dirname(place(path))

    def link(match: re.Match[str]) -> str:
        if ELSEWHERE.match(match["target"]):
            return match[0]
        there = posixpath.relpath(place(resolved(path, match["target"])), here or ".")
        return there + (match["anchor"] or "")

    return "".join(_prose(text, lambda line: LINK.sub(link, line)))


def place(path: str) -> str:
    """Return the path on the site of a file of the repository.

    >>> [place(path) for path in ("docs/gpu.md", "docs/gallery/README.md", "SECURITY.md")]
    ['gpu.md', 'gallery/index.md', 'project/SECURITY.md']
    """
    if is_script(path):
        return path.removesuffix(".py") + ".md"
    if path.startswith("docs/"):
        return re.sub(r"(^|/)README\.md$", r"\1index.md", path.removeprefix("docs/"))
    return f"project/{path}"


def is_script(path: str) -> bool:
    """Tell whether a file is shown as a page of code."""
    return path.startswith("examples/") and path.endswith(".py")


def script_page(path: str) -> str:
    """Return a page with what a script does, its picture and its code."""
    code = (ROOT / path).read_text(encoding="utf-8")
    name = posixpath.basename(path).removesuffix(".py")
    # without the number
    title = " ".join(name.split("_")[1:]).capitalize()
    does = (ast.get_docstring(ast.parse(code)) or "").split("\n")[0]
    picture = f"![{does}]({name}.png)" if (ROOT / f"docs/examples/{name}.png").exists() else ""
    return f"# {title}\n\n{does}\n\n{picture}\n\n`{path}`:\n\n````python\n{code}````\n"


def toctree(caption: str, documents: Iterable[str]) -> str:
    """Return the directive that puts documents of the site into the contents."""
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join(["", *lines, *documents, "```", ""])


def _contents(path: str, text: str) -> str:
    """Return what a page adds to the contents of the site."""
    if path == FRONT:
        found = {caption: [_document(page) for page in pages] for caption, pages in GROUPS.items()}
        found["Reference"].insert(0, "/api/index")
        return "".join(toctree(caption, documents) for caption, documents in found.items())
    below = [_document(page) for page in children(path, text)]
    return toctree("", below) if below else ""


def _document(path: str) -> str:
    return "/" + place(path).removesuffix(".md")


def _is_page(path: str) -> bool:
    return path.endswith(".md") or is_script(path)


def _prose(text: str, change: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the lines of a page, those outside of fenced blocks changed."""
    inside = {n for b in blocks(text) for n in range(b.first, b.first + b.text.count("\n"))}
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        yield line if number in inside else change(line)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(path: str, folder: Path) -> None:
    there = folder / place(path)
    there.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, there)
