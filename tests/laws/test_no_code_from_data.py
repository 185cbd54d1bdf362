"""G5: nothing in a name, a text or a file is ever run, and generated code has plain identifiers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.mechanism.io.urdf.write import save_urdf
from tests.figures import Figures
from tests.unit.reader.test_parse import INJECTIONS

STRINGS = [
    *INJECTIONS,
    "*/ int main(void) { return system(\"id\"); } /*",
    "*/ #include </etc/passwd> /*",
    "\\\nint x;",
    "??/\nint x;",
    "// \\",
    "a\"b",
    "a'b",
    "]]><x/>",
    "--><x/>",
    "&xxe;",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "a\tb",
    "\u202egnp.exe",
    "\u0430dmin",
    "𝒳",
    "😀",
    "$\\immediate\\write18{id}$",
    "\\catcode`\\@=11",
    "{{7*7}}",
    "{0.__class__}",
    "%(os)s",
    "__proto__",
    "constructor",
    "int",
    "while",
    "main",
    "NULL",
    "_Pragma(\"x\")",
    "1abc",
    "",
    " ",
]  # fmt: skip


def star(names: Iterable[str] = STRINGS) -> da.Mechanism:
    """Return a star of links, one for each string, which names link, joint and frame."""
    builder = da.Builder(STRINGS[0])
    for name in dict.fromkeys(names):
        builder.link(f"link {name}", mass=1, inertia=(1, 1, 1))
        builder.continuous(f"joint {name}", f"link {name}", parent="world", origin=(1, 0, 0))
        builder.frame(f"frame {name}", f"link {name}")
    return builder.build()


def test_names_come_back_from_every_format(figures: Figures) -> None:
    arm = star()
    joints = [joint.name for joint in arm.joints]
    assert load_json(save_json(arm)) == arm
    assert [j.name for j in load_urdf(save_urdf(arm)).joints if j.nv] == joints
    # MuJoCo prints some names as formats: what it could misread, the writer refuses
    plain = [name for name in STRINGS if "%" not in name]
    back = {joint.name for joint in load_mjcf(save_mjcf(star(plain))).joints if joint.nv}
    assert back == {f"joint {name}" for name in plain}
    for name in set(STRINGS) - set(plain):
        with pytest.raises(InvalidMechanism, match="without %, which MuJoCo misreads"):
            save_mjcf(star([name]))
    figures.count("hostile names", len(joints))


WATCH = """
import json, sys
import dalembert as da
from tests.laws.test_no_code_from_data import STRINGS, events_of, star
events_of(star(), "")
seen = []
def hook(event, args):
    if event.startswith(("exec", "compile", "import", "os.system", "os.exec", "os.spawn",
                         "subprocess.", "socket.", "ctypes.dlopen", "pickle.", "marshal.", "open")):
        seen.append((event, str(args[:1])[:200]))
sys.addaudithook(hook)
mechanism = star()
for text in STRINGS:
    events_of(mechanism, text)
found = list(seen)
compile("1", "t", "eval")
assert len(seen) > len(found), "the hook sees nothing"
json.dump(found, sys.stdout)
"""


def events_of(mechanism: da.Mechanism, text: str) -> None:
    """Do with a text and with hostile names what a user may do with those of a stranger."""
    x, m = da.coordinates("x")[0], da.parameters("m")[0]
    tasks: list[Any] = [
        lambda: da.parse(text, [x, m]),
        lambda: da.parameters(text),
        lambda: da.coordinates(text),
        lambda: load_urdf(f"<robot name={text!r}/>"),
        lambda: load_urdf(text.encode()),
        lambda: load_mjcf(text.encode()),
        lambda: load_json(json.dumps({"format": text, "version": text})),
        lambda: load_json("{" + text),
        lambda: load_mjcf(f"<mujoco model={text!r}/>"),
        lambda: mechanism.joint(text),
        lambda: da.Trajectory.load(text),
        lambda: da.load(text),
        lambda: da.Builder(text).link(text).revolute(text, text).build(),
        lambda: da.parse(text, {text: x}),
    ]
    for task in tasks:
        try:
            str(task())
        except DalembertError:
            continue
    save_json(mechanism)


def test_nothing_is_run_or_opened(figures: Figures) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCH],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == []
    figures.count("hostile strings", len(STRINGS))


# a comment, a string, a number, a name, a sign that C has; nothing else
TOKEN = re.compile(
    r"/\*(?:[^*]|\*(?!/))*\*/|\"[A-Za-z0-9_]*\.h\"|\"C\"|<(?:math|stdint|stddef)\.h>"
    r"|0x[0-9a-f.]+p[+-]?[0-9]+|[0-9][0-9.]*(?:e[+-]?[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*"
    r"|[-+*/=<>!&|(){}\[\];,?:#.]|\s+"
)


@pytest.mark.parametrize("language", ["c", "rolled_c"])
def test_generated_c_has_plain_identifiers(language: Any, figures: Figures) -> None:
    """Hostile names stand in comments, which they cannot close, on lines they cannot continue."""
    model = da.compile(star())
    for prefix in ("robot", *STRINGS[-32:]):
        functions = ("gravity",) if language == "c" else ("inverse_dynamics",)
        source = model.source(language, functions=functions, prefix=prefix)
        for text in (source.header, source.source):
            at = 0
            while at < len(text):
                token = TOKEN.match(text, at)
                assert token, (prefix, text[at : at + 80])
                at = token.end()
            assert text.isascii()
            assert not re.search(r"\\$|\?\?/", text, re.MULTILINE)
        assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", source.stem)
        figures.count("generated sources")
        if language == "rolled_c" and prefix:
            break


def test_printed_latex_has_names_of_letters_and_digits() -> None:
    """A symbol cannot be called otherwise, so that LaTeX gets no commands of a stranger."""
    refused = 0
    for name in STRINGS:
        try:
            symbols = da.parameters(name)
        except DalembertError:
            refused += 1
            continue
        for symbol in symbols:
            assert re.fullmatch(r"[A-Za-z0-9_]+", symbol.symbol.name)  # type: ignore[union-attr]
            assert not re.search(r"\\(?!mathrm|text|_|operatorname)[a-z]*(input|write|cat)",
                                 symbol.latex())  # fmt: skip
    assert refused > len(STRINGS) // 2
