"""The figures of a source tree."""

from __future__ import annotations

import ast
import re
import shutil
import statistics
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.project.source_tree import Import, Module
from tests.project.test_layers import UPWARD, layer_of
from tools.house.kind_checks import KindChecks, probe
from tools.house.sources import PACKAGE, Node, Sources, package_of

SMALL = 40  # a file of fewer lines is small
WRITES = {"setdefault", "update", "pop", "popitem", "clear", "__setitem__"}


class Row(NamedTuple):
    """One figure: what it is called, how it reads, and what was counted."""

    name: str
    text: str
    places: tuple[str, ...] = ()


def measure(src: Path) -> list[Row]:
    """Return all figures of a source folder."""
    sources = Sources(src)
    public = [y for x in sources.top for y in functions(x)]
    return [
        *_sizes(sources),
        *_imports(sources),
        *_checks(sources),
        _any_row(sources, "`Any` in public functions", public),
        _any_row(sources, "`Any` in exported names", list(exported(sources))),
        _counted("`# type: ignore`", _ignored(sources)),
        _duplicates(src),
    ]


def _counted(name: str, places: Iterable[str], more: str = "") -> Row:
    """Return a row that counts places, each line once."""
    known = sorted(set(places), key=lambda x: (x.split(":")[0], int(x.partition(":")[2] or 0)))
    return Row(name, f"{len(known)}{more}", tuple(known))


def _lines(module: Module) -> list[str]:
    return module.path.read_text(encoding="utf-8").splitlines()


def _spread(lengths: Iterable[int]) -> str:
    x = sorted(lengths) or [0]
    return f"{statistics.median(x):.0f} / {x[9 * len(x) // 10]} / {x[-1]}"


def _sizes(sources: Sources) -> list[Row]:
    files = {module.place: len(_lines(module)) for module in sources.files}
    folders = Counter(place.rpartition("/")[0] for place in files)
    largest = [f"{count} ({folder})" for folder, count in folders.most_common(5)]
    defined = [x.node for x in sources.nodes if isinstance(x.node, ast.FunctionDef)]
    lengths = [(x.end_lineno or x.lineno) - x.lineno + 1 for x in defined]
    return [
        Row("files without `__init__`", str(len(files))),
        Row("lines", str(sum(len(_lines(module)) for module in sources.modules))),
        Row("largest folder", largest[0], tuple(largest)),
        _counted(f"files under {SMALL} lines", [x for x, size in files.items() if size < SMALL]),
        Row("lines of a file: median / p90 / max", _spread(files.values())),
        Row("lines of a function: median / p90 / max", _spread(lengths)),
    ]


def _ignored(sources: Sources) -> Iterator[str]:
    for module in sources.modules:
        for number, line in enumerate(_lines(module), 1):
            if "# type: ignore" in line:
                yield f"{module.place}:{number}"


def _imports(sources: Sources) -> list[Row]:
    late: list[str] = []
    needs: dict[str, set[str]] = {module.name: set() for module in sources.modules}
    for module in sources.modules:
        for item in module.imports:
            if item.target.split(".")[0] == PACKAGE and not _is_left_out(module, item):
                needs[module.name].add(item.target)
                late += [f"{module.place}:{item.line}"] if item.at_call_time else []
    files = {place.split(":")[0] for place in late}
    return [
        _counted("imports inside functions", late, f" in {len(files)} files"),
        _cycle_row("largest call-time cycle", needs),
    ]


def _is_left_out(module: Module, item: Import) -> bool:
    """Tell whether an import is for types only, or one of those that may point up."""
    edge = module.name, f"{PACKAGE}.{layer_of(item.target)}"
    return item.for_types_only or (item.at_call_time and edge in UPWARD)


def _cycle_row(name: str, needs: dict[str, set[str]]) -> Row:
    found = cycles(needs)
    sizes = [str(len(cycle)) for cycle in found] or ["0"]
    more = f" (then {', '.join(sizes[1:])})" if sizes[1:] else ""
    short = [" ".join(x.removeprefix(f"{PACKAGE}.") for x in cycle) for cycle in found]
    return Row(name, sizes[0] + more, tuple(short))


