"""G2: whatever the bytes, a reader gives a result or one of our errors, soon and in little memory.

Files and texts are mutated as bytes and as trees. The readers run in a process of their own, so
that a crash in MuJoCo's compiler, behind the MJCF reader, is counted as one.
"""

from __future__ import annotations

import copy
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.sdf.read import load_sdf
from dalembert.mechanism.io.urdf.read import load_urdf
from tests.effort import effort, peak_memory
from tests.figures import Figures
from tests.unit.mechanism.io.mjcf.mjcf_models import MODELS
from tests.unit.mechanism.io.sdf.sdf_models import SPELLINGS
from tests.unit.mechanism.io.test_json import arm
from tests.unit.mechanism.io.urdf.test_urdf_fuzz import SEEDS as URDF
from tests.unit.mechanism.io.urdf.test_urdf_fuzz import WORDS, mutate_bytes
from tests.unit.mechanism.test_physics import sound
from tests.unit.reader.test_parse import KNOWN
from tests.unit.reader.test_parse import SEEDS as EXPRESSIONS

pytest.importorskip("resource", reason="Windows has no such module")

SECONDS = 5  # of processor time, in which a thousand of these files are read
MEGABYTES = 512
# every so many mechanisms are written and read again
AGAIN = 10


# ---- trees


def mutate_xml(draw: random.Random, text: str) -> bytes:
    """Delete, double, move and rename elements; exchange attributes and values."""
    root = ElementTree.fromstring(text.strip().encode())
    for _ in range(draw.choice([1, 1, 2, 5])):
        elements = list(root.iter())
        parents = [e for e in elements if len(e)]
        at, other = draw.choice(elements), draw.choice(elements)
        match draw.randrange(8):
            case 0 if parents:
                parent = draw.choice(parents)
                parent.remove(draw.choice(list(parent)))
            case 1 if at is not root:
                other.append(copy.deepcopy(at))
            case 2:
                at.tag = other.tag
            case 3 if at.attrib:
                del at.attrib[draw.choice(list(at.attrib))]
            case 4 if other.attrib:
                key = draw.choice(list(other.attrib))
                at.attrib[key] = other.attrib[key]
            case _ if at.attrib:
                key = draw.choice(list(at.attrib))
                values = [*other.attrib.values(), draw.choice(WORDS), "-" + at.attrib[key]]
                at.attrib[key] = draw.choice(values)
    return ElementTree.tostring(root, encoding="unicode").encode(errors="surrogatepass")


# each a double, their products not
HUGE = [10**300, "1" + "0" * 307, "-1" + "0" * 300, "1/1" + "0" * 300]
STRANGE = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "-1",
    "nan",
    "1e999",
    "a/0",
    [],
    {},
    [[]],
    *HUGE,
]


def mutate_json(draw: random.Random, text: str) -> bytes:
    """Replace values by strange ones, or by those of other places; delete and rename keys."""
    tree = json.loads(text)
    for _ in range(draw.choice([1, 1, 2, 4])):
        places: list[tuple[Any, Any]] = []
        pending = [tree]
        while pending:
            at = pending.pop()
            keys = list(at) if isinstance(at, dict) else range(len(at))
            places += [(at, key) for key in keys]
            pending += [at[key] for key in keys if isinstance(at[key], dict | list)]
        if not places:
            break
        (at, key), (donor, other) = draw.choice(places), draw.choice(places)
        match draw.randrange(5):
            case 0:
                del at[key]
            case 1 if isinstance(at, dict):
                at[draw.choice([str(other), "x"])] = at.pop(key)
            case 2:
                at[key] = draw.choice(STRANGE)
            case _:
                at[key] = copy.deepcopy(donor[other])
    return json.dumps(tree).encode()


TOKENS = ["(", ")", "+", "-", "*", "/", "^", ",", ".dot", "²", "1", "0", "9" * 30, "1e400", "pi"]
TOKENS += ["sin", "sqrt", "atan2", "log", "x", "q1", "m", "__import__", "\u202e", "\0", " "]


def mutate_expression(draw: random.Random, text: str) -> bytes:
    """Put tokens in, take pieces out, double them, put brackets around them."""
    for _ in range(draw.choice([1, 2, 4])):
        i, j = sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)))
        piece = draw.choice([draw.choice(TOKENS), text[i:j], f"({text[i:j]})", ""])
        text = (text[:i] + piece + text[j:])[:5000]
    return text.encode(errors="surrogatepass")


# ---- readers

Mutate = Callable[[random.Random, str], bytes]
Read = Callable[[bytes, random.Random], da.Mechanism | da.Expr]


