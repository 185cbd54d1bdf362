"""Write a mechanism as MJCF that MuJoCo compiles to the same dynamics."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.errors import InvalidMechanism
from dalembert.files import write_whole
from dalembert.mechanism.io.mjcf.bodies import WORLD, Body, body_tree
from dalembert.mechanism.io.mjcf.write_coupling import Equality, equality
from dalembert.mechanism.io.mjcf.write_shape import GeomWriter, placed
from dalembert.mechanism.io.mjcf.write_tendon import fixed_tendon, is_tendon, tendon
from dalembert.mechanism.io.state_layouts.mujoco import to_mujoco
from dalembert.mechanism.io.xml.write import distinct, indented, numbers, require_numbers, tag
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.closure import Coupling
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Frame
from dalembert.spatial.arrays import to_mat
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.quaternion import from_matrix
from dalembert.spatial.vectors import ZERO

TYPES = {
    JointKind.REVOLUTE: "hinge",
    JointKind.CONTINUOUS: "hinge",
    JointKind.PRISMATIC: "slide",
    JointKind.SPHERICAL: "ball",
    JointKind.FLOATING: "free",
}
# attributes of <joint> for the numbers of a resistance
RESISTANCE = {
    "damping": "damping",
    "friction": "frictionloss",
    "stiffness": "stiffness",
    "rest": "springref",
}
# A + B ≥ C is checked without a tolerance; principal moments come with this relative rounding
ROUNDING = 1e-14
# a name that MuJoCo may take for a format when it prints it; files are read under names of our own
MISREAD = re.compile(r' (?!file=)\w+="([^"]*%[^"]*)"')


def save_mjcf(mechanism: Mechanism, path: str | os.PathLike[str] | None = None) -> str:
    """Return the MJCF text, and write it to ``path`` where one is given.

    Massless links between two joints become one body with several joints. Loops become connect and
    weld constraints between sites, couplings and mimic joints joint equalities, frames sites,
    springs between parts tendons.

    Shapes become geoms: what only is seen touches nothing, what touches does so in MuJoCo too. A
    mesh is left out unless its file was found (``path``), since MuJoCo opens it.

    Raises:
        InvalidMechanism: parameters without values, helical joints, moving links without inertia:
            what MuJoCo cannot have.

    >>> from dalembert.mechanism import Builder
    >>> arm = (
    ...     Builder("arm").link("a", mass=2, inertia=(1, 1, 1)).revolute("j", "a", axis="y").build()
    ... )
    >>> print(save_mjcf(arm), end="")
    <mujoco model="arm">
      <compiler angle="radian" inertiafromgeom="false"/>
      <option gravity="0 0 -9.81"/>
      <worldbody>
        <body name="a">
          <joint name="j" type="hinge" axis="0 1 0"/>
          <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
        </body>
      </worldbody>
    </mujoco>
    """
    require_numbers(mechanism, "MJCF")
    joints = [j for j in mechanism.joints if j.spins or set(j.resistance.forces) - set(RESISTANCE)]
    motors = [actuator for actuator in mechanism.actuators if not actuator.is_plain]
    springs = [spring for spring in mechanism.springs if not is_tendon(spring)]
    if not mechanism.actuators and (idle := [j for j in mechanism.joints if j.passive]):
        raise InvalidMechanism(
            f"expected actuators on the driven joints of {mechanism.name} to write MJCF, got none "
            f"beside the passive joint {idle[0].name!r}: give them actuators, write JSON, or save "
            "with drop=True"
        )
    if refused := [*motors, *springs, *joints]:
        raise InvalidMechanism(
            f"expected no motors with rotors or friction, springs that push or have laws, Stribeck "
            f"friction and rotors in {mechanism.name} for MJCF, got {refused[0].name!r}: write "
            "JSON, put rotors into the armature, or save with drop=True"
        )
    text = "\n".join(_Writer(mechanism).lines()) + "\n"
    if formats := MISREAD.search(text):
        raise InvalidMechanism(
            f"expected names without %, which MuJoCo misreads, got {formats[1]!r}: rename it"
        )
    if path is not None:
        write_whole(path, text.encode())
    return text


def merged_links(mechanism: Mechanism) -> set[str]:
    """Return the links that are no bodies of the MJCF: massless ones between two joints."""
    return {link.name for link in mechanism.links} - set(_Writer(mechanism).bodies().names())


class _Writer:
    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.shapes = GeomWriter(mechanism.links)
        taken: set[str] = set()
        self.sites: dict[str, list[Frame]] = {}
        self.site_names: dict[tuple[int, int], str] = {}
        for frame in mechanism.frames:
            self.add_site(frame._replace(name=distinct(frame.name, taken)))
        for i, loop in enumerate(mechanism.loops):
            for k, frame in enumerate((loop.first, loop.second)):
                name = self.site_names[i, k] = distinct(frame.name, taken)
                self.add_site(frame._replace(name=name))
        self.ends: dict[str, str] = {}
        for spring in mechanism.springs:
            for frame in spring[1:3]:
                if isinstance(frame, Frame):
                    name = self.ends[frame.name] = distinct(frame.name, taken)
                    self.add_site(frame._replace(name=name))

    def add_site(self, frame: Frame) -> None:
        self.sites.setdefault(frame.link, []).append(frame)

    def bodies(self) -> Body:
        return body_tree(self.mechanism, keep=set(self.sites))

    def lines(self) -> list[str]:
        world = self.bodies()
        assets = self.shapes.assets()
        inside = [
            '<compiler angle="radian" inertiafromgeom="false"/>',
            tag("option", {"gravity": numbers(self.mechanism.gravity)}),
            *(["<asset>", *indented(assets), "</asset>"] if assets else []),
            "<worldbody>",
            *indented(self.body_content(world)),
            "</worldbody>",
        ]
        couplings = self.couplings()
        springs = [line for x in self.mechanism.springs for line in tendon(x, self.ends)]
        shafts = [line for x in self.mechanism.actuators for line in self.shaft(x)]
        if tendons := [*springs, *shafts, *(line for x in couplings for line in x.tendon)]:
            inside += ["<tendon>", *indented(tendons), "</tendon>"]
        if equalities := [*self.loops(), *(x.element for x in couplings)]:
            inside += ["<equality>", *indented(equalities), "</equality>"]
        if motors := [self.motor(actuator) for actuator in self.mechanism.actuators]:
            inside += ["<actuator>", *indented(motors), "</actuator>"]
        if keys := self.keyframes():
            inside += ["<keyframe>", *indented(keys), "</keyframe>"]
        model = tag("mujoco", {"model": self.mechanism.name}, open=True)
        return [model, *indented(inside), "</mujoco>"]

    def body_content(self, body: Body) -> list[str]:
        """Return joints, inertia, sites and children of a body."""
        lines = [self.joint(joint, X_CJ) for joint, X_CJ in body.joints]
        link = self.mechanism.link(body.name) if body.name is not None else None
        # MuJoCo's world has none; it does not move
        if link is not None and not link.is_massless and link.name != WORLD:
            lines.append(inertial(link.inertia, link.name))
        if link is not None:
            lines += self.shapes.geoms(link)
        for site in self.sites.get(body.name or "", []):
            lines.append(tag("site", {"name": site.name, **placed(site.placement)}))
        for child in body.children:
            attributes = {"name": child.name, **placed(child.placement)}
            lines.append(tag("body", attributes, open=True))
            lines += [*indented(self.body_content(child)), "</body>"]
        return lines

    def joint(self, joint: Joint, X_CJ: Pose) -> str:
        """Return a joint; ``X_CJ`` is its frame in the body at the reference position."""
        attributes: dict[str, Any] = {"name": joint.name, "type": TYPES[joint.kind]}
        if X_CJ.p != ZERO and joint.kind not in (JointKind.PRISMATIC, JointKind.FLOATING):
            attributes["pos"] = numbers(X_CJ.p)
        if joint.is_scalar:
            R = np.array(X_CJ.R, dtype=float)
            attributes["axis"] = numbers(R @ np.array(joint.axis, dtype=float))
            attributes["ref"] = joint.reference
            # MuJoCo wants ranges that are more than a point
            lower, upper, effort = joint.limits.lower, joint.limits.upper, joint.limits.effort
            if lower is not None and upper is not None and lower < upper:
                attributes["range"] = numbers((lower, upper))
            if effort:
                attributes["actuatorfrclimited"] = "true"
                attributes["actuatorfrcrange"] = numbers((-effort, effort))
        attributes["armature"] = joint.armature
        attributes |= {
            attribute: getattr(joint.resistance, name) for name, attribute in RESISTANCE.items()
        }
        if not joint.resistance.stiffness:
            del attributes["springref"]
        return tag("joint", {k: v for k, v in attributes.items() if isinstance(v, str) or v})

    def motor(self, actuator: Actuator) -> str:
        """Return an actuator; its force reaches its joints times its gear."""
        on = {"tendon": _shaft(actuator)} if actuator.others else {"joint": actuator.joint}
        attributes = {"name": actuator.name, **on, "gear": actuator.gear_ratio}
        if actuator.effort is not None:
            bounds = numbers((-actuator.effort, actuator.effort))
            attributes |= {"forcelimited": "true", "forcerange": bounds}
        return tag("motor", attributes)

    def shaft(self, actuator: Actuator) -> list[str]:
        """Return the tendon of an actuator that drives several joints."""
        named = {"name": _shaft(actuator)}
        return fixed_tendon(named, actuator.terms) if actuator.others else []

    def keyframes(self) -> list[str]:
        """Return the keyframes; qpos is in the order of MuJoCo's joints."""
        found, rest = [], [0.0] * self.mechanism.nv
        for keyframe in self.mechanism.keyframes:
            q = np.array(keyframe.configuration(self.mechanism.joints), dtype=float)
            qpos, _ = to_mujoco(self.mechanism, q, rest)
            found.append(tag("key", {"name": keyframe.name, "qpos": numbers(qpos)}))
        return found

    def loops(self) -> list[str]:
        kinds = {"point": "connect", "frame": "weld"}
        return [
            tag(
                kinds[loop.kind],
                {
                    "name": loop.name,
                    "site1": self.site_names[i, 0],
                    "site2": self.site_names[i, 1],
                },
            )
            for i, loop in enumerate(self.mechanism.loops)
        ]

    def couplings(self) -> list[Equality]:
        mimics = [
            Coupling.of(f"{joint.name}/mimic", joint.name, m.joint, (m.offset, m.multiplier))
            for joint in self.mechanism.joints
            if (m := joint.mimic)
        ]
        return [equality(x, self.mechanism) for x in (*mimics, *self.mechanism.couplings)]


