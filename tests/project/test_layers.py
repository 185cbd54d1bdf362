"""Imports point down only, and modules do not import each other in a circle."""

import graphlib
import itertools
from collections import Counter
from pathlib import Path

import pytest

from tests.project.source_tree import SRC, Import, Module, modules

PACKAGE = "dalembert"
ROOT = "the public names"  # dalembert/__init__.py: above what it exports, below its users

# from the bottom up: each may import what stands before it
ORDER = [
    "elsewhere",
    "version",
    "errors",
    "optional",
    "types",
    "display",
    "files",
    "quadratic",
    "expr",
    "reader",
    "kernel",
    "ring",
    "typeset",
    "spatial",
    "picture",
    "mechanism",
    "recursions",
    "mechanics",
    "certificates",
    "textbook",
    "model",
    "tasks",
    "report",
    "studio",
    "lazy",
    ROOT,
    "cli",
    "demo",
    "__main__",
]
# these use a model, and know neither how it was made nor each other
SIBLINGS = ["ik", "simulation", "identification", "control", "analysis", "studies"]
SEEN_BY_SIBLINGS = [
    "version",
    "errors",
    "optional",
    "types",
    "display",
    "files",
    "quadratic",
    "expr",
    "spatial",
    "picture",
    "model",
    "tasks",
]

# what is printed is read back by code that the printer does not use
APART = {("typeset", "reader")}

# the only imports that may point up, each inside a function or for types:
# what an object says of itself is written above it
UPWARD = {
    ("dalembert.expr.node", "dalembert.typeset"),  # str and latex() of expressions and matrices
    ("dalembert.expr.matrix", "dalembert.ring"),  # matrix.det(), matrix.solve(b)
    ("dalembert.mechanism.mechanism", "dalembert.mechanics"),  # mechanism.equations(), .prove(), …
    ("dalembert.mechanics.equations.equations", "dalembert.certificates"),  # eq.certificate()
}
MOST_FILES = 15  # in one folder, `__init__.py` aside


def may_import(layer: str) -> list[str]:
    """Return the other layers that a layer may import."""
    if layer in SIBLINGS:
        return SEEN_BY_SIBLINGS
    below = [x for x in ORDER[: ORDER.index(layer)] if (layer, x) not in APART]
    return [*below, *SIBLINGS] if "tasks" in below else below


def layer_of(name: str) -> str:
    """Return the layer of a dotted name: of `dalembert.expr.node`, `expr`."""
    return name.split(".")[1] if "." in name else ROOT


def layer_violations(src: Path) -> list[str]:
    """Return one line for each import that does not point down."""
    found = []
    for module in modules(src):
        layer = layer_of(module.name)
        if layer not in [*ORDER, *SIBLINGS]:
            found.append(f"{module.place}:1: {layer} is in no layer; give it a place in ORDER")
            continue
        allowed = [layer, *may_import(layer)]
        found += [
            f"{module.place}:{item.line}: imports {item.target}, but {layer} may import only "
            f"{', '.join(may_import(layer)) or 'nothing of dalembert'}"
            for item in module.imports
            if item.target.split(".")[0] == PACKAGE
            and layer_of(item.target) not in allowed
            and not _is_said_aloud(module, item)
        ]
    return found


def _is_said_aloud(module: Module, item: Import) -> bool:
    late = item.at_call_time or item.for_types_only
    return late and (module.name, f"{PACKAGE}.{layer_of(item.target)}") in UPWARD


def full_folders(src: Path) -> list[str]:
    """Return one line for each folder with more files than a person takes in at a glance."""
    counts = Counter(module.path.parent for module in modules(src) if not module.is_package)
    return [
        f"{folder.relative_to(src.parent).as_posix()}: {count} files"
        for folder, count in sorted(counts.items())
        if count > MOST_FILES
    ]


def first_cycle(src: Path) -> str | None:
    """Return a description of a circle of imports that run when the modules load, or None."""
    known = {module.name: module for module in modules(src)}
    needs: dict[str, dict[str, int]] = {name: {} for name in known}
    for module in known.values():
        for item in module.imports:
            if not (item.at_call_time or item.for_types_only):
                target = _module_holding(item.target, known)
                if target is not None:
                    needs[module.name].setdefault(target, item.line)
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        # each module of the list is needed by the one after it
        circle = error.args[1][::-1]
        steps = [
            f"{known[here].place}:{needs[here][there]}: imports {there}"
            for here, there in itertools.pairwise(circle)
        ]
        return "modules import each other in a circle:\n" + "\n".join(steps)
    return None


def _module_holding(target: str, known: dict[str, Module]) -> str | None:
    while target and target not in known:
        target = target.rpartition(".")[0]
    return target or None


def test_imports_point_down() -> None:
    found = layer_violations(SRC)
    assert not found, "\n".join(["imports must point down:", *found])


def test_no_folder_is_full() -> None:
    found = full_folders(SRC)
    assert not found, "\n".join([f"split folders of more than {MOST_FILES} files:", *found])


def test_every_upward_import_is_in_use() -> None:
    used = {
        (module.name, f"{PACKAGE}.{layer_of(item.target)}")
        for module in modules(SRC)
        for item in module.imports
        if item.target.split(".")[0] == PACKAGE
    }
    assert used >= UPWARD


def test_no_import_cycles() -> None:
    cycle = first_cycle(SRC)
    assert cycle is None, cycle


# the rest checks the checker


