"""What no file of the package may contain, and what its `__init__` files are for."""

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.project.source_tree import Module, modules

MAX_LINES = 500
# the checker of certificates is one file, so that it can be read and copied by itself
ALLOWED_LINES = {"src/dalembert/certificates/check.py": 1250}

# model files, expressions and caches are data: nothing may turn them into code
FORBIDDEN_BUILTINS = {"eval", "exec"}
FORBIDDEN_FUNCTIONS = {"sympify", "parse_expr"}
FORBIDDEN_ATTRIBUTES = {"os.system", "os.popen", "builtins.eval", "builtins.exec"}
FORBIDDEN_MODULES = {
    *("pickle", "dill", "cloudpickle", "marshal", "shelve"),
    *("subprocess", "pty"),
}
# the C compiler, for those who ask for backend="c": a program of the user on text of our own
ALLOWED_MODULES = {"src/dalembert/kernel/backends/c/build.py": {"subprocess"}}

# imported inside the function that needs them, so that `import dalembert` stays quick and a missing
# extra is noticed only by those who use it
LATE_IMPORTS = {
    *("sympy", "mujoco", "jax", "jaxlib", "cupy", "casadi", "typst", "viser", "trimesh"),
    *("cvxpy", "clarabel", "daqp", "ray", "matplotlib", "scipy"),
}
# the engines that the tests compare with
TEST_ONLY = {"pinocchio", "pytest", "hypothesis"}


def forbidden(module: Module) -> list[str]:
    """Return one line for each construct that could run data as code or start a program."""
    found = [
        (item.line, f"imports {item.target}")
        for item in module.imports
        if item.target.split(".")[0] in FORBIDDEN_MODULES
        and item.target.split(".")[0] not in ALLOWED_MODULES.get(module.place, ())
    ]
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_BUILTINS:
                found.append((node.lineno, f"calls {name}"))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if (
                name in FORBIDDEN_FUNCTIONS
            ):
                found.append((node.lineno, f"calls {name}"))
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                if f"{owner}.{name}" in FORBIDDEN_ATTRIBUTES:
                    found.append((node.lineno, f"uses {owner}.{name}"))
            case ast.ImportFrom(module=owner, names=names):
                found += [
                    (node.lineno, f"imports {owner}.{alias.name}")
                    for alias in names
                    if f"{owner}.{alias.name}" in FORBIDDEN_ATTRIBUTES
                ]
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                found.append((node.lineno, "allows pickle"))
    return [f"{module.place}:{line}: {what}: data is never run as code" for line, what in found]


def more_than_exports(module: Module) -> list[str]:
    """Return one line for each statement of an `__init__` that is no export."""
    if not module.is_package:
        return []
    return [
        f"{module.place}:{node.lineno}: an __init__ holds its docstring, imports, __all__ and "
        "registration calls; everything else belongs into a module beside it"
        for node in module.tree.body
        if not _is_export(node)
    ]


def _is_export(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
            return True
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
            | ast.AugAssign(target=ast.Name(id=name), value=value)
        ):
            # __all__, __version__
            return name.startswith("__") and value is not None and _is_plain(value)
        case ast.Expr(value=ast.Call(func=ast.Name() | ast.Attribute(), args=args, keywords=words)):
            return all(map(_is_plain, [*args, *(word.value for word in words)]))
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            return all(isinstance(child, ast.Import | ast.ImportFrom) for child in body)
    return False


def _is_plain(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=owner):
            return _is_plain(owner)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(map(_is_plain, items))
    return False


def early_optional_imports(module: Module) -> list[str]:
    """Return one line for each optional package that is imported when the module loads."""
    return [
        f"{module.place}:{item.line}: imports {item.target} when it loads; "
        "import it inside the function that needs it"
        for item in module.imports
        if item.target.split(".")[0] in LATE_IMPORTS
        and not (item.at_call_time or item.for_types_only)
    ]


def imports_for_tests(module: Module) -> list[str]:
    """Return one line for each import of a package that only the tests install."""
    return [
        f"{module.place}:{item.line}: imports {item.target}, which only the tests install"
        for item in module.imports
        if item.target.split(".")[0] in TEST_ONLY
    ]


