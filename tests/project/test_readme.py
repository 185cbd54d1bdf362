"""Every Python block of the documentation runs and prints what the page says.

The blocks of one page share their names, in order. A `text` block right after a `python` block is
what the latter prints. A block marked `python no-run` is not run.
"""

import contextlib
import io
import itertools
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT
from tools.markdown import blocks

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


def run_page(page: str, name: str) -> None:
    """Run the Python blocks of a page and compare what they print with what the page shows."""
    names: dict[str, object] = {"__name__": "__main__"}
    found = blocks(page)
    for block, after in itertools.zip_longest(found, found[1:]):
        if block.info != "python":
            continue
        # empty lines put the line numbers of a traceback right
        code = compile("\n" * (block.first - 1) + block.text, name, "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        if after and after.info == "text" and after.follows == 0:
            shown, came = stripped(after.text), stripped(printed.getvalue())
            assert came == shown, f"{name}:{after.first}: the block before prints something else"


def stripped(text: str) -> list[str]:
    """Return the lines without white space at their ends, nor empty lines at the end."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.fixture
def jax_precision_kept() -> Iterator[None]:
    """Undo what a page sets for the whole process."""
    before = getattr(sys.modules.get("jax"), "config", None)
    doubles = before is not None and before.jax_enable_x64
    yield
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_enable_x64", doubles)


@pytest.mark.usefixtures("jax_precision_kept")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # what an example writes does not land in the repository
    monkeypatch.chdir(tmp_path)
    run_page(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())


def test_readme_commands_exist() -> None:
    for block in blocks(README.read_text(encoding="utf-8")):
        if block.info == "sh":
            for line in block.text.splitlines():
                missing = missing_command(line)
                assert missing is None, f"README.md:{block.first}: {missing} is no file in the root"


def missing_command(line: str) -> str | None:
    """Return the command of a line if it is not a file in the root that can be run."""
    words = shlex.split(line, comments=True)
    if not words:
        return None
    if words[0] == "python" and len(words) > 1:
        return None if (ROOT / words[1]).is_file() else words[1]
    path = ROOT / words[0]
    found = words[0].startswith("./") and path.is_file() and os.access(path, os.X_OK)
    return None if found else words[0]


# the rest checks the checks


def page(*lines: str) -> str:
    return "\n".join(lines)


def test_blocks_share_names_and_output_is_compared() -> None:
    run_page(page("```python", "x = 1", "```", "", "```python", "print(x)", "```"), "page")
    run_page(page("```python", "print(1)", "```", "", "```text", "1  ", "```"), "page")


def test_wrong_output_is_found() -> None:
    wrong = page("prose", "```python", "print(1)", "```", "```text", "2", "```")
    with pytest.raises(AssertionError, match="page:6: the block before prints something else"):
        run_page(wrong, "page")


def test_text_after_prose_is_no_output() -> None:
    run_page(page("```python", "print(1)", "```", "so:", "```text", "2", "```"), "page")


def test_marked_blocks_do_not_run() -> None:
    run_page(page("```python no-run", "1 / 0", "```"), "page")


def test_failing_block_is_found_with_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(page("prose", "```python", "x = 1", "1 / 0", "```"), "page")
    assert caught.traceback[-1].lineno == 3  # counted from 0


def test_blocks_inside_a_longer_fence_are_text() -> None:
    assert len(blocks(page("````markdown", "```python", "1 / 0", "```", "````"))) == 1


@pytest.mark.parametrize(
    "line", ["./test", "./demo --help  # the rest", "python demo", "", "# only"]
)
def test_existing_command_is_accepted(line: str) -> None:
    assert missing_command(line) is None


@pytest.mark.parametrize(("line", "missing"), [("./nothing -x", "./nothing"), ("make", "make")])
def test_missing_command_is_named(line: str, missing: str) -> None:
    assert missing_command(line) == missing
