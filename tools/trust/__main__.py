"""Run the tests of all promises and write docs/trust.md."""

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
    """Run pytest once over the tests of all promises."""
    parser = argparse.ArgumentParser(prog="python -m tools.trust", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the random cases")
    parser.add_argument("--statements", type=int, help="for the audit of equality")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random tests")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="tests whose name matches, as for pytest -k")
    parser.add_argument("-o", type=Path, default=PAGE, help="the page to write")
    options = parser.parse_args()
    os.environ["DALEMBERT_TEST_SCALE"] = f"{options.scale:g}"
    if options.statements:
        os.environ["DALEMBERT_STATEMENTS"] = str(options.statements)
    collector = Collector()
    arguments = ["-q", f"--seed={options.seed}"]
    arguments += ["-n", str(options.workers)] if options.workers > 1 else []
    arguments += ["-k", options.only] if options.only else []
    tests = dict.fromkeys(test for promise in PROMISES.values() for test in promise.tests)
    os.chdir(ROOT)
    status = pytest.main([*arguments, *tests], plugins=[collector])
    conditions = (
        f"Last run {date.today().isoformat()}: random cases × {options.scale:g}, seed "
        f"{options.seed}, Python {platform.python_version()}, {platform.machine()}."
    )
    given = f" --scale {options.scale:g}" if options.scale != 1 else ""
    given += f" --statements {options.statements}" if options.statements else ""
    text = page(collector.promises, arguments=given, conditions=conditions)
    options.o.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {options.o.name}")
    sys.exit(int(status))


main()
