"""The table of sizes and times, which stands in docs/certificates.md."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dalembert.certificates import Certificate, check
from dalembert.certificates.coq import MOTION, coq
from dalembert.errors import InvalidExpression
from tools.certificates.cases import SOURCES, textbook

SHOWN = (
    *SOURCES,
    *("double_pendulum", "cart_pole", "rolling_disc", "furuta_pendulum", "free_rigid_body"),
    *("scara", "stanford_arm", "puma560", "ur5e", "iiwa14", "panda", "puma560_symbolic"),
    *("planar_arm_nr:8", "delta_robot", "stewart_platform"),
)
MAX_COQ_BYTES = 60_000
"""Certificates above this are not given to Coq: it evaluates trees, not programs."""
HEAD = ["system", "coordinates", "bytes", "claims", "identities", "check", "memory", "Coq", "M ≻ 0"]


def rows() -> Iterator[list[str]]:
    """Yield one row for each system; times are those of processors."""
    makers = textbook()
    with tempfile.TemporaryDirectory() as folder:
        has_coq = compiled_theory(Path(folder)) is not None
        for name in SHOWN:
            certificate = makers[name]()
            path = Path(folder) / "claims.json"
            certificate.save(path)
            counts = certificate.check()
            seconds, memory = checked(path)
            theorem = coq_seconds(Path(folder), certificate) if has_coq else "-"
            is_definite = "mass_matrix_is_positive" in counts
            yield [
                name,
                _coordinates(certificate),
                f"{len(certificate.text):,}",
                str(len(counts)),
                f"{sum(counts.values()):,}",
                seconds,
                memory,
                theorem,
                "yes" if is_definite else "not claimed",
            ]


def table() -> str:
    """Return all rows as Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *rows()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _coordinates(certificate: Certificate) -> str:
    n, m = len(certificate.data["coordinates"]), len(certificate.data["multipliers"])
    return f"{n}, {m} constraint{'s' * (m > 1)}" if m else str(n)


def checked(path: Path) -> tuple[str, str]:
    """Run the checker by itself; return processor time, less that of an idle Python, and memory."""
    idle, _ = measured([sys.executable, "-I", "-c", "import hashlib, json, re, fractions"])
    seconds, kilobytes = measured([sys.executable, "-I", check.__file__, str(path), "--quiet"])
    return shown(max(seconds - idle, 0.001)), f"{kilobytes / 1024:.0f} MB"


def measured(command: list[str]) -> tuple[float, int]:
    """Return processor time and peak memory in kB of a process."""
    text = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(u.ru_utime + u.ru_stime, u.ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, *command], capture_output=True, text=True, check=True
    )
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes)


def shown(seconds: float) -> str:
    """Return a time with two digits.

    >>> shown(0.0123), shown(0.38), shown(12.3)
    ('12 ms', '0.38 s', '12 s')
    """
    if seconds < 0.0995:
        return f"{seconds * 1000:.2g} ms"
    return f"{seconds:.2g} s"


# ---- Coq


def compiled_theory(folder: Path) -> float | None:
    """Compile Motion.v into a folder; return the time, or None where Coq is not installed."""
    if shutil.which("coqc") is None:
        return None
    shutil.copy(MOTION, folder)
    return run_coq(folder, MOTION.name)


def run_coq(folder: Path, name: str) -> float:
    """Compile a file; return the processor time.

    Raises:
        subprocess.CalledProcessError: Coq refuses it.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["coqc", name], cwd=folder, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def coq_seconds(folder: Path, certificate: Certificate) -> str:
    """Return how long Coq takes, or why it was not asked."""
    try:
        text = coq(certificate.data)
    except InvalidExpression:
        return "no rule"
    if len(certificate.text) > MAX_COQ_BYTES:
        return "not tried"
    (folder / "claims.v").write_text(text, encoding="utf-8")
    return shown(run_coq(folder, "claims.v"))
