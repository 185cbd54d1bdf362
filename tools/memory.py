"""Derive, prove and print random descriptions, each in a process of its own with limits.

    python -m tools.memory [--count 500] [--seed 0]

A description of a few lines must never take more than two gigabytes or a minute of CPU time, nor
end its process: it is answered, or refused by `TooLarge` in words. Each has up to twelve
coordinates, and a potential of quotients, roots and sines of some of them.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import dalembert as da
from tools.environment import ROOT

CPU_SECONDS = 60
MEMORY_BYTES = 2 << 30
REFUSED = 3
FOREIGN = 4


class Outcome(NamedTuple):
    """How a description ended, with its CPU time in s and its largest memory in bytes."""

    verdict: str
    seconds: float
    bytes: int

    @property
    def is_good(self) -> bool:
        """Whether it was answered or refused within the limits."""
        return (
            self.verdict in ("answered", "refused")
            and self.seconds <= CPU_SECONDS
            and self.bytes <= MEMORY_BYTES
        )


def description(rng: random.Random) -> da.System:
    """Return a random system: masses in a straight or curved space, a potential of all kinds."""
    n = rng.randint(1, 12)
    q = da.coordinates(" ".join(f"q{i}" for i in range(1, n + 1)))
    k = da.parameters("k1 k2 k3 a b l")
    m = da.parameters(" ".join(f"m{i}" for i in range(1, n + 1)))
    kinds = rng.sample((rational, rooted, trigonometric, nested), rng.randint(1, 4))
    V = sum((rng.choice(kinds)(rng, q, k) for _ in range(rng.randint(1, 12))), 0 * k[0])
    if rng.random() < 0.5:
        T = sum((m[i] * q[i].dot ** 2 / 2 for i in range(n)), 0 * k[0])
    else:
        T = chain(q, m, k[-1], links=rng.randint(1, 8))
    return da.System(kinetic=T, potential=V, coordinates=q)


def chain(q: tuple[da.Expr, ...], m: tuple[da.Expr, ...], l: da.Expr, *, links: int) -> da.Expr:
    """Return T of a pendulum of some links, beside masses on straight lines."""
    T = x = y = 0 * l
    for i, angle in enumerate(q):
        if i < links:
            x, y = x + l * da.sin(angle), y - l * da.cos(angle)
            T = T + m[i] * (da.ddt(x) ** 2 + da.ddt(y) ** 2) / 2
        else:
            T = T + m[i] * angle.dot**2 / 2
    return T


Term = Callable[[random.Random, tuple[da.Expr, ...], tuple[da.Expr, ...]], da.Expr]


def combination(rng: random.Random, q: tuple[da.Expr, ...], k: tuple[da.Expr, ...]) -> da.Expr:
    """Return a short polynomial of coordinates and parameters."""
    total = rng.choice(k)
    for _ in range(rng.randint(1, 4)):
        factor = rng.choice([Fraction(rng.randint(1, 9), rng.choice((1, 2, 10))), rng.choice(k)])
        total = total + factor * rng.choice((1, -1)) * rng.choice(q) ** rng.choice((1, 1, 2))
    return total


def rational(rng: random.Random, q: tuple[da.Expr, ...], k: tuple[da.Expr, ...]) -> da.Expr:
    """Return a quotient of polynomials."""
    return combination(rng, q, k) / combination(rng, q, k) ** rng.randint(1, 6)


def rooted(rng: random.Random, q: tuple[da.Expr, ...], k: tuple[da.Expr, ...]) -> da.Expr:
    """Return a power of a distance."""
    square = combination(rng, q, k) ** 2 + combination(rng, q, k) ** 2
    return rng.choice(k) * square ** Fraction(rng.choice((1, -1, -3, 3)), rng.choice((2, 2, 3)))


def trigonometric(rng: random.Random, q: tuple[da.Expr, ...], k: tuple[da.Expr, ...]) -> da.Expr:
    """Return products of sines of sums of angles in any ratio."""
    result = rng.choice(k)
    for _ in range(rng.randint(1, 3)):
        angle = sum(
            (
                Fraction(rng.choice((1, 2, 3, 98, 872)), rng.choice((1, 1, 100, 1000))) * x
                for x in rng.choices(q, k=rng.randint(1, 3))
            ),
            0 * k[0],
        )
        result = result * rng.choice((da.sin, da.cos))(angle) ** rng.randint(1, 3)
    return result


def nested(rng: random.Random, q: tuple[da.Expr, ...], k: tuple[da.Expr, ...]) -> da.Expr:
    """Return a quotient or root of terms of the other kinds."""
    inside = rng.choice((rational, rooted, trigonometric))
    below = 2 + rng.choice((rational, rooted, trigonometric))(rng, q, k) ** 2
    return rng.choice((inside(rng, q, k) / below, da.sqrt(below)))


def work(seed: int) -> None:
    """Derive, prove and print one description."""
    eq = description(random.Random(seed)).equations()
    eq.prove()
    str(eq)
    eq.conserved()


def outcome(seed: int) -> Outcome:
    """Run one description in a process with limits.

    It is a new one: a fork of a process with threads, such as those of JAX, may wait for ever.
    """
    child = subprocess.Popen([sys.executable, "-m", "tools.memory", "--alone", str(seed)], cwd=ROOT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    words = {0: "answered", REFUSED: "refused", FOREIGN: "another error"}
    unit = 1 if sys.platform == "darwin" else 1024
    verdict = words.get(child.returncode, f"died of signal {-child.returncode}")
    return Outcome(verdict, used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def alone(seed: int) -> int:
    """Work under the limits and return the exit status."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS + 1, CPU_SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY_BYTES, 2 * MEMORY_BYTES))
    try:
        work(seed)
    except da.TooLarge:
        return REFUSED
    except BaseException:
        traceback.print_exc(limit=-4)
        return FOREIGN
    return 0


def main() -> None:
    """Run all, print what is not good and the worst of each measure."""
    parser = argparse.ArgumentParser(prog="python -m tools.memory", description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first; others count on")
    parser.add_argument("--alone", type=int, metavar="SEED", help="one, under limits, right here")
    options = parser.parse_args()
    if options.alone is not None:
        sys.exit(alone(options.alone))
    counts: Counter[str] = Counter()
    seconds = most = 0.0
    bad = 0
    for seed in range(options.seed, options.seed + options.count):
        found = outcome(seed)
        counts[found.verdict] += 1
        seconds, most = max(seconds, found.seconds), max(most, found.bytes)
        if not found.is_good or found.seconds > CPU_SECONDS / 4:
            bad += not found.is_good
            print(f"{seed}: {found.verdict}, {found.seconds:.0f} s, {found.bytes >> 20:,} MiB")
    print(", ".join(f"{name} {number}" for name, number in counts.items()))
    print(f"at most {seconds:.1f} s of CPU time and {int(most) >> 20:,} MiB; not good: {bad}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
