"""Fuzz one reader by coverage: `python -m tools.fuzz READER [--seconds 600]`.

atheris drives libFuzzer: an input that reaches a new branch of the reader is kept and changed
again. The exit status is 0 if every input was read or refused with an error of the reader. Another
exception, an input of more than 20 s or 2 GB, or a crash ends the run; the input is then kept in
`build/fuzz/READER`, and `python -m tools.fuzz READER FILE` reads it again.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.environment import ROOT
from tools.fuzz.readers import PACKAGES, Reader, reader

SECONDS_OF_AN_INPUT, MEGABYTES = 20, 2048
MAX_BYTES = 20_000
"""Longer inputs say the same more slowly."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Fuzz, or read again what was kept; this does not return: libFuzzer ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("reader", choices=sorted(PACKAGES))
    parser.add_argument("inputs", nargs="*", help="files to read again")
    parser.add_argument("--seconds", type=int, default=600, help="how long (default: 600)")
    parser.add_argument("--runs", type=int, default=-1, help="how many inputs (default: any)")
    parser.add_argument("--seed", type=int, default=0, help="of the changes (default: another)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("atheris") is None:
        sys.exit("expected the package atheris, which fuzzes by coverage: pip install atheris")
    atheris: Any = importlib.import_module("atheris")

    folder = ROOT / "build" / "fuzz" / options.reader
    folder.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=list(PACKAGES[options.reader])):
        chosen = reader(options.reader, folder)

    def change_bytes(data: bytes, max_size: int) -> bytes:
        # `Setup` exchanges this function
        return atheris.Mutate(data, max_size)

    settings = libfuzzer_options(folder, options.seconds, options.runs, options.seed)
    places = options.inputs or [str(corpus(folder, chosen.seeds))]
    atheris.Setup(
        ["fuzz", *settings, *places],
        target(chosen),
        custom_mutator=mutator(chosen, change_bytes),
    )
    atheris.Fuzz()


def libfuzzer_options(folder: Path, seconds: int, runs: int, seed: int) -> list[str]:
    """Return the bounds of a run as libFuzzer takes them."""
    return [
        f"-max_total_time={seconds}",
        f"-runs={runs}",
        f"-seed={seed}",
        f"-timeout={SECONDS_OF_AN_INPUT}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={MAX_BYTES}",
        f"-artifact_prefix={folder}/",
        "-print_final_stats=1",
    ]


def corpus(folder: Path, seeds: Sequence[bytes]) -> Path:
    """Write the seeds beside what earlier runs found worth keeping; return the folder."""
    place = folder / "corpus"
    place.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (place / f"seed-{number}").write_bytes(seed)
    return place


def target(chosen: Reader) -> Callable[[bytes], None]:
    """Return what is called with every input; it raises what must not happen."""

    def read(data: bytes) -> None:
        try:
            chosen.read(data)
        except chosen.errors as error:
            if not str(error).strip():
                raise RuntimeError("expected a message, got an error without one") from error

    return read


def mutator(
    chosen: Reader, by_bytes: Callable[[bytes, int], bytes]
) -> Callable[[bytes, int, int], bytes]:
    """Return what changes an input: half of the time by its structure, if it has one."""

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        draw = random.Random(seed)
        if chosen.mutate is not None and draw.random() < 0.5:
            # what is not well-formed has no structure
            with contextlib.suppress(ValueError, SyntaxError, IndexError, TypeError):
                return chosen.mutate(draw, data.decode())[:max_size]
        return by_bytes(data, max_size)

    return mutate


if __name__ == "__main__":
    main()
