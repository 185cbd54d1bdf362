"""Small models that together hold every element of MuJoCo's schema, and that schema itself."""

from __future__ import annotations

import importlib
import re
from typing import Any, NamedTuple

mujoco: Any = importlib.import_module("mujoco")

SETTINGS = """
<mujoco model="settings">
  <compiler angle="radian" autolimits="true" settotalmass="2" inertiagrouprange="0 5">
    <lengthrange accel="20" interval="2"/>
  </compiler>
  <option timestep="0.002" gravity="0 0 -9.81" o_solref="0.02 1" o_solimp="0.9 0.95 0.001 0.5 2">
    <flag contact="disable" energy="enable"/>
  </option>
  <size nuser_body="1" nkey="2" nconmax="10"/>
  <statistic center="0 0 0" extent="1" meansize="0.1"/>
  <visual>
    <global fovy="45" offwidth="64"/>
    <quality shadowsize="64"/>
    <headlight ambient="0.1 0.1 0.1" active="1"/>
    <map stiffness="100" znear="0.01"/>
    <scale framelength="1"/>
    <rgba fog="0 0 0 1" haze="1 1 1 1"/>
  </visual>
  <default>
    <mesh scale="1 1 1"/>
    <texture rgb1="1 1 1"/>
    <material rgba="1 1 1 1"><layer role="rgb" texture="t"/></material>
    <joint damping="0.1" range="-1 1"/>
    <geom size="0.1" rgba="1 0 0 1"/>
    <site size="0.01"/>
    <camera resolution="4 4"/>
    <light diffuse="1 1 1"/>
    <pair friction="1 1 0.1 0.1 0.1"/>
    <equality solref="0.02 1"/>
    <tendon width="0.01"/>
    <general gear="1"/><motor gear="1"/><position kp="1"/><velocity kv="1"/><intvelocity kp="1"/>
    <orientation kp="1"/><pid kp="1"/><damper kv="1"/><cylinder area="1"/><muscle force="1"/>
    <adhesion gain="1"/><dcmotor motorconst="1" resistance="1"/>
    <default class="soft"><joint stiffness="1"/></default>
  </default>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="4" height="4" rgb2="0 0 0"/>
    <texture name="g" type="cube" builtin="gradient" width="4" height="4" markrgb="1 1 1"/>
    <material name="m" texture="t" texrepeat="1 1"/>
    <material name="n"><layer texture="t" role="rgb"/></material>
    <hfield name="h" nrow="2" ncol="2" size="1 1 1 0.1" elevation="0 1 1 0"/>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1" refpos="0 0 0" refquat="1 0 0 0"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1" range="10"/>
    <camera name="c" pos="0 -2 1" xyaxes="1 0 0 0 0 1" resolution="4 4"/>
    <geom type="plane" size="1 1 0.1" material="m"/>
    <geom type="hfield" hfield="h" pos="0 0 -5"/>
    <body name="a" pos="0 0 1" euler="0.1 0 0" user="1" gravcomp="0.1">
      <freejoint name="f" group="0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="tetra" axisangle="0 0 1 0.3"/>
      <frame pos="0 0 0.5" quat="1 0 0 0">
        <body name="b" childclass="soft" zaxis="0 1 1">
          <joint name="j" axis="0 1 0" range="-2 2"/>
          <geom fromto="0 0 0 0 0 0.3" size="0.02" type="capsule" friction="1 0.1 0.1"/>
          <site name="s" pos="0 0 0.3" size="0.01"/>
        </body>
      </frame>
      <replicate count="2" offset="0.1 0 0" euler="0 0 0.1">
        <body><joint axis="1 0 0"/><geom size="0.02"/></body>
      </replicate>
    </body>
  </worldbody>
</mujoco>
"""

