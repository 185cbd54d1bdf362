"""From xacro to C: check a file, reach around an obstacle, move smoothly, control, export.

Run: marimo edit notebooks/xacro_to_c.py, or as a script: python notebooks/xacro_to_c.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="From xacro to C")


@app.cell
def _():
    import tempfile
    from pathlib import Path

    # what the checks and the program of a tick need
    import daqp
    import marimo as mo
    import mujoco
    import numpy as np
    import pinocchio
    import xacro
    from matplotlib.figure import Figure

    import dalembert as da
    from dalembert import ik
    from dalembert.control import JerkLimits, WholeBody, check_path

    tools = (daqp, mujoco, pinocchio, xacro)
    folder = Path(tempfile.mkdtemp(prefix="xacro_to_c_"))
    return Figure, JerkLimits, WholeBody, check_path, da, folder, ik, mo, np, tools


@app.cell
def _(mo):
    mo.md(r"""
    # From xacro to C

    A cell with an arm and a post comes as a package of xacro files: a macro for the links, an
    argument for the place of the post, and `$(find …)` for the include. ROS is not needed.
    """)
    return


@app.cell
def _(folder):
    package = folder / "cell_description"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>cell_description</name></package>")
    (package / "urdf" / "macros.xacro").write_text("""<robot xmlns:xacro="http://ros.org/xacro">
    <xacro:macro name="rod" params="name parent axis at length mass effort">
      <link name="${name}">
        <xacro:property name="across" value="${mass * (3 * 0.04**2 + length**2) / 12}"/>
        <inertial><origin xyz="0 0 ${length / 2}"/><mass value="${mass}"/>
          <inertia ixx="${across}" iyy="${across}" izz="${mass * 0.04**2 / 2}"
            ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><origin xyz="0 0 ${length / 2}"/>
          <geometry><box size="0.07 0.07 ${length}"/></geometry></collision>
      </link>
      <joint name="${name}_joint" type="revolute">
        <origin xyz="0 0 ${at}"/><axis xyz="${axis}"/>
        <parent link="${parent}"/><child link="${name}"/>
        <limit lower="-2.8" upper="2.8" velocity="2.5" effort="${effort}"/>
      </joint>
    </xacro:macro></robot>""")
    path = package / "urdf" / "cell.urdf.xacro"
    _ = path.write_text("""<robot name="cell" xmlns:xacro="http://ros.org/xacro">
    <xacro:arg name="post" default="0.45"/>
    <xacro:include filename="$(find cell_description)/urdf/macros.xacro"/>
    <link name="base">
      <collision><origin xyz="$(arg post) 0 0.4"/>
        <geometry><box size="0.1 0.1 0.8"/></geometry></collision>
    </link>
    <xacro:rod name="column" parent="base" axis="0 0 1" at="0" length="0.3" mass="4" effort="150"/>
    <xacro:rod name="upper" parent="column" axis="0 1 0" at="0.4" length="0.4" mass="3"
      effort="150"/>
    <xacro:rod name="fore" parent="upper" axis="0 1 0" at="0.5" length="0.3" mass="2" effort="60"/>
    <xacro:rod name="wrist" parent="fore" axis="0 0 1" at="0.4" length="0.02" mass="1" effort="30"/>
    <xacro:rod name="hand" parent="wrist" axis="0 1 0" at="0.1" length="0.1" mass="0.5"
      effort="30"/>
    <link name="tip"/>
    <joint name="tip_joint" type="fixed"><origin xyz="0 0 0.15"/>
      <parent link="hand"/><child link="tip"/></joint>
    </robot>""")
    return (path,)


@app.cell
def _(da, path):
    # a xacro file is a program: it runs because we say so
    robot = da.load(path, xacro={"post": 0.4})
    robot
    return (robot,)


@app.cell
def _(mo):
    mo.md(r"""
    ## Check against two engines

    What do Pinocchio and MuJoCo make of the same file? Places, masses, inertias and torques are
    compared link by link.
    """)
    return


@app.cell
def _(da, path):
    checks = da.check_against(path, "pinocchio", "mujoco", xacro={"post": 0.4})
    for check in checks:
        print(check)
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Reach without a collision

    The hand shall go behind the post. A `Clearance` keeps 2 cm between all links that no joint
    joins.
    """)
    return