def plant(src: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = src / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return src


CLEAN = {
    "__init__.py": "from dalembert.expr.node import Expr\nfrom dalembert import errors\n",
    "errors.py": "class DalembertError(Exception): ...\n",
    "expr/__init__.py": "from dalembert.expr.node import Expr\n",
    "expr/node.py": "import math\nfrom ..errors import DalembertError\nclass Expr: ...\n",
    "expr/calculus.py": "from . import node\n",
    "ring/__init__.py": "",
    "ring/text.py": "from dalembert.expr import Expr\n",
    "typeset/printer.py": "from dalembert.ring import text\n",
    "spatial/pose.py": "from dalembert.ring import text\n",
    "mechanism/joint.py": "from dalembert.ring import text\nfrom dalembert.expr import node\n",
    "model.py": "from dalembert.ring.text import Expr\n",
    "ik/newton.py": "from dalembert.model import Model\nfrom dalembert.ik.base import Method\n",
    "ik/base.py": "from dalembert import errors\n",
    "simulation/base.py": "",
    "report/html.py": "from dalembert.ik import newton\n",
    "demo.py": "import dalembert as da\n",
}


def test_checker_accepts_a_clean_tree(tmp_path: Path) -> None:
    src = plant(tmp_path / "src", CLEAN)
    assert layer_violations(src) == []
    assert first_cycle(src) is None


@pytest.mark.parametrize(
    ("file", "text", "line", "target"),
    [
        ("expr/bad.py", "import math\nfrom dalembert.ring import text\n", 2, "dalembert.ring.text"),
        ("expr/bad.py", "import dalembert.ring.text as text\n", 1, "dalembert.ring.text"),
        ("expr/bad.py", "from ..ring.text import Expr\n", 1, "dalembert.ring.text"),
        ("expr/bad.py", "from .. import ring\n", 1, "dalembert.ring"),
        ("expr/__init__.py", "from ..ring import text\n", 1, "dalembert.ring.text"),
        ("expr/bad.py", "def f():\n    from dalembert import ring\n", 2, "dalembert.ring"),
        ("expr/bad.py", "from dalembert import Expr\n", 1, "dalembert"),
        ("expr/bad.py", "import dalembert as da\n", 1, "dalembert"),
        (
            "expr/bad.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dalembert.ring\n",
            3,
            "dalembert.ring",
        ),
        (
            "expr/bad.py",
            "import importlib\nring = importlib.import_module('dalembert.ring')\n",
            2,
            "dalembert.ring",
        ),
        ("ik/bad.py", "from dalembert.ring.text import Expr\n", 1, "dalembert.ring.text"),
        ("ik/bad.py", "from dalembert.simulation import base\n", 1, "dalembert.simulation.base"),
        ("model.py", "from dalembert.ik import base\n", 1, "dalembert.ik.base"),
        ("report/bad.py", "from dalembert import demo\n", 1, "dalembert.demo"),
        ("typeset/bad.py", "import dalembert.reader\n", 1, "dalembert.reader"),
    ],
)
def test_checker_finds_an_import_that_points_up(
    tmp_path: Path, file: str, text: str, line: int, target: str
) -> None:
    src = plant(tmp_path / "src", CLEAN | {file: text})
    (found,) = layer_violations(src)
    layer = file.split("/")[0].removesuffix(".py")
    assert found.startswith(f"src/dalembert/{file}:{line}: imports {target}, but {layer} may")


def test_checker_accepts_listed_upward_imports_inside_functions_only(tmp_path: Path) -> None:
    edge = "from dalembert.typeset import printer\n"
    late = plant(tmp_path / "late", CLEAN | {"expr/node.py": f"def show():\n    {edge}"})
    assert layer_violations(late) == []
    early = plant(tmp_path / "early", CLEAN | {"expr/node.py": edge})
    assert len(layer_violations(early)) == 1
    other = plant(tmp_path / "other", CLEAN | {"expr/bad.py": f"def show():\n    {edge}"})
    assert len(layer_violations(other)) == 1


def test_checker_finds_a_full_folder(tmp_path: Path) -> None:
    files = {f"expr/file{n}.py": "" for n in range(MOST_FILES + 1)}
    src = plant(tmp_path / "src", {"expr/__init__.py": "", **files})
    assert full_folders(src) == [f"src/dalembert/expr: {MOST_FILES + 1} files"]


def test_checker_finds_a_module_without_a_layer(tmp_path: Path) -> None:
    src = plant(tmp_path / "src", CLEAN | {"helpers.py": ""})
    assert layer_violations(src) == [
        "src/dalembert/helpers.py:1: helpers is in no layer; give it a place in ORDER"
    ]


def test_checker_finds_a_cycle(tmp_path: Path) -> None:
    src = plant(tmp_path / "src", CLEAN | {"expr/node.py": "x = 1\nfrom .calculus import diff\n"})
    cycle = first_cycle(src)
    assert cycle is not None
    assert "src/dalembert/expr/node.py:2: imports dalembert.expr.calculus" in cycle
    assert "src/dalembert/expr/calculus.py:1: imports dalembert.expr.node" in cycle


def test_checker_finds_a_cycle_through_the_package(tmp_path: Path) -> None:
    src = plant(tmp_path / "src", CLEAN | {"expr/node.py": "from dalembert.expr import Expr\n"})
    assert first_cycle(src) is not None


@pytest.mark.parametrize(
    "text",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import calculus\n",
        "def f():\n    from . import calculus\n",
    ],
)
def test_late_and_typing_imports_close_no_cycle(tmp_path: Path, text: str) -> None:
    assert first_cycle(plant(tmp_path / "src", CLEAN | {"expr/node.py": text})) is None