FORCES = """
<mujoco model="forces">
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1"/>
    <site name="target" pos="0 0 2" size="0.01"/>
    <body name="a" pos="0 0 1">
      <joint name="j" axis="0 1 0"/>
      <geom name="g" size="0.1"/>
      <site name="s" pos="0 0 0.1"/>
      <body name="b" pos="0.2 0 0">
        <joint name="k" type="slide" axis="1 0 0"/>
        <geom name="h" size="0.1" pos="0.3 0 0"/>
        <site name="t" pos="0 0 0.2"/>
      </body>
    </body>
    <body name="c" pos="0 1 1">
      <joint name="ball" type="ball"/>
      <geom name="i" size="0.1"/>
    </body>
    <body name="mocap" mocap="true"><geom size="0.01" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <pair geom1="ground" geom2="g" condim="3" friction="1 1 0.1 0.1 0.1" solref="0.02 1"/>
    <exclude body1="a" body2="c"/>
  </contact>
  <equality>
    <connect body1="a" body2="c" anchor="0 0 0.1" solimp="0.9 0.95 0.001"/>
    <connect site1="s" site2="target"/>
    <weld body1="a" body2="c" relpose="0 0 0 1 0 0 0" anchor="0 0 0" torquescale="1"/>
    <joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/>
    <tendon tendon1="fix" tendon2="path" polycoef="0 1 0 0 0"/>
  </equality>
  <tendon>
    <spatial name="path" springlength="0.1 0.2" stiffness="1" damping="0.1" width="0.01">
      <site site="target"/><geom geom="g" sidesite="s"/><site site="t"/>
      <pulley divisor="2"/><site site="s"/><site site="t"/>
    </spatial>
    <fixed name="fix" range="-1 1" limited="true">
      <joint joint="j" coef="1"/><joint joint="k" coef="-2"/>
    </fixed>
  </tendon>
  <actuator>
    <general joint="j" gainprm="2" biasprm="0 -1 0" dyntype="filter" dynprm="0.1" ctrlrange="-1 1"/>
    <motor name="m" joint="j" gear="2" forcerange="-3 3"/>
    <position joint="k" kp="10" kv="1"/><velocity joint="k" kv="1"/>
    <intvelocity joint="k" kp="1" actrange="-1 1"/>
    <orientation joint="ball" kp="1"/><pid joint="j" kp="1" ki="1"/>
    <damper joint="k" kv="1" ctrlrange="0 1"/><cylinder joint="k" diameter="0.1" bias="0 0 0"/>
    <muscle tendon="path" lengthrange="0.1 1" timeconst="0.01 0.04" force="10"/>
    <adhesion body="b" gain="1" ctrlrange="0 1"/>
    <dcmotor joint="j" motorconst="0.1 0.1" resistance="1" thermal="1 1 1 1 1 1"/>
  </actuator>
  <keyframe>
    <key name="home" time="1" qvel="0 0 0 0 0" mpos="0 0 1" mquat="1 0 0 0"/>
  </keyframe>
</mujoco>
"""

FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel")
FRAMES += ("frameangvel", "framelinacc", "frameangacc")
AT_SITES = ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")
OF_JOINTS = ("jointpos", "jointvel", "jointactuatorfrc", "jointlimitpos", "jointlimitvel")
OF_JOINTS += ("jointlimitfrc",)
OF_TENDONS = ("tendonpos", "tendonvel", "tendonactuatorfrc", "tendonlimitpos", "tendonlimitvel")
OF_TENDONS += ("tendonlimitfrc",)
SENSED = "".join(
    [
        *(f'<{x} objtype="site" objname="s" noise="0.1"/>' for x in FRAMES),
        *(f'<{x} site="s"/>' for x in AT_SITES),
        *(f'<{x} joint="j" user="1 2"/>' for x in OF_JOINTS),
        *(f'<{x} tendon="fix"/>' for x in OF_TENDONS),
        *(f'<{x} actuator="m"/>' for x in ("actuatorpos", "actuatorvel", "actuatorfrc")),
        *(f'<{x} joint="ball"/>' for x in ("ballquat", "ballangvel")),
        *(f'<{x} body="a"/>' for x in ("subtreecom", "subtreelinvel", "subtreeangmom")),
        *(f'<{x} geom1="g" geom2="h" cutoff="1"/>' for x in ("distance", "normal", "fromto")),
        *(f"<{x}/>" for x in ("e_potential", "e_kinetic", "clock")),
        '<camprojection site="s" camera="c"/><rangefinder site="s"/>',
        '<insidesite site="s" objtype="site" objname="t"/>',
        '<contact geom1="g" num="2" data="found force"/>',
        '<user dim="2" datatype="real" needstage="pos"/>',
    ]
)
SENSORS = f"""
<mujoco model="sensors">
  <size nuser_sensor="2"/>
  <worldbody>
    <camera name="c" pos="0 -2 1" resolution="4 4"/>
    <body name="a" pos="0 0 1">
      <joint name="j" range="-1 1" axis="0 1 0"/><geom name="g" size="0.1"/>
      <site name="s" size="0.2"/><site name="t" pos="0 0 0.2"/>
      <body name="b">
        <joint name="ball" type="ball"/><geom name="h" pos="0.5 0 0" size="0.1"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="fix" range="-1 1"><joint joint="j" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="j"/></actuator>
  <sensor>{SENSED}</sensor>
  <custom>
    <numeric name="n" size="60" data="1 2 3"/><text name="x" data="words"/>
    <tuple name="u"><element objtype="body" objname="a" prm="1"/></tuple>
  </custom>
</mujoco>
"""

FLEXIBLE = """
<mujoco model="flexible">
  <worldbody>
    <body name="a" pos="0 0 1">
      <flexcomp name="f" type="grid" count="2 2 1" spacing="0.1 0.1 0.1" mass="1" radius="0.01"
        dim="2" rgba="1 1 1 1">
        <edge damping="0.1" solref="0.02 1"/>
        <elasticity young="10" poisson="0.1" thickness="0.01"/>
        <contact condim="3" friction="1 0.1 0.1" solimp="0.9 0.95 0.001"/>
        <pin id="0" grid="1 1"/>
      </flexcomp>
    </body>
    <body name="v0"><joint type="slide"/><geom size="0.01"/></body>
    <body name="v1" pos="1 0 0"><joint type="slide"/><geom size="0.01"/></body>
    <body name="v2" pos="0 1 0"><joint type="slide"/><geom size="0.01"/></body>
  </worldbody>
  <deformable>
    <flex name="own" dim="2" body="v0 v1 v2" vertex="0 0 0 0 0 0 0 0 0" element="0 1 2"
      radius="0.1">
      <edge damping="1"/><contact condim="3"/><elasticity damping="1"/>
    </flex>
    <skin name="k" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">
      <bone body="v0" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>
    </skin>
  </deformable>
  <equality><flex flex="own" solref="0.02 1"/></equality>
</mujoco>
"""

EVERY = {"settings": SETTINGS, "forces": FORCES, "sensors": SENSORS, "flexible": FLEXIBLE}

WITHOUT = {
    # need a plugin, a second file, or a kind of flex that its own model would be needed for
    *("extension", "plugin", "instance", "config", "model", "attach", "tactile", "flexstrain"),
}
"""Elements of the schema that these models leave out."""


class SchemaElement(NamedTuple):
    """An element of MuJoCo's schema: tags from the root, and the names of its attributes."""

    path: tuple[str, ...]
    attributes: tuple[str, ...]


def schema() -> list[SchemaElement]:
    """Return MuJoCo's schema, as it prints it."""
    found: list[tuple[tuple[str, ...], list[str]]] = []
    path: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if head := re.match(r"( *)(\S+) \([!*?R@]\)\s*(.*)$", line):
            path[len(head[1]) // 3 :] = [head[2].removeprefix("(world)")]
            found.append((tuple(path), head[3].split()))
        elif line.strip():
            found[-1][1].extend(line.split())
    return [SchemaElement(tags, tuple(names)) for tags, names in found]