@app.cell
def _(da, ik, np, robot):
    model = da.compile(robot)
    clear = [ik.JointLimits(), ik.Clearance(0.02)]
    home = np.array([-0.9, 0.4, 1.2, 0.0, 0.8])
    reach = ik.PositionTask("tip", [0.45, 0.45, 0.35])
    found = ik.solve_ik(model, reach, home, limits=clear)
    print(f"inverse kinematics: {found.status}")
    print(f"nearest links are {1000 * model.distances(found.q).distance.min():.0f} mm apart")
    return clear, found, home, model


@app.cell
def _(mo):
    mo.md(r"""
    ## Move smoothly

    The straight way hits the post, as `check_path` says. A way over it, without a stop, is clear.
    All joints keep limits of speed, acceleration and jerk.
    """)
    return


@app.cell
def _(JerkLimits, check_path, clear, found, home, model, np):
    smooth = JerkLimits(velocity=1.5, acceleration=6.0, jerk=60.0)
    straight = smooth.motion(home, found.q)
    print(check_path(model, straight, limits=clear))
    raised = (home + found.q) / 2
    raised[1:3] = -0.3, 0.6
    motion = smooth.through(home, [raised], found.q)
    safe = check_path(model, motion, limits=clear, velocity=1.5, acceleration=6.0)
    print(safe)
    speed, acceleration = (np.max(x) for x in motion.peaks())
    print(f"{motion.duration:.2f} s, at most {speed:.2f} rad/s and {acceleration:.2f} rad/s²")
    return motion, safe


@app.cell
def _(mo):
    mo.md(r"""
    ## Control

    One quadratic program a tick finds torques that follow the motion within all limits, here as
    a controller at 500 Hz in the simulation.
    """)
    return


@app.cell
def _(WholeBody, da, home, ik, model, motion, np):
    # two links can reach the post: the tick looks at them alone
    near = ik.Clearance(0.02, [("base", "fore"), ("base", "hand")])
    law = WholeBody(
        model,
        [ik.PostureTask(home)],
        dt=0.002,
        stiffness=400.0,
        limits=[ik.JointLimits(), near],
        references=[motion],
    )
    times = np.linspace(0, motion.duration + 0.2, 80)
    sampled = da.simulation.Sampled(law, period=0.002)
    method = da.simulation.DOP853(rtol=1e-8, atol=1e-9)
    run = da.simulate(model, home, None, times, sampled, method=method)
    away = np.abs(run.q - motion(run.t).position).max()
    print(f"{run.status.split(' at ')[0]}; the joints stay within {1000 * away:.1f} mrad")
    least = model.distances(run.q).distance.min()
    print(f"nothing comes nearer than {1000 * least:.0f} mm")
    return law, run


@app.cell
def _(Figure, motion, run):
    figure = Figure(figsize=(8, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(motion.breaks, motion(motion.breaks).position, "k.")
    left.plot(run.t, run.q, label=run.q_names)
    left.set(xlabel="time in s", ylabel="joints in rad")
    left.legend(fontsize=7)
    right.plot(run.t, run.tau)
    right.set(xlabel="time in s", ylabel="torque in N m")
    figure
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## C

    The same tick, and the planner, as C99 with fixed sizes and without allocation.
    """)
    return


@app.cell
def _(JerkLimits, folder, law, mo):
    tick = law.source(prefix="cell")
    planner = JerkLimits([1.5] * 5, 6.0, 60.0).source(prefix="way")
    files = [*tick.save(folder), *planner.save(folder)]
    print("C:", *(f"{file.name} {file.stat().st_size / 1000:.0f} kB" for file in files))
    mo.accordion({"The header of the tick": tick})
    return


if __name__ == "__main__":
    app.run()