def _shaft(actuator: Actuator) -> str:
    """Return the name of the tendon of an actuator that drives several joints."""
    return f"{actuator.name}/motor"


def inertial(inertia: Inertia, link: str) -> str:
    """Return the inertia by principal axes: MuJoCo's own search for them is less exact."""
    if not inertia.m:
        raise InvalidMechanism(
            f"expected link {link!r} with a mass, got a moment of inertia without one: MuJoCo "
            "needs both; use the joint's armature for rotors"
        )
    inertia = inertia.map(Fraction)
    tensor = np.array(inertia.about_com(), dtype=float)
    # a diagonal tensor keeps its axes, and its decimals
    diagonal = np.array_equal(tensor, np.diag(np.diag(tensor)))
    moments, axes = (np.diag(tensor), np.eye(3)) if diagonal else np.linalg.eigh(tensor)
    moments = _triangle(np.array(moments), link)
    if np.linalg.det(axes) < 0:
        axes[:, 2] = -axes[:, 2]
    quaternion = {} if diagonal else {"quat": numbers(from_matrix(to_mat(axes)))}
    return tag(
        "inertial",
        {
            "pos": numbers(inertia.com()),
            **quaternion,
            "mass": inertia.m,
            "diaginertia": numbers(moments),
        },
    )


def _triangle(moments: np.ndarray, link: str) -> np.ndarray:
    """Return moments with A + B ≥ C also after rounding; refuse what is wrong by more."""
    a, b, c = np.argsort(moments)
    if -ROUNDING * moments[c] <= moments[a] < 0:
        # a rod: nothing about its own axis
        moments[a] = 0.0
    excess = moments[c] - (moments[a] + moments[b])
    if 0 < excess <= ROUNDING * moments[c]:
        moments[c] = moments[a] + moments[b]
    elif excess > 0 or moments[a] < 0:
        raise InvalidMechanism(
            f"expected an inertia of link {link!r} that MuJoCo accepts, got principal moments "
            f"{moments[a]:.6g}, {moments[b]:.6g}, {moments[c]:.6g} of no body: correct it, or "
            "save with drop=True to write the nearest one that a body has"
        )
    return moments