def cycles(needs: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of nodes that reach each other, largest first."""
    reached: dict[str, set[str]] = {}
    for start in needs:
        waiting, reached[start] = [start], set()
        while waiting:
            new = needs.get(waiting.pop(), set()) - reached[start]
            reached[start] |= new
            waiting += new
    found = {
        tuple(sorted(x for x in others if start in reached.get(x, ())))
        for start, others in reached.items()
    }
    return sorted(([*x] for x in found if len(x) > 1), key=lambda x: (-len(x), x))


def _checks(sources: Sources) -> list[Row]:
    kinds, of_expr = KindChecks(sources), sources.attributes(sources.find(PACKAGE, "Expr"))
    asking = [x for x in sources.nodes if kinds.asks(x)]
    probes = {x: y[1] for x in sources.nodes if (y := probe(x.node)) and x not in asking}
    folders = Counter(
        package_of(x.module).split(".")[-1] for x in {y.place: y for y in asking}.values()
    )
    places = [f"{x.module.place}" for x in sources.nodes if _sets_class(sources, x)]
    places += [module.place for module in sources.files if module.path.name == "hooks.py"]
    return [
        _counted("kind checks", (x.place for x in asking), _by_folder(folders)),
        _counted("hooks", places),
        _counted("probes for an expression", (x.place for x in probes if probes[x] in of_expr)),
        _counted("other probes", (x.place for x in probes if probes[x] not in of_expr)),
        _counted("writes into the `__dict__` of others", _foreign_writes(sources)),
    ]


def _by_folder(counts: Counter[str]) -> str:
    return f" ({', '.join(f'{k} {v}' for k, v in sorted(counts.items()))})" if counts else ""


def _sets_class(sources: Sources, x: Node) -> bool:
    """Tell whether a node sets an attribute of a class of another file."""
    match x.node:
        case (
            ast.Attribute(value=owner, ctx=ast.Store() | ast.Del())
            | ast.Call(func=ast.Name(id="setattr"), args=[owner, *_])
        ):
            found = sources.resolve(Node(x.module, owner))
            if found is not None and isinstance(found.node, ast.ClassDef):
                return found.module != x.module
    return False


def _foreign_writes(sources: Sources) -> Iterator[str]:
    for x in sources.nodes:
        match x.node:
            case ast.Subscript(value=table, ctx=ast.Store() | ast.Del()):
                owner = _owner(table)
            case ast.Call(func=ast.Attribute(value=table, attr=name)) if name in WRITES:
                owner = _owner(table)
            case _:
                continue
        if owner is not None and ast.unparse(owner) not in ("self", "cls"):
            known = sources.annotated_classes(Node(x.module, owner))
            if all(y.module != x.module for y in known):
                yield x.place


def _owner(table: ast.expr) -> ast.expr | None:
    """Return x of `vars(x)` and of `x.__dict__`."""
    match table:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return owner
        case ast.Attribute(value=owner, attr="__dict__"):
            return owner
    return None


def functions(x: Node) -> Iterator[Node]:
    """Yield a public function, or the public methods of a public class."""
    if getattr(x.node, "name", "_").startswith("_"):
        return
    if isinstance(x.node, ast.FunctionDef):
        yield x
    for child in x.node.body if isinstance(x.node, ast.ClassDef) else ():
        yield from functions(Node(x.module, child))


def exported(sources: Sources) -> Iterator[Node]:
    """Yield the functions, and the methods of classes, that a package lists in `__all__`."""
    known: set[Node] = set()
    for module in sources.modules:
        names = sources.names[module.name].get("__all__") if module.is_package else None
        for item in getattr(names, "elts", ()):
            found = sources.find(module.name, ast.literal_eval(item))
            known |= {*sources.ancestors(found)} if found else set()
    for x in known:
        yield from functions(x)


def _any_row(sources: Sources, name: str, found: list[Node]) -> Row:
    annotations = [(x, sources.any_in(Node(x.module, y))) for x in found for y in _annotations(x)]
    counts = Counter(how for _, how in annotations)
    share = 100 * counts["whole"] / max(len(annotations), 1)
    text = f"{share:.1f} % ({counts['whole']} of {len(annotations)}"
    text += f"; {counts['inside']} more inside types, {counts['alias']} by aliases)"
    return Row(name, text, tuple(sorted({x.place for x, how in annotations if how == "whole"})))


def _annotations(x: Node) -> Iterator[ast.expr]:
    """Yield the annotations of the parameters of a function, and of its result."""
    if isinstance(x.node, ast.FunctionDef):
        for node in ast.walk(x.node.args):
            if isinstance(node, ast.arg) and node.annotation and node.arg not in ("self", "cls"):
                yield node.annotation
        yield from filter(None, [x.node.returns])


def _duplicates(src: Path) -> Row:
    """Count the places that share six lines or more, if a command `duplicates` is installed."""
    command = shutil.which("duplicates")
    if command is None:
        return Row("pairs of duplicates", "-")
    call = [command, "--repo", str(src), "--most", "200", "--seconds", "60"]
    text = subprocess.run(call, capture_output=True, text=True, check=False).stdout
    count, boilerplate = re.match(r"(\d+) pair", text), re.search(r"(\d+)[^,]* boilerplate\)", text)
    more = f" ({boilerplate[1]} boilerplate)" if boilerplate else ""
    rows = tuple(line for line in text.splitlines() if re.match(r"D\d+ ", line))
    return Row("pairs of duplicates", (count[1] if count else "0") + more, rows)
