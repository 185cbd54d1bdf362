"""Build the site: `python -m tools.site [build/site]`; needs the extra `docs`.

Warnings of Sphinx, such as a link without a target or a page outside of the contents, are errors.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import sys
from pathlib import Path

from tools.site.source import ROOT, write_source

PACKAGES = ("sphinx", "myst_parser", "furo", "latex2mathml")
MARK = ".buildinfo"  # Sphinx writes it into every site


def main(arguments: list[str]) -> int:
    """Write the source of the site and build it; return the status of Sphinx."""
    if len(arguments) > 1:
        sys.exit("expected at most one folder: python -m tools.site [build/site]")
    if missing := [name for name in PACKAGES if importlib.util.find_spec(name) is None]:
        sys.exit(f'expected {", ".join(missing)}, which build the site: pip install ".[docs]"')
    site = Path(arguments[0] if arguments else ROOT / "build" / "site").resolve()
    if site.exists() and any(site.iterdir()) and not (site / MARK).exists():
        sys.exit(f"expected a new folder or one with a site, got {site}, which would be emptied")
    status = build(site, site.with_name(f"{site.name}_source"))
    print(site / "index.html" if status == 0 else "the site is not complete: see the warnings")
    return status


def build(site: Path, source: Path) -> int:
    """Build the site into a folder by way of another, both made anew; return Sphinx's status."""
    from tools.site.api import write_api

    for folder in (site, source):
        shutil.rmtree(folder, ignore_errors=True)
    write_source(source)
    write_api(source / "api")
    options = ["-b", "html", "-q", "-W", "--keep-going", "-c", str(Path(__file__).parent)]
    run = importlib.import_module("sphinx.cmd.build").build_main
    return run([*options, "-d", str(source / ".doctrees"), str(source), str(site)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