def orders_of_a_library(module: Module) -> list[str]:
    """Return one line for each use of factors in the order in which FLINT gives them."""
    if module.place == "src/dalembert/ring/factors.py":
        return []
    return [
        f"{module.place}:{node.lineno}: other versions of FLINT give other orders of factors; "
        "use dalembert.ring.factors"
        for node in ast.walk(module.tree)
        # of a whole number they have options, and are sorted
        if isinstance(node, ast.Call) and not (node.args or node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "factor"
    ]


def too_long(module: Module) -> list[str]:
    """Return a line if the file is longer than a reader wants."""
    lines = module.path.read_text(encoding="utf-8").count("\n")
    limit = ALLOWED_LINES.get(module.place, MAX_LINES)
    if lines <= limit:
        return []
    return [f"{module.place}:1: {lines} lines, more than {limit}: split it"]


Check = Callable[[Module], list[str]]
CHECKS: list[Check] = [
    forbidden,
    more_than_exports,
    early_optional_imports,
    imports_for_tests,
    orders_of_a_library,
    too_long,
]


@cache
def faults() -> dict[Check, list[str]]:
    """Return what each check says of the package; every file is parsed once for all of them."""
    found: dict[Check, list[str]] = {check: [] for check in CHECKS}
    for module in modules():
        for check in CHECKS:
            found[check] += check(module)
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_source(check: Check) -> None:
    assert not faults()[check], "\n".join(["", *faults()[check]])


# the rest checks the checks


@pytest.mark.parametrize(
    ("check", "file", "text"),
    [
        (forbidden, "a.py", "eval('1')"),
        (forbidden, "a.py", "def f():\n    exec('1')"),
        (forbidden, "a.py", "import builtins\nbuiltins.eval('1')"),
        (forbidden, "a.py", "import pickle"),
        (forbidden, "a.py", "def f():\n    from pickle import loads"),
        (forbidden, "a.py", "import sympy\nsympy.sympify('1')"),
        (forbidden, "a.py", "from sympy import sympify\nsympify('1')"),
        (forbidden, "a.py", "import os\nos.system('ls')"),
        (forbidden, "a.py", "from os import system"),
        (forbidden, "a.py", "import subprocess"),
        (forbidden, "a.py", "import numpy\nnumpy.load('a', allow_pickle=True)"),
        (more_than_exports, "__init__.py", "def f(): ..."),
        (more_than_exports, "__init__.py", "x = 1"),
        (more_than_exports, "__init__.py", "register(lambda: 1)"),
        (more_than_exports, "__init__.py", "__all__ = [name for name in dir()]"),
        (early_optional_imports, "a.py", "import scipy.linalg"),
        (early_optional_imports, "a.py", "from matplotlib import pyplot"),
        (
            early_optional_imports,
            "a.py",
            "try:\n    import jax\nexcept ImportError:\n    jax = None",
        ),
        (imports_for_tests, "a.py", "def f():\n    import pinocchio"),
        (orders_of_a_library, "a.py", "for f, n in p.factor()[1]: ..."),
        (too_long, "a.py", "x = 1\n" * (MAX_LINES + 1)),
    ],
)
def test_check_finds_a_planted_fault(tmp_path: Path, check: Check, file: str, text: str) -> None:
    (found,) = check(planted(tmp_path, file, text))
    assert found.startswith(f"src/dalembert/{file}:")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", "def f():\n    import scipy"),
        ("a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sympy"),
        ("a.py", "kernel.eval(1)\ncompile(arm)"),
        ("__init__.py", '"""Text."""\nfrom .a import f, g\n__all__ = ["f"]\nf.register("x", g)'),
    ],
)
def test_checks_accept_what_is_allowed(tmp_path: Path, file: str, text: str) -> None:
    module = planted(tmp_path, file, text)
    assert [line for check in CHECKS for line in check(module)] == []


def planted(folder: Path, file: str, text: str) -> Module:
    path = folder / "src" / "dalembert" / file
    path.parent.mkdir(parents=True)
    path.write_text(text + "\n", encoding="utf-8")
    return Module(path, folder / "src")
