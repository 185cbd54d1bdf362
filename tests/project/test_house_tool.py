"""`tools.house` counts what it says it counts, in trees that are planted for it."""

import json
from pathlib import Path

import pytest

from tests.project.test_layers import plant
from tools.blocks import write_block
from tools.house.__main__ import main
from tools.house.measures import Row, cycles, measure

CLEAN = {
    "__init__.py": """\
from dalembert.expr import Expr
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.model import Model

__all__ = ["Expr", "Mechanism", "Model", "System"]
""",
    "expr.py": "class Expr:\n    symbols: tuple[str, ...] = ()\n",
    "mechanics/__init__.py": "from dalembert.mechanics.system import System\n",
    "mechanics/system.py": "class System:\n    coordinates: tuple[str, ...] = ()\n",
    "mechanism/__init__.py": "class Mechanism:\n    links: tuple[str, ...] = ()\n",
    "model.py": "class Model:\n    def mass_matrix(self, q: list[float]) -> float: ...\n",
    "ik/solve.py": "from dalembert.model import Model\n",
}


def figures(tmp_path: Path, **files: str) -> dict[str, Row]:
    """Return the figures of the clean tree with further files: `ik_bad` is `ik/bad.py`."""
    more = {name.replace("_", "/", 1) + ".py": text for name, text in files.items()}
    return {row.name: row for row in measure(plant(tmp_path / "src", CLEAN | more))}


def count(tmp_path: Path, name: str, **files: str) -> int:
    """Return the number that the text of a figure begins with."""
    return int(figures(tmp_path, **files)[name].text.split()[0])


def test_a_clean_tree_has_nothing_to_count(tmp_path: Path) -> None:
    found = figures(tmp_path)
    for name in ("imports inside functions", "kind checks", "hooks", "other probes"):
        assert found[name].places == (), name
    assert found["largest call-time cycle"].text == "0"
    assert found["`Any` in public functions"].text.startswith("0.0 % (0 of 2;")


def test_sizes(tmp_path: Path) -> None:
    long = "\n".join(["def f() -> None:", *["    print()"] * 49]) + "\n"
    found = figures(tmp_path, ik_long=long)
    assert found["files without `__init__`"].text == "5"
    assert found["lines"].text == "66"
    assert found["largest folder"].text == "2 (src/dalembert)"
    assert found["files under 40 lines"].text == "4"
    assert found["lines of a file: median / p90 / max"].text == "2 / 50 / 50"
    assert found["lines of a function: median / p90 / max"].text == "26 / 50 / 50"


def test_imports_inside_functions(tmp_path: Path) -> None:
    late = "def f() -> None:\n    import math\n    from dalembert.expr import Expr, symbols\n"
    row = figures(tmp_path, ik_late=late)["imports inside functions"]
    assert row.text == "1 in 1 files"
    assert row.places == ("src/dalembert/ik/late.py:3",)


def test_a_cycle_may_close_inside_a_function_but_not_by_types(tmp_path: Path) -> None:
    here = "from dalembert.ik.b import f\n"
    late = "def f():\n    from dalembert.ik.a import g\n"
    found = figures(tmp_path / "late", ik_a=here, ik_b=late)
    assert found["largest call-time cycle"].places == ("ik.a ik.b",)
    typing = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dalembert.ik.a\n"
    found = figures(tmp_path / "types", ik_a=here, ik_b=typing)
    assert found["largest call-time cycle"].text == "0"


def test_the_listed_upward_imports_close_no_cycle(tmp_path: Path) -> None:
    up = "def f():\n    from dalembert.mechanics import lagrange\n"
    down = "import dalembert.mechanism.mechanism\n"
    files = {"mechanism_mechanism": up, "mechanics_lagrange": down}
    assert figures(tmp_path / "listed", **files)["largest call-time cycle"].text == "0"
    files["mechanism_other"] = files.pop("mechanism_mechanism")
    files["mechanics_lagrange"] = "import dalembert.mechanism.other\n"
    assert figures(tmp_path / "other", **files)["largest call-time cycle"].text == "2"


def test_cycles_come_by_size() -> None:
    needs = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert cycles(needs) == [["a", "b", "c"], ["d", "e"]]


