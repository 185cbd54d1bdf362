"""Attack the checker, let Coq check, write all certificates, or the table in the docs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from dalembert.certificates.coq import coq
from tools.blocks import write_block
from tools.certificates.attack import FALSE, REFUSED, SAME, TRUE, Tally, attack
from tools.certificates.cases import LARGE, gallery, textbook
from tools.certificates.table import compiled_theory, table

IN_COQ = (
    *("rp_arm", "rp_arm_maximal", "double_pendulum", "cart_pole", "planar_3r", "pinned_three_link"),
    *("particle", "geared_link", "elastic_joint", "wire_particles", "cartesian_arm", "planar_arm"),
    *("driven_pendulum", "spherical_pendulum", "furuta_pendulum", "rolling_disc", "knife_edge"),
)
"""What the workflow gives to Coq."""


def attacked(names: list[str], count: int, seed: int, page: Path | None) -> int:
    """Corrupt certificates, print what the checker said, and return the exit status."""
    makers = textbook() | gallery()
    tally = Tally()
    chosen = names or [x for x in makers if x not in LARGE]
    for number, name in enumerate(chosen):
        found = attack(dict(makers[name]().data), count, seed + number)
        tally.update(found)
        for kind, bad in found.false:
            print(f"ACCEPTED FALSELY: {kind} of {bad['name']}")
    print(tally)
    if page is not None:
        all_of = tally.total
        text = (
            f"Last run, seed {seed}: {all_of.total():,} corruptions of {len(chosen)} certificates. "
            f"{all_of[REFUSED]:,} were refused, {all_of[SAME]:,} did not change the meaning, "
            f"{all_of[TRUE]:,} say something else that is true (a claim left out, another "
            f"parameter assumed positive), and {all_of[FALSE]:,} were accepted falsely."
        )
        write_block(page, "attack", text)
    return 1 if tally.total[FALSE] else 0


def proved(names: list[str]) -> int:
    """Give certificates to Coq, print the axioms that it names, and return the exit status."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        if compiled_theory(folder) is None:
            print("coqc is not installed: apt-get install coq")
            return 2
        status = 0
        for name in names or IN_COQ:
            text = coq(textbook()[name]().data)
            (folder / "claims.v").write_text(text, encoding="utf-8")
            done = subprocess.run(
                ["coqc", "claims.v"], cwd=folder, capture_output=True, text=True, check=False
            )
            print(f"{name}: {'refused' if done.returncode else 'accepted'}")
            print(done.stderr if done.returncode else done.stdout)
            status = max(status, done.returncode)
    return status


def main() -> int:
    """Run one of the commands; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.certificates", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    attacks = commands.add_parser("attack", help="corrupt certificates at random")
    attacks.add_argument("names", nargs="*", help="all but the large ones")
    attacks.add_argument("--count", type=int, default=30, help="corruptions of each")
    attacks.add_argument("--seed", type=int, default=0)
    attacks.add_argument("--write", type=Path, help="the page whose block to replace")
    in_coq = commands.add_parser("coq", help="let Coq check")
    in_coq.add_argument("names", nargs="*", help="worked examples")
    writing = commands.add_parser("write", help="write the certificates of all worked examples")
    writing.add_argument("folder", type=Path)
    sizes = commands.add_parser("table", help="measure sizes and times")
    sizes.add_argument("--write", type=Path, help="the page whose block to replace")
    given = parser.parse_args()
    match given.command:
        case "attack":
            return attacked(given.names, given.count, given.seed, given.write)
        case "coq":
            return proved(given.names)
        case "write":
            given.folder.mkdir(parents=True, exist_ok=True)
            for name, make in textbook().items():
                make().save(given.folder / f"{name.replace(':', '_')}.json")
        case "table":
            text = table()
            if given.write:
                write_block(given.write, "certificates", text)
            else:
                print(text)
    return 0


sys.exit(main())
