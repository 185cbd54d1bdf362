"""Count the mutants of some files that some tests notice, and list those that they do not."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from tools.environment import ROOT
from tools.mutation.mutants import Mutant, mutants
from tools.mutation.run import Verdict, copied_source, fate, import_what_tests_need, judge


def files_of(places: list[str]) -> list[Path]:
    """Return the Python files of folders and files, relative to ``src``."""
    found: list[Path] = []
    for place in places:
        path = (ROOT / place).resolve()
        files = [path] if path.is_file() else sorted(path.rglob("*.py"))
        found += [x.relative_to(ROOT / "src") for x in files if x.name != "__init__.py"]
    return found


def sampled(paths: list[Path], count: int | None, seed: int) -> list[tuple[Path, Mutant]]:
    """Return all mutants of files, or so many of them chosen at random."""
    every = [
        (path, mutant)
        for path in paths
        for mutant in mutants((ROOT / "src" / path).read_text(encoding="utf-8"))
    ]
    if count is None or count >= len(every):
        return every
    return random.Random(seed).sample(every, count)


def main(arguments: list[str] | None = None) -> list[Verdict]:
    """Judge mutants and print the share that was killed, and every survivor."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("places", nargs="+", help="files or folders below src")
    parser.add_argument("--tests", nargs="+", required=True, help="files or folders of tests")
    parser.add_argument(
        "--sample", type=int, help="mutants to try, chosen at random; all if not given"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the choice")
    parser.add_argument(
        "--limit", type=float, default=60.0, help="seconds of the tests, per mutant"
    )
    parser.add_argument("--budget", type=float, default=300.0, help="seconds in all")
    options = parser.parse_args(arguments)
    chosen = sampled(files_of(options.places), options.sample, options.seed)
    import_what_tests_need()
    verdicts: list[Verdict] = []
    end = time.monotonic() + options.budget
    with copied_source() as copy:
        if fate(copy, options.tests, options.limit) != "survived":
            parser.error("expected tests that pass without a mutant, within the limit")
        for path, mutant in chosen:
            if time.monotonic() > end:
                break
            verdicts.append(judge(copy, path, mutant, options.tests, options.limit))
            if verdicts[-1].fate == "survived":
                print(verdicts[-1], flush=True)
    counts = Counter(verdict.fate for verdict in verdicts)
    noticed = counts["killed"] + counts["timeout"]
    share = f"{noticed / len(verdicts):.0%}" if verdicts else "none"
    print(f"{len(verdicts)} of {len(chosen)} mutants tried: {share} noticed, {dict(counts)}")
    return verdicts


if __name__ == "__main__":
    main()
