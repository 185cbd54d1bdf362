"""One double pendulum in five spellings of SDF, for tests of the reader.

Both rods turn about y; at q = 0 the upper one hangs from (0, 0, 2), the lower one is turned by 90°
about z against it, so that frames, axes and inertias must all be taken in the right frame.
"""

from __future__ import annotations

UPPER = """<inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia>
  <ixx>0.2</ixx><iyy>0.3</iyy><izz>0.15</izz></inertia></inertial>"""
# its own y is the model's -x: the moment about the model's y is ixx
LOWER = """<inertial><pose>0 0 -0.25 0 0 0</pose><mass>1</mass><inertia>
  <ixx>0.1</ixx><iyy>0.12</iyy><izz>0.05</izz></inertia></inertial>"""
QUARTER = "1.5707963267948966"


def model(contents: str, version: str = "1.9", name: str = "pendulum", attributes: str = "") -> str:
    return f'<sdf version="{version}">\n<model name="{name}" {attributes}>{contents}</model></sdf>'


SPELLINGS = {
    # poses of links in the model, axes in the frame of the joint, which is that of the child
    "1.6": model(
        f"""<link name="upper"><pose>0 0 2 0 0 0</pose>{UPPER}</link>
    <link name="lower"><pose>0 0 1 0 0 {QUARTER}</pose>{LOWER}</link>
    <joint name="j1" type="revolute"><parent>world</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="j2" type="revolute"><parent>upper</parent><child>lower</child>
      <axis><xyz>1 0 0</xyz></axis></joint>""",
        "1.6",
    ),
    "1.6 with axes of the model": model(
        f"""<link name="upper"><pose>0 0 2 0 0 0</pose>{UPPER}</link>
    <link name="lower"><pose>0 0 1 0 0 {QUARTER}</pose>{LOWER}</link>
    <joint name="j1" type="revolute"><parent>world</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="j2" type="revolute"><parent>upper</parent><child>lower</child>
      <axis><xyz>0 1 0</xyz><use_parent_model_frame>true</use_parent_model_frame></axis></joint>""",
        "1.6",
    ),
    "relative poses in degrees": model(
        f"""<link name="upper"><pose relative_to="j1"/>{UPPER}</link>
    <link name="lower"><pose relative_to="j2" degrees="true">0 0 0 0 0 90</pose>{LOWER}</link>
    <joint name="j1" type="revolute"><pose relative_to="__model__">0 0 2 0 0 0</pose>
      <parent>world</parent><child>upper</child><axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="j2" type="revolute"><pose relative_to="upper">0 0 -1 0 0 0</pose>
      <parent>upper</parent><child>lower</child><axis><xyz>0 1 0</xyz></axis></joint>"""
    ),
    "frames and quaternions": model(
        f"""<frame name="top"><pose>0 0 2 0 0 0</pose></frame>
    <frame name="knee" attached_to="upper"><pose>0 0 -1 0 0 0</pose></frame>
    <link name="upper"><pose relative_to="top"/>{UPPER}</link>
    <link name="lower"><pose relative_to="knee" rotation_format="quat_xyzw">
      0 0 0  0 0 1 1</pose>{LOWER}</link>
    <joint name="j1" type="revolute"><parent>world</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="j2" type="revolute"><parent>knee</parent><child>lower</child>
      <axis><xyz expressed_in="knee">0 1 0</xyz></axis></joint>"""
    ),
    "a model in a model": model(
        f"""<pose>0 0 2 0 0 0</pose><link name="upper">{UPPER}</link>
    <joint name="j1" type="revolute"><parent>world</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    <model name="leg" placement_frame="hip"><pose relative_to="upper">0 0 -1 0 0 {QUARTER}</pose>
      <frame name="hip"><pose>5 6 7 0 0 0</pose></frame>
      <link name="lower"><pose>5 6 7 0 0 0</pose>{LOWER}</link></model>
    <joint name="j2" type="revolute"><parent>upper</parent><child>leg::lower</child>
      <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>"""
    ),
}
