"""Texts that are not what they seem: malformed certificates, and bombs."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from dalembert.certificates import check

Data = dict[str, Any]


def malformed(data: Data) -> Iterator[tuple[str, bytes]]:
    """Yield texts by name, each to be refused, made from a certificate that is right."""
    good = json.dumps(data)
    program = json.dumps(data["description"]["program"])
    yield "a key twice", (good[:-1] + ', "claims": []}').encode()
    yield "a key twice inside", good.replace('"claimed": {', '"claimed": {"M": [[0]], ', 1).encode()
    yield "cut", good[: len(good) // 2].encode()
    yield "empty", b""
    yield "not UTF-8", b"\xff" + good.encode()
    yield "with a byte order mark", b"\xef\xbb\xbf" + good.encode()
    yield "a list", b"[1]"
    yield "deep", b"[" * 100_000
    yield "too long", b" " * (check.MAX_FILE_BYTES + 1)
    for bad in (
        "NaN",
        "1e5",
        "Infinity",
        "0.5",
        "-1",
        "true",
        "null",
        "[]",
        "{}",
        '"0"',
        "9" * 5000,
    ):
        text = good.replace('"dissipation": ', f'"dissipation": {bad}, "x": ', 1)
        changed = copy.deepcopy(data["description"])
        changed["dissipation"] = "@"
        text = json.dumps({**data, "description": changed}).replace('"@"', bad)
        yield f"the part {bad[:9]}", text.encode()
    for bad in (
        "1e999999999",
        "1_0",
        " 1",
        "0x1",
        "१",
        "1/0",
        "inf",
        "nan",
        "--1",
        "1/-2",
        "0.5",
        "+1",
        "-0",
        "00",
        "9" * 2000,
    ):
        step = json.dumps(["num", bad])
        yield f"the number {bad[:9]}", good.replace(program, f"[{step}, {program[1:]}", 1).encode()
    steps: tuple[Any, ...] = (
        [], ["add", 0, 0], ["num"], ["num", 1], ["sym", 0], ["sym", "nobody"], ["mul", 0],
        ["mul", 0, 10**8], ["mul", 0, -1], ["mul", 0, True], ["pow", 0, 10**8], ["pow", 0, -1],
        ["pow", 0, "2"], ["sin", 0], ["sin", 0, [[0, 10**8]]], ["sin", 0, [[0, 0]]], ["sin", 0, 0],
        ["inv", 0, 0], ["sum", "0"], "mul", None, ["__class__", 0], ["eval", "1"], ["inverse", 0],
        ["angle", 0], ["root", 0],
    )  # fmt: skip
    for step in steps:
        yield f"the step {str(step)[:30]}", _with_step(data, step)
    for name in (
        "t",
        "pi",
        "x.dot",
        "",
        "a b",
        "cos",
        "cos(1 q1)",
        "ﬁ",
        "а",
        "ο",
        "x\u200b",
        "l\x1b[2J",
        5,
        None,
        "x" * 101,
    ):
        yield (
            f"the parameter {name!a}",
            json.dumps({**data, "parameters": [*data["parameters"], name]}).encode(),
        )
    first = data["coordinates"][0]
    for key, value in (
        ("coordinates", []), ("coordinates", [first, first]), ("parameters", first), ("inputs", {}),
        ("parameters", [*data["parameters"], first]), ("name", "x\nACCEPTED"), ("name", ""),
        ("name", "а"), ("name", 5), ("format", "dalembert-certificate-0"), ("claims", []),
        ("claims", ["energies"]), ("claims", [*data["claims"], "__init__"]), ("state", []),
        ("claims", [*data["claims"], "check_state"]), ("claims", [*data["claims"], "energies"]),
        ("state", {"nobody": "1"}), ("description", []), ("claimed", {}), ("code", {}),
        ("code", []),
    ):  # fmt: skip
        yield f"{key} {str(value)[:20]}", json.dumps({**data, key: value}).encode()
    yield "another key", json.dumps({**data, "note": "believe me"}).encode()
    for key in data:
        yield f"without {key}", json.dumps({k: v for k, v in data.items() if k != key}).encode()
    for part in ("description", "claimed"):
        for key in data[part]:
            less = {k: v for k, v in data[part].items() if k != key}
            yield f"without {part} {key}", json.dumps({**data, part: less}).encode()
        more = {**data[part], "nobody_looks": 0}
        yield f"{part} with another part", json.dumps({**data, part: more}).encode()


def _with_step(data: Data, step: Any) -> bytes:
    changed = copy.deepcopy(data)
    changed["description"]["program"].append(step)
    return json.dumps(changed).encode()


def bombs(data: Data) -> Iterator[tuple[str, bytes]]:
    """Yield texts that would take years or all memory, by name."""
    x = ["sym", data["coordinates"][0]]
    others = [["sym", name] for name in data["parameters"]] or [x]

    def bomb(name: str, *steps: list[Any]) -> tuple[str, bytes]:
        changed = copy.deepcopy(data)
        program = changed["description"]["program"]
        # references are to the steps of the bomb alone
        first = len(program)
        for op, *args in steps:
            moved = [
                [[u + first, n] for u, n in a] if isinstance(a, list)
                else a + first if type(a) is int and not (op == "pow" and k) else a
                for k, a in enumerate(args)
            ]  # fmt: skip
            program.append([op, *moved])
        return name, json.dumps(changed).encode()

    squares = [["mul", k + 1, k + 1] for k in range(60)]
    yield bomb("degree", x, ["sum", 0], *squares)
    yield bomb("digits", ["num", "9" * 900], ["sum", 0], *squares)
    yield bomb(
        "terms", x, ["num", "1"], ["sum", 0, 1, *()], *[["pow", k + 2, 3] for k in range(30)]
    )
    many = [x, *others, ["num", "1"]]
    total = ["sum", *range(len(many))]
    sums = [["mul", len(many) + k, len(many) + k] for k in range(40)]
    yield bomb("terms of many symbols", *many, total, *sums)
    nest: list[list[Any]] = [x, ["num", "1"]]
    for k in range(3000):
        nest += [["sum", 2 * k, 1] if k else ["sum", 0, 1], ["sqrt", len(nest)]]
    yield bomb("nested roots", *nest)
    nest = [x]
    for k in range(2000):
        nest.append(["sin", k, [[k, 1]]])
    yield bomb("nested sines", *nest)
    yield bomb("multiples", x, *[["sin", 0, [[0, 64]] * 5000]])
    angles: list[list[Any]] = [x]
    for k in range(1, 3000):
        angles += [
            ["num", str(k)],
            ["mul", 0, 2 * k - 1],
        ]
    cosines = [["cos", 2 * k, [[2 * k, 1]]] for k in range(1, 3000)]
    yield bomb("angles", *angles, *cosines)
    inverses: list[list[Any]] = [x, ["num", "1"], ["sum", 0, 1]]
    for _ in range(200):
        inverses += [["inv", len(inverses) - 1], ["sum", len(inverses), 0, 1]]
    yield bomb("nested quotients", *inverses)
    roots: list[list[Any]] = [x]
    for k in range(1, 40):
        roots += [
            ["num", str(k)],
            ["mul", 0, 0],
            ["sum", len(roots), len(roots) + 1],
            ["sqrt", len(roots) + 2],
        ]
    picked = [4 * k for k in range(1, 40)]
    roots.append(["sum", *picked])
    roots += [["mul", len(roots) - 1 + k, len(roots) - 1 + k] for k in range(12)]
    yield bomb("roots", *roots)
    fractions = [["num", f"1/{10**900 + k}"] for k in range(5000)]
    yield bomb("denominators", *fractions, ["sum", *range(5000)])
    wide = json.dumps(data)[:-1] + ', "note": [' + ",".join(["0"] * 5_000_000) + "]}"
    yield "width", wide.encode()
    deep = "[" * 500 + ",".join(map(str, range(500_000))) + "]" * 500
    changed = {**data, "description": {**data["description"], "forces": "@"}}
    yield "depth and width", json.dumps(changed).replace('"@"', deep).encode()
    many_names = {**data, "parameters": [f"p{k}" for k in range(200_000)]}
    yield "names", json.dumps(many_names).encode()
    coordinates = {**data, "coordinates": [f"x{k}" for k in range(600)]}
    yield "coordinates", json.dumps(coordinates).encode()