ASKING = {
    "isinstance": "from dalembert import System\nisinstance(x, System)\n",
    "one of several": "from dalembert import System\nisinstance(x, (int, System))\n",
    "another name": "from dalembert.mechanics import System as Other\nisinstance(x, Other)\n",
    "a tuple": "from dalembert import System\nBOTH = (System, int)\nisinstance(x, BOTH)\n",
    "a module": "import dalembert as da\nisinstance(x, da.System)\n",
    "types compared": "from dalembert import Mechanism\ntype(x) is Mechanism\n",
    "a case": "from dalembert import System\nmatch x:\n    case System(): ...\n",
    "a table": "from dalembert import System\nNAMES = {System: 'system'}\n",
    "a registration": "from dalembert import System\n@f.register\ndef _(x: System): ...\n",
    "hasattr": "from dalembert import Model\nhasattr(x.description, 'links')\n",
    "getattr": "from dalembert import Model\ngetattr(x, 'coordinates', None)\n",
    "getattr of a model": (
        "from dalembert import Model\ndef f(model: Model):\n    getattr(model, 'links', ())\n"
    ),
}


@pytest.mark.parametrize("text", ASKING.values(), ids=ASKING.keys())
def test_kind_checks(tmp_path: Path, text: str) -> None:
    row = figures(tmp_path, ik_bad=text)["kind checks"]
    assert row.text == "1 (ik 1)"


@pytest.mark.parametrize(
    "text",
    [
        "from dalembert import Mechanism\ndef f(x: Mechanism) -> Mechanism: ...\n",
        "from dalembert import System\nx = System()\n",
        "from dalembert import Expr\nisinstance(x, Expr)\n",
        "from dalembert import Model\nclass Task: ...\ndef f(x: Task):\n    hasattr(x, 'links')\n",
        "getattr(x, 'links')\n",
    ],
)
def test_these_are_no_kind_checks(tmp_path: Path, text: str) -> None:
    assert count(tmp_path, "kind checks", ik_good=text) == 0


def test_a_probe_where_no_model_is_known_is_no_kind_check(tmp_path: Path) -> None:
    found = figures(tmp_path, ring_text="hasattr(x, 'links')\n")
    assert found["kind checks"].text == "0"
    assert found["other probes"].text == "1"


def test_a_subclass_and_a_wrapper_are_kinds_too(tmp_path: Path) -> None:
    methods = "".join(f"    def {name}(self): ...\n" for name in "abcde")
    wrapper = "from dalembert import {0}\nclass Of{0}:\n    def __init__(self, x: {0}) -> None:\n"
    found = figures(
        tmp_path,
        model_one=wrapper.format("System") + "        self.system = x\n" + methods,
        model_two=wrapper.format("Mechanism") + "        self.robot = x\n" + methods,
        model_sub="from dalembert import System\nclass Special(System): ...\n",
        ik_a="from dalembert.model.one import OfSystem\nisinstance(x, OfSystem)\n",
        ik_b="from dalembert.model import Model\nhasattr(x.formulas, 'system')\n",
        ik_c="from dalembert.model.sub import Special\nisinstance(x, Special)\n",
    )
    assert [x[-7:] for x in found["kind checks"].places] == ["/a.py:2", "/b.py:2", "/c.py:2"]


@pytest.mark.parametrize(
    ("of_system", "of_mechanism", "use", "expected"),
    [
        ("is_tree = False", "is_tree = True", "if x.is_tree: ...", 1),
        ("is_tree = False", "is_tree = False", "if x.is_tree: ...", 0),
        ("kind = 'system'", "kind = 'robot'", "x.kind == 'robot'", 1),
        ("kind = 'system'", "kind = 'robot'", "print(x.kind)", 0),
        ("tree: Mechanism | None = None", "tree = 1", "x.tree is None", 1),
        (
            "def has(self) -> bool:\n        '''No.'''\n        return False",
            "def has(self) -> bool:\n        return True",
            "x.has()",
            1,
        ),
    ],
)
def test_flags_of_the_kind_are_kind_checks(
    tmp_path: Path, of_system: str, of_mechanism: str, use: str, expected: int
) -> None:
    system = "from dalembert.mechanism import Mechanism\nclass System:\n    "
    files = {
        "mechanics/system.py": f"{system}{of_system}\n",
        "mechanism.py": f"class Mechanism:\n    {of_mechanism}\n",
        "ik/use.py": f"from dalembert.model import Model\n{use}\n",
    }
    rows = measure(plant(tmp_path / "src", CLEAN | files))
    (row,) = (row for row in rows if row.name == "kind checks")
    assert len(row.places) == expected


