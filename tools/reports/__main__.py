"""Write reports, open them without network and look: `python -m tools.reports [FOLDER [NAME …]]`.

Reports are about all worked examples, an arm of two joints and a quadruped unless names say
otherwise; a name may also be a FILE of the command line. Written are the pages, sheets of pictures
to look at, and a line for each fault; the exit status is 1 if there is one.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dalembert.report import write
from tools.browser import started
from tools.reports.look import look
from tools.reports.sheet import write_sheets
from tools.reports.subjects import names, subject


def main(arguments: list[str]) -> int:
    """Write and look at reports; return 1 if one has a fault."""
    folder = Path(arguments[0] if arguments else "build/reports").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    rows, count = [], 0
    with started() as browser:
        for name in arguments[1:] or names():
            start = time.perf_counter()
            title = Path(name).stem
            place = folder / f"{title}.html"
            write(subject(name), place, title=title, progress=False)
            made = time.perf_counter() - start
            found = look(browser, place)
            rows.append((title, found.pictures))
            count += bool(found.faults)
            size = place.stat().st_size / 1000
            print(f"{title}: {size:,.0f} kB in {made:.1f} s", *found.faults, sep="\n  ", flush=True)
    for path in write_sheets(rows, folder):
        print(path)
    print(f"{len(rows) - count} of {len(rows)} reports without fault")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
