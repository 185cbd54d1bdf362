"""Run the tests of all promises, or of some, and write their rows of docs/trust.md."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import date
from pathlib import Path

import pytest

from tools.environment import ROOT
from tools.trust.collect import Collector
from tools.trust.page import page
from tools.trust.promises import PROMISES

PAGE = ROOT / "docs" / "trust.md"


def main() -> None:
    """Run pytest once over the tests of the promises."""
    parser = argparse.ArgumentParser(prog="python -m tools.trust", description=__doc__)
    parser.add_argument("promises", nargs="*", help="such as G18: others keep their rows")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the random cases")
    parser.add_argument("--statements", type=int, help="for the audit of equality")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random tests")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("-o", type=Path, default=PAGE, help="the page to write")
    options = parser.parse_args()
    if unknown := set(options.promises) - set(PROMISES):
        parser.error(f"expected promises among {', '.join(PROMISES)}, got {', '.join(unknown)}")
    os.environ["DALEMBERT_TEST_SCALE"] = f"{options.scale:g}"
    if options.statements:
        os.environ["DALEMBERT_STATEMENTS"] = str(options.statements)
    chosen = options.promises or list(PROMISES)
    collector = Collector()
    arguments = ["-q", f"--seed={options.seed}"]
    arguments += ["-n", str(options.workers)] if options.workers > 1 else []
    tests = dict.fromkeys(test for name in chosen for test in PROMISES[name].tests)
    os.chdir(ROOT)
    status = pytest.main([*arguments, *tests], plugins=[collector])
    # a test may keep others too, whose other tests did not run
    kept = {name: found for name, found in collector.promises.items() if name in chosen}
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    text = page(kept, run=_run(options), before=before)
    options.o.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {options.o.name}")
    sys.exit(int(status))


def _run(options: argparse.Namespace) -> str:
    """Return the date of a run and its conditions, as far as they are not the usual ones."""
    words = [date.today().isoformat(), f"Python {platform.python_version()}", platform.machine()]
    words += [f"random cases × {options.scale:g}"] if options.scale != 1 else []
    words += [f"seed {options.seed}"] if options.seed else []
    words += [f"{options.statements:,} statements"] if options.statements else []
    return ", ".join(words)


main()
