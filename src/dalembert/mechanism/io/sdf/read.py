"""Read SDF (1.5 to 1.12): strictly, every fault reported with file, line, element and remedy."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.sdf.assemble import assemble, without_world
from dalembert.mechanism.io.sdf.include import Includes
from dalembert.mechanism.io.sdf.joint import JointElement, read_joint
from dalembert.mechanism.io.sdf.link import read_link
from dalembert.mechanism.io.sdf.places import MODEL, WORLD, Item, Places, short
from dalembert.mechanism.io.sdf.values import child_flag, child_numbers, pose_of
from dalembert.mechanism.io.urdf.read import repairs_of
from dalembert.mechanism.io.xml.attributes import check_children, only_child, read_name
from dalembert.mechanism.io.xml.diagnosis import Diagnosis, Report, shown
from dalembert.mechanism.io.xml.source import Source, file_name, read_text
from dalembert.mechanism.io.xml.xml import Element, parse_xml
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Mechanism
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec

VERSIONS = tuple(f"1.{k}" for k in range(5, 13))
# what a <world> pulls with unless it says something else
WORLD_GRAVITY: Vec = (0, 0, exact(-9.8))
ALL, WORLD_LINK = "*", "world"
"""Stands for all models of a world; the link that they then stand on."""
CHILDREN = ("link", "joint", "frame", "model", "include", "pose", "static")
DYNAMIC = ("inertial", "mass", "inertia", "parent", "child", "axis", "limit", "mimic", "gravity")
MAX_NESTED = 20


def load_sdf(
    source: Source,
    *,
    repair: bool | Collection[str] = False,
    accept_nonphysical: bool = False,
    root: str | os.PathLike[str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    model: str | None = None,
) -> Mechanism:
    """Read the model of an SDF file, or of its text; of several, one by name or all.

    Only the given file is opened, and what it includes below ``root`` or ``packages``; meshes are
    names, see `locate_meshes`. A model that no joint holds to the world floats, as in Gazebo and
    Drake; parts of nested models are named ``model::part``. A joint that closes a ring becomes a
    loop. The initial position is q = 0. What is repaired, doubtful or ignored is listed in
    ``notes``.

    Args:
        source: a path; or the text itself: bytes, or a string that starts with ``<``.
        repair: what may be repaired, as in `load_urdf`.
        accept_nonphysical: keep inertias that no body has.
        root: the folder that files named by plain paths must be in.
        packages: folders for ``model://name/…``, by name.
        model: the name of the model where a world has several; ``"*"`` stands for all of them on
            one root ``world``, each part named ``model::part``.

    Raises:
        InvalidMechanism: the file is wrong; the message has one line for each error, with the
            line in the file, the element, and what to do.

    Reference: http://sdformat.org/spec

    >>> arm = load_sdf('''<sdf version="1.9"><model name="pendulum"><link name="rod">
    ...   <inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy>
    ...     <izz>0.01</izz></inertia></inertial></link>
    ...   <joint name="hinge" type="revolute"><parent>world</parent><child>rod</child>
    ...     <axis><xyz>0 1 0</xyz></axis></joint></model></sdf>''')
    >>> print(arm)
    pendulum: 2 links, 1 degree of freedom
      world → rod  revolute hinge  v[0]
    """
    includes = Includes(source, root, packages)
    report, mechanism = _read(source, repair, accept_nonphysical, includes, model)
    report.raise_errors()
    assert mechanism is not None
    return mechanism


def diagnose_sdf(source: Source) -> tuple[Diagnosis, ...]:
    """Return every finding in an SDF file as data, where `load_sdf` raises the errors."""
    return tuple(_read(source, False, False, Includes(source, None, None))[0].diagnoses)


def _read(
    source: Source,
    repair: bool | Collection[str],
    accept_nonphysical: bool,
    includes: Includes,
    wanted: str | None = None,
) -> tuple[Report, Mechanism | None]:
    report = Report(file_name(source), repairs_of(repair), accept_nonphysical=accept_nonphysical)
    text = read_text(source, report)
    sdf = parse_xml(text, report) if text is not None else None
    if sdf is None or not _is_sdf(report, sdf):
        return report, None
    world = _models(report, sdf, includes, wanted)
    if world is None:
        return report, None
    found = []
    for model in world.models:
        contents = _Contents(report, includes)
        contents.model(model, "", WORLD, 0)
        mechanism = (
            None if report.has_errors else _mechanism(report, contents, model, world.gravity)
        )
        if mechanism is None:
            return report, None
        found.append(mechanism)
    if wanted != ALL:
        return report, found[0]
    return report, _forest(world, found, report.notes())


def _forest(world: _World, models: list[Mechanism], notes: tuple[str, ...]) -> Mechanism:
    """Return all models on one root that does not move."""
    forest = Mechanism(world.name, (Link(WORLD_LINK),), (), world.gravity)
    for model in models:
        # what the reading found is noted once, not for every model
        forest = forest.attach(replace(model, notes=()), WORLD_LINK, prefix=f"{model.name}::")
    return replace(forest, notes=notes)


def _is_sdf(report: Report, sdf: Element) -> bool:
    if sdf.tag != "sdf":
        remedy = {"robot": "this is a URDF, load it as one", "mujoco": "this is an MJCF file"}
        message = f"expected the root <sdf>, got <{sdf.tag[:40]}>"
        report.error(sdf, "", message, remedy.get(sdf.tag, "give an SDF file"))
        return False
    version = sdf.attributes.get("version", "")
    if version not in VERSIONS:
        message = f"expected SDF version {VERSIONS[0]} to {VERSIONS[-1]}, got {shown(version)}"
        report.error(sdf, "", message, "convert the file, as with gz sdf --print", "version")
        return False
    return True


class _World(NamedTuple):
    """The models of a file that are wanted, and gravity."""

    name: str
    models: list[Element]
    gravity: Vec


def _models(report: Report, sdf: Element, includes: Includes, wanted: str | None) -> _World | None:
    """Return the one model of a file, the one that is wanted, or all."""
    worlds = sdf.all("world")
    top = worlds[0] if worlds else sdf
    gravity: Vec = STANDARD_GRAVITY
    if worlds:
        values = child_numbers(report, top, "gravity", "the world", 3)
        gravity = (values[0], values[1], values[2]) if values else WORLD_GRAVITY
        for child in top.children:
            if child.tag not in ("model", "include", "gravity"):
                report.tally(f"<{child.tag[:40]}> of <world>", child.line)
    models = [
        *top.all("model"),
        *(m for x in top.all("include") for m in includes.model(report, x)),
    ]
    names = [m.attributes.get("name", "") for m in models]
    chosen = models
    if wanted not in (None, ALL):
        chosen = [m for m, name in zip(models, names, strict=True) if name == wanted]
    if len(worlds) > 1 or not chosen or (len(chosen) > 1 and wanted != ALL):
        listed = ", ".join(map(shown, names[:6])) + ", …" * (len(names) > 6)
        what = "one <model>" if wanted in (None, ALL) else f"a model {shown(str(wanted))}"
        message = f"expected {what}, got {len(models)}{': ' * bool(models)}{listed}"
        if not report.has_errors:
            remedy = "choose one with model=, or all with model='*'" if models else "add the model"
            report.error(top, "", message, remedy)
        return None
    return _World(top.attributes.get("name") or "world", chosen, gravity)


@dataclass
class _Contents:
    """The parts of a model and of all models in it, by full names."""

    report: Report
    includes: Includes
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, JointElement] = field(default_factory=dict)
    frames: dict[str, Element] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = Places(self.report)

    def model(self, element: Element, scope: str, outer: str, depth: int) -> None:
        """Add the contents of a model whose parts are named with the prefix ``scope``."""
        report = self.report
        if depth > MAX_NESTED:
            message = f"expected at most {MAX_NESTED} models inside each other, got more"
            report.error(element, "", message, "check what wrote the file")
            return
        check_children(report, element, "", CHILDREN, DYNAMIC)
        models = [*element.all("model")]
        for include in element.all("include"):
            models += self.includes.model(report, include)
        for child in element.children:
            if child.tag in ("link", "joint", "frame"):
                self.part(child, scope)
        for model in models:
            name = read_name(report, model)
            if name is not None:
                self.model(model, f"{scope}{name}::", scope + MODEL, depth + 1)
        own = _pose_element(report, element, "")
        item = Item(
            element,
            outer.removesuffix(MODEL) if outer != WORLD else "",
            own[0],
            own[1] or (MODEL if outer != WORLD else WORLD),
            self.canonical_link(element, scope),
            element.attributes.get("placement_frame", ""),
        )
        self.places.add(scope + MODEL, item)

    def canonical_link(self, element: Element, scope: str) -> str:
        """Return the link that a model's frame moves with, as seen from outside the model."""
        named = element.attributes.get("canonical_link", "")
        inner = [x for x in self.links if x.startswith(scope)]
        found = scope + named if named else (inner[0] if inner else WORLD)
        if named and found not in self.links:
            message = f"expected a link of the model as canonical_link, got {shown(named)}"
            self.report.error(element, "", message, "name one", "canonical_link")
        # the item's scope is the model around it
        outer = scope.removesuffix("::").rpartition("::")
        return found.removeprefix(f"{outer[0]}::" if outer[0] else "")

    def part(self, element: Element, scope: str) -> None:
        """Add a link, joint or frame."""
        report, name = self.report, read_name(self.report, element)
        if name is None:
            return
        owner = f"{element.tag} {shown(name)}"
        pose, relative_to = _pose_element(report, element, owner)
        full, default, attached = scope + name, MODEL, None
        if element.tag == "link":
            self.links.setdefault(full, read_link(report, element, full, owner))
        elif element.tag == "joint":
            joint = read_joint(report, element, full, scope)
            if joint is None:
                return
            self.joints.setdefault(full, joint)
            default, attached = joint.child, joint.child
        else:
            self.frames.setdefault(full, element)
            attached = element.attributes.get("attached_to") or MODEL
            default = attached
        item = Item(element, scope, pose, relative_to or default, attached)
        self.places.add(full, item)