def read_urdf(data: bytes, draw: random.Random) -> da.Mechanism:
    return load_urdf(data, repair=draw.random() < 0.5, accept_nonphysical=draw.random() < 0.5)


def read_sdf(data: bytes, draw: random.Random) -> da.Mechanism:
    return load_sdf(data, repair=draw.random() < 0.5, accept_nonphysical=draw.random() < 0.5)


def read_json(data: bytes, draw: random.Random) -> da.Mechanism:
    return load_json(data, accept_nonphysical=draw.random() < 0.5)


def read_mjcf(data: bytes, draw: random.Random) -> da.Mechanism:
    return load_mjcf(data)


def read_expression(data: bytes, draw: random.Random) -> da.Expr:
    return da.parse(data.decode("utf-8", "replace"), KNOWN)


def seeds() -> dict[str, tuple[list[str], Mutate, Read, float]]:
    """Return for each kind of file its seeds, mutation, reader, and its share of the cases."""
    return {
        "urdf": (URDF, mutate_xml, read_urdf, 0.2),
        "sdf": (list(SPELLINGS.values()), mutate_xml, read_sdf, 0.05),
        "json": ([save_json(arm()), save_json(sound().build())], mutate_json, read_json, 0.2),
        "mjcf": (list(MODELS.values()), mutate_xml, read_mjcf, 0.03),
        "expression": (EXPRESSIONS, mutate_expression, read_expression, 0.52),
    }


class Hang(BaseException):
    """A case that takes too long."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise `Hang` after too much processor time."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Read mutated files of all kinds; return how many were tried, read and refused, and the rest.

    ``foreign`` are exceptions of others, ``hangs`` cases beyond 5 s, ``lost`` mechanisms that
    change when they are written and read again; ``slowest`` is in seconds of processor time,
    ``megabytes`` by how much the process grew, ``examples`` tells what to look at.
    """
    draw = random.Random(seed)
    found: Counter[str] = Counter()
    examples: list[str] = []
    slowest = 0.0
    before = peak_memory()
    for kind, (texts, mutate, read, share) in seeds().items():
        for _ in range(max(1, round(count * share))):
            data = draw.choice([mutate_bytes, mutate])(draw, draw.choice(texts))
            start = time.process_time()
            try:
                with limited():
                    outcome = "read"
                    if not _survives(read(data, draw), found["read"]):
                        outcome = "lost"
            except DalembertError as error:
                outcome = "refused" if str(error).strip() else "silent"
            except Hang:
                outcome = "hangs"
            except Exception as error:
                outcome = "foreign"
                examples.append(f"{type(error).__name__}: {error}"[:200])
            slowest = max(slowest, time.process_time() - start)
            found["tried"] += 1
            found[f"{kind} tried"] += 1
            found[outcome] += 1
            if outcome not in ("read", "refused"):
                examples.append(f"{kind} {outcome}: {data[:3000]!r}")
    grown = (peak_memory() - before) / 2**20
    return {**found, "slowest": slowest, "megabytes": grown, "examples": examples[:20]}


def _survives(value: da.Mechanism | da.Expr, number: int) -> bool:
    """Tell whether what was read has a text, and is the same after writing and reading it."""
    if isinstance(value, da.Expr) or number % AGAIN:
        return True
    str(value)
    again = load_json(save_json(value), accept_nonphysical=value.accept_nonphysical)
    return again == value


def fuzz_in_a_process(count: int, seed: int) -> dict[str, Any]:
    """Return what `fuzz` returns, from a process of its own."""
    code = (
        "import json, sys\n"
        "from tests.laws.test_fuzz_readers import fuzz\n"
        f"json.dump(fuzz({count}, {seed}), sys.stdout)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr[-3000:]}"
    return json.loads(done.stdout)


def test_mutated_files_give_a_result_or_our_own_error(
    rng: np.random.Generator, figures: Figures
) -> None:
    """G2."""
    seed = int(rng.integers(2**31))
    found = fuzz_in_a_process(effort(10_000), seed)
    for fault in ("foreign", "hangs", "lost", "silent"):
        assert found.get(fault, 0) == 0, f"seed {seed}: {found['examples']}"
    assert found["megabytes"] < MEGABYTES
    # the mutations neither leave everything alone nor destroy everything
    assert 0.05 < found["read"] / found["tried"] < 0.9
    for name in ("tried", "read", "refused"):
        figures.count(f"mutated files {name}", found[name])
    figures.worst("seconds of a file", found["slowest"])
    figures.worst("MiB of all", found["megabytes"])
