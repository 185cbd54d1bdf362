"""Load a folder of robots in many guises: `python -m tools.zoo [--damages 10] [--write]`.

DALEMBERT_ZOO names the folder. Every file is loaded as it is, without its inertias, wrapped into
xacro, as one of two models of a world, and damaged at random. A refusal counts as justified if
another engine refuses the same text (Pinocchio for URDF, MuJoCo for MJCF), if the reader offers an
option that loads it, or if `REASONS` has a sentence for it. The program fails where one is left,
and ``--write`` puts the counts into docs/mechanisms.md.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import dalembert as da

mujoco: Any = import_module("mujoco")
pinocchio: Any = import_module("pinocchio")

PAGE = Path(__file__).parent.parent / "docs" / "mechanisms.md"
MARKS = "<!-- zoo begin -->", "<!-- zoo end -->"
LOADS, OPTION, PEER, REASON, OPEN = "load", "load with an option", "peer", "reason", "open"
ROOM = "room"
"""The package and the second model of worlds."""

REASONS = {
    r"expected an? <(mass|inertia)>, got none": (
        "An inertial element lacks its mass or its inertia; others take 0."
    ),
    r"not negative": "Damping or armature is negative, which drives the joint.",
    r"expected the attribute": "A name is empty or missing.",
    r"expected a number, got \d": "Several numbers stand where one belongs.",
    r"expected (a finite number|a number|numbers?|\d+ numbers?|a decimal|real numbers)": (
        "A number is missing, not finite, or no number; others read on to its end or take 0."
    ),
    r"principal moment|positive mass|positive definite|no body has": (
        "No body has this mass or inertia."
    ),
    r"expected (a|the|one|each) ?.*(link|joint) of this (file|model)|did you mean": (
        "A name has nothing that it names."
    ),
    r"expected a (new|different) name|twice|same name|already|second": "A name is given twice.",
    r"expected (an? )?(axis|direction)|axis": "An axis has no direction.",
    r"lower|upper|limit": "Limits are missing, or the upper one lies below the lower.",
    r"expected <|got <|unknown (element|attribute)|expected no": (
        "An element or attribute is unknown there, often a misspelt one that others ignore."
    ),
    r"mimic": "A joint follows one that is missing, does not move, or follows it.",
    r"unbound prefix": "xacro takes no names with a prefix that nothing declares.",
    r"well-formed|XML|not UTF|encoding|parse": "The text is no XML.",
    r"shape|geometry|radius|size|scale|colou?r|rgba|mesh": (
        "A shape has no size or a negative one; others find it when they touch it."
    ),
    r"tree|root|loop|parent|reach": "Links and joints form no tree.",
    r"joint type": "A joint has an unknown type.",
}
"""Why we refuse what another engine takes, by what the message says; the first match counts."""

WORDS = ("", "0", "-1", "nan", "1e400", "x", "1 2", "-0.5", "1e9", "world", "true", "0 0 0")


class Case(NamedTuple):
    """A text to load, how, and what another engine is given."""

    variant: str
    name: str
    source: Any
    options: dict[str, Any]
    peer: str
    accepts: Callable[[str], bool]


def files() -> list[Path]:
    """Return the robots of the zoo."""
    folder = Path(os.environ["DALEMBERT_ZOO"])
    found = [*folder.glob("*/*.urdf"), *folder.glob("*/*.xml")]
    return sorted(path for path in found if _kind(path.read_text("utf-8", "replace")))


def _kind(text: str) -> str:
    """Return "urdf" or "mjcf" by the first element."""
    head = re.search(r"<([a-zA-Z]+)[\s>/]", re.sub(r"<!--.*?-->|<\?.*?\?>", "", text, flags=re.S))
    return {"robot": "urdf", "mujoco": "mjcf"}.get(head[1] if head else "", "")


def by_pinocchio(text: str) -> bool:
    """Return whether Pinocchio reads a URDF."""
    try:
        pinocchio.buildModelFromXML(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except Exception:
        return False
    return True


def by_mujoco(folder: Path) -> Callable[[str], bool]:
    """Return a function that tells whether MuJoCo reads an MJCF file of a folder."""

    def accepts(text: str) -> bool:
        with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=_scratch(folder)) as file:
            file.write(text)
            file.flush()
            try:
                mujoco.MjModel.from_xml_path(file.name)
            except Exception:
                return False
        return True

    return accepts


def _scratch(folder: Path) -> Path:
    """Return a place from where the files of a folder are found by the same names."""
    place = Path(tempfile.gettempdir()) / "dalembert_zoo" / folder.name
    if not place.exists():
        place.mkdir(parents=True)
        for entry in folder.iterdir():
            (place / entry.name).symlink_to(entry)
    return place


def cases(path: Path, damages: int, draw: random.Random, place: Path) -> Iterator[Case]:
    """Yield the guises of a file."""
    text = path.read_text("utf-8", "replace")
    name = f"{path.parent.name}/{path.name}"
    if _kind(text) == "mjcf":
        accepts, options = by_mujoco(path.parent), {"root": path.parent, "missing_meshes": True}
        bare = re.sub(r"<inertial\b[^>]*?/>|<inertial\b.*?</inertial>", "", text, flags=re.S)
    else:
        accepts, options = by_pinocchio, {}
        bare = re.sub(r"<inertial\s*/>|<inertial\b.*?</inertial>", "", text, flags=re.S)

    def case(variant: str, source: Any, peer: str, **more: Any) -> Case:
        return Case(variant, name, source, {**options, **more}, peer, accepts)

    yield case("as it is", text, text)
    yield case("without inertias", bare, bare)
    if _kind(text) == "urdf":
        yield case("in xacro", _wrapped(text, place), text, xacro=True)
        if (world := _world(text)) is not None:
            yield case("one model of an SDF world", world, text, model="robot")
            yield case("all models of an SDF world", world, text, model="*")
    else:
        room = text.replace("</worldbody>", f"<body name='{ROOM}'/></worldbody>", 1)
        top = re.search(r"<worldbody>.*?<body[^>]*?name=\"([^\"]+)\"", text, flags=re.S)
        if top:
            yield case("one model of an MJCF world", room, room, model=ROOM)
    for _ in range(damages):
        damaged = _damaged(draw, text)
        yield case("damaged at random", damaged, damaged)


def _wrapped(text: str, place: Path) -> Path:
    """Return a xacro file that includes a URDF of another package by its name."""
    package = place / ROOM
    (package / "urdf").mkdir(parents=True, exist_ok=True)
    (package / "package.xml").write_text(f"<package><name>{ROOM}</name></package>")
    # the include takes the children of the root
    (package / "urdf" / "robot.urdf").write_text(text, encoding="utf-8")
    robot = re.search(r"<robot[^>]*?name=\"([^\"]*)\"", text)
    wrapper = package / "urdf" / "robot.urdf.xacro"
    wrapper.write_text(
        f'<robot name="{robot[1] if robot else "robot"}" '
        'xmlns:xacro="http://www.ros.org/wiki/xacro">'
        f'<xacro:include filename="$(find {ROOM})/urdf/robot.urdf"/></robot>'
    )
    return wrapper


def _world(text: str) -> str | None:
    """Return an SDF world with a robot and a box, as we write it; None if we cannot read it."""
    try:
        robot = da.load(text, repair=True, accept_nonphysical=True)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "robot.sdf"
            da.save(robot, path, drop=True)
            model = path.read_text(encoding="utf-8")
    except da.DalembertError:
        return None
    model = re.sub(r"<model name=\"[^\"]*\"", '<model name="robot"', model, count=1)
    box = (
        f'<model name="{ROOM}"><link name="box"><inertial><mass>1</mass><inertia><ixx>1</ixx>'
        "<iyy>1</iyy><izz>1</izz></inertia></inertial></link></model>"
    )
    return model.replace("<model", '<world name="w"><model', 1).replace(
        "</sdf>", f"{box}</world></sdf>"
    )


def _damaged(draw: random.Random, text: str) -> str:
    """Return a text with a few attributes or lines changed, so that it mostly stays XML."""
    lines = text.split("\n")
    for _ in range(draw.choice([1, 1, 2, 4])):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        match draw.randrange(6):
            case 0 if len(lines) > 2:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case _:
                parts = lines[at].split('"')
                if len(parts) > 2:
                    # every second part stands between quotes
                    k = draw.randrange(1, len(parts), 2)
                    parts[k] = draw.choice([draw.choice(WORDS), "-" + parts[k], parts[k] + "x"])
                    lines[at] = '"'.join(parts)
    return "\n".join(lines)


def outcome(case: Case) -> tuple[str, str]:
    """Return how a case ends, and the reason or message."""
    try:
        da.load(case.source, **case.options)
    except da.DalembertError as error:
        message = str(error)
    else:
        return LOADS, ""
    if not case.accepts(case.peer):
        return PEER, message
    more: dict[str, Any] = {"accept_nonphysical": True}
    if "missing_meshes" not in case.options:
        more["repair"] = True
    try:
        da.load(case.source, **{**case.options, **more})
    except da.DalembertError:
        pass
    else:
        return OPTION, message
    for pattern, reason in REASONS.items():
        if re.search(pattern, message.split("\n")[0]):
            return REASON, reason
    return OPEN, message


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--damages", type=int, default=10, help="for each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    options = parser.parse_args()
    draw, counts, reasons = random.Random(options.seed), Counter(), Counter()
    opened: list[str] = []
    robots = files()
    for path in robots:
        with tempfile.TemporaryDirectory() as place:
            for case in cases(path, options.damages, draw, Path(place)):
                end, why = outcome(case)
                counts[case.variant, end] += 1
                reasons[why] += end == REASON
                if end == OPEN:
                    opened.append(f"{case.name}, {case.variant}: {why}")
                    print(opened[-1], flush=True)
    text = _report(len(robots), counts, reasons)
    print(text)
    if options.write and not opened:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        PAGE.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}", encoding="utf-8")
    return bool(opened)


def _report(num_robots: int, counts: Counter, reasons: Counter) -> str:
    """Return the counts and reasons as Markdown."""
    ends = (LOADS, OPTION, PEER, REASON)
    heads = ("texts", "load", "load with an option", "refused by others too", "reason below")
    lines = [f"| {num_robots} files | {' | '.join(heads)} |", "|---" + "|---:" * 5 + "|"]
    for variant in dict.fromkeys(variant for variant, _ in counts):
        total = sum(n for (v, _), n in counts.items() if v == variant)
        row = [f"{counts[variant, end]:,}" for end in ends]
        lines.append(f"| {variant} | {total:,} | {' | '.join(row)} |")
    found = [f"- {n}: {reason}" for reason, n in reasons.most_common() if n]
    return "\n".join([*lines, "", *found])


if __name__ == "__main__":
    sys.exit(main())
