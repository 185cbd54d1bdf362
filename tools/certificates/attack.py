"""Corrupt certificates at random, and judge in floats what the checker accepts."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.certificates import check
from tools.certificates.corruptions import KINDS, Data, corrupted
from tools.certificates.in_floats import ROUNDING, STATES, State, array, errors, shaped
from tools.certificates.jets import Jet, run

Verdict = str
REFUSED, SAME, TRUE, FALSE = "refused", "same meaning", "other and true", "ACCEPTED FALSELY"


@dataclass
class Tally:
    """How many corruptions of each kind got which verdict, and those that were accepted falsely."""

    counts: dict[str, Counter[Verdict]] = field(default_factory=dict)
    false: list[tuple[str, Data]] = field(default_factory=list)

    def add(self, kind: str, verdict: Verdict, bad: Data) -> None:
        """Count one corruption."""
        self.counts.setdefault(kind, Counter())[verdict] += 1
        if verdict == FALSE:
            self.false.append((kind, bad))

    def update(self, other: Tally) -> None:
        """Add another tally."""
        for kind, counts in other.counts.items():
            self.counts.setdefault(kind, Counter()).update(counts)
        self.false += other.false

    @property
    def total(self) -> Counter[Verdict]:
        """The verdicts of all kinds together."""
        return sum(self.counts.values(), Counter())

    def __str__(self) -> str:
        lines = []
        for kind, counts in [*self.counts.items(), ("all", self.total)]:
            shown = ", ".join(f"{counts[x]} {x}" for x in (REFUSED, SAME, TRUE, FALSE))
            lines.append(f"{kind}: {counts.total()} corruptions, {shown}")
        return "\n".join(lines)


def attack(data: Data, count: int, seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Tally:
    """Corrupt a certificate as often as said, all kinds in turn."""
    draw, tally, done, tries = random.Random(seed), Tally(), 0, 0
    while done < count and tries < 20 * count:
        kind = kinds[tries % len(kinds)]
        tries += 1
        bad = corrupted(data, kind, draw)
        if bad is not None:
            done += 1
            tally.add(kind, verdict(data, bad), bad)
    return tally


def verdict(data: Data, bad: Data) -> Verdict:
    """Return what the checker says of a corrupted certificate, and whether it may."""
    try:
        check.check(check.read(json.dumps(bad).encode()))
    except check.Refused:
        return REFUSED
    if max(errors(bad).values()) > ROUNDING:
        return FALSE
    return SAME if means_the_same(data, bad) else TRUE


def means_the_same(data: Data, bad: Data) -> bool:
    """Tell whether both say the same of the same functions: parts compared at random states."""
    lists = [*check.NAMES, "claims"]
    if any(sorted(data[part]) != sorted(bad[part]) for part in lists):
        return False
    if data["coordinates"] != bad["coordinates"] or data["multipliers"] != bad["multipliers"]:
        return False
    for seed in range(STATES):
        at = State(data, random.Random(seed)).at
        symbols = {x: Jet(value) for x, value in at.items()}
        for first, second in zip(_programs(data), _programs(bad), strict=True):
            if not _close(_numbers(first, symbols), _numbers(second, symbols)):
                return False
    return True


def _programs(data: Data) -> list[Mapping[str, Any]]:
    return [data["description"], data["claimed"], *data.get("code", [])]


def _numbers(part: Mapping[str, Any], symbols: Mapping[str, Jet]) -> Any:
    values = run(part["program"], symbols)
    standing = [
        [k, values[u], [[r, values[a]] for r, a in c]] for k, u, c in part.get("standing", [])
    ]
    return {**shaped(part, values), "standing": standing}


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, Jet) and isinstance(b, Jet):
        x, y = array(a), array(b)
        return bool(np.abs(x - y) <= ROUNDING * (1 + np.abs(x)))
    return a == b