def _pose_element(report: Report, element: Element, owner: str) -> tuple[Pose, str]:
    """Return the <pose> of an element, and what it is relative to; "" for the default."""
    pose = only_child(report, element, "pose", owner)
    if pose is None:
        return Pose(), ""
    if pose.attributes.get("frame"):
        message = "expected poses relative_to others, got the attribute frame of SDF 1.6"
        report.error(pose, owner, message, "write it relative to the model", "frame")
    return pose_of(report, pose, owner), pose.attributes.get("relative_to", "")


def _mechanism(
    report: Report, contents: _Contents, model: Element, gravity: Vec
) -> Mechanism | None:
    places = contents.places
    name = read_name(report, model) or "model"
    if not contents.links:
        report.error(model, "", "expected at least one <link>, got none", "add the links")
        return None
    static = child_flag(report, model, "static", "", False)
    parts = assemble(report, places, contents.links, contents.joints, static=static)
    for full in contents.frames:
        if (link := places.link_of(full)) is not None:
            X = short(places.in_world(link).inverse() @ places.in_world(full))
            parts.frames.append(Frame(full, link, X))
    if report.has_errors:
        return None
    parts = without_world(parts)
    try:
        return Mechanism(
            name,
            tuple(parts.links),
            tuple(parts.joints),
            gravity,
            tuple(parts.frames),
            tuple(parts.loops),
            notes=report.notes(),
            accept_nonphysical=report.accept_nonphysical,
        )
    except InvalidMechanism as error:
        report.error(model, "", str(error), "")
        return None