@pytest.mark.parametrize(
    "text",
    [
        "from dalembert.expr import Expr\nExpr.printer = 1\n",
        "from dalembert.expr import Expr\ndef register():\n    setattr(Expr, 'printer', 1)\n",
    ],
)
def test_hooks(tmp_path: Path, text: str) -> None:
    assert count(tmp_path, "hooks", ring_printer=text) == 1
    assert count(tmp_path / "named", "hooks", ring_hooks="x = 1\n") == 1
    assert count(tmp_path / "own", "hooks", ring_own="class A: ...\nA.x = 1\n") == 0


def test_probes(tmp_path: Path) -> None:
    text = "hasattr(x, 'symbols')\nhasattr(x, 'get')\ngetattr(x, 'get')\ngetattr(x, 'get', None)\n"
    found = figures(tmp_path, ik_probes=text)
    assert found["probes for an expression"].places == ("src/dalembert/ik/probes.py:1",)
    assert [x[-1] for x in found["other probes"].places] == ["2", "4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vars(model).setdefault('x', 1)\n", 1),
        ("model.__dict__['x'] = 1\n", 1),
        ("vars(model)['x'] = 1\n", 1),
        ("vars(model).items()\nmodel.__dict__['x']\n", 0),
        ("class A:\n    def f(self):\n        vars(self)['x'] = 1\n", 0),
        ("class A: ...\ndef f(a: A):\n    vars(a)['x'] = 1\n", 0),
    ],
)
def test_writes_into_others(tmp_path: Path, text: str, expected: int) -> None:
    assert count(tmp_path, "writes into the `__dict__` of others", ik_write=text) == expected


def test_any(tmp_path: Path) -> None:
    text = """\
from typing import Any
Number = Any
def f(a: Any, *b: list[Any], c: Number, d: int, e=1, **f: Any | None) -> Any: ...
def _g(a: Any) -> Any: ...
class A:
    def h(self, a: int) -> None: ...
class _B:
    def h(self, a: Any) -> None: ...
"""
    exported = "from dalembert.ik.any import A\n__all__ = ['A']\n"
    found = figures(tmp_path, ik_any=text, ik___init__=exported)
    public = found["`Any` in public functions"]
    # f has six annotations, A.h and mass_matrix two each
    assert public.text == "30.0 % (3 of 10; 1 more inside types, 1 by aliases)"
    assert public.places == ("src/dalembert/ik/any.py:3",)
    assert found["`Any` in exported names"].text.startswith("0.0 % (0 of 4;")


def test_type_ignore(tmp_path: Path) -> None:
    assert count(tmp_path, "`# type: ignore`", ik_x="x = 1  # type: " + "ignore[misc]\n") == 1


def test_a_page_gets_the_figures_before_and_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    src, before, page = plant(tmp_path / "src", CLEAN), tmp_path / "before.json", tmp_path / "a.md"
    monkeypatch.setattr("sys.argv", ["house", "--src", str(src), "--json", str(before)])
    main()
    kept = json.loads(before.read_text(encoding="utf-8"))
    kept["figures"]["kind checks"] = "7"
    before.write_text(json.dumps(kept), encoding="utf-8")
    page.write_text("A\n<!-- house:begin -->\nold\n<!-- house:end -->\nB\n", encoding="utf-8")
    more = ["--before", str(before), "--write", str(page)]
    monkeypatch.setattr("sys.argv", ["house", "--src", str(src), *more])
    main()
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["A", "<!-- house:begin -->", "|  | before | after | goal |"]
    assert "| kind checks | 7 | 0 | 2 |" in lines
    assert lines[-2:] == ["<!-- house:end -->", "B"]


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="house:begin"):
        write_block(page, "house", "table")
    assert page.read_text(encoding="utf-8") == "text\n"
