"""An engineer's day: load an arm, edit and save it, reach, track, simulate friction, export C.

Run: marimo edit notebooks/engineers_day.py, or as a script: python notebooks/engineers_day.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="An engineer's day")


@app.cell
def _():
    import tempfile
    from pathlib import Path

    import marimo as mo
    import numpy as np
    from matplotlib.figure import Figure

    import dalembert as da

    folder = Path(tempfile.mkdtemp(prefix="engineers_day_"))
    return Figure, da, folder, mo, np


@app.cell
def _(mo):
    mo.md(r"""
    # An engineer's day

    ## Load

    A robot comes as a file or as text, such as `robot_description` of ROS. Here the text is that
    of a UR5e, with the damping and dry friction that URDF has for its joints.
    """)
    return


@app.cell
def _(da, folder):
    da.save(da.textbook.robots.ur5e(), folder / "ur5e.urdf")
    bare = (folder / "ur5e.urdf").read_text(encoding="utf-8")
    drive = '    <dynamics damping="2.0" friction="0.1"/>\n'
    lines = bare.splitlines(keepends=True)
    # the line <limit …/> is there for every joint that moves
    text = "".join(line + drive * line.lstrip().startswith("<limit") for line in lines)
    arm = da.load(text)
    arm
    return (arm,)


@app.cell
def _(mo):
    mo.md(r"""
    ## Edit

    Every edit gives a new robot, checked like one from a file: a gripper on the flange, a load in
    it, the fingers held where they grip.
    """)
    return


@app.cell
def _(mo):
    load = mo.ui.slider(0.0, 5.0, 0.5, value=2.0, label="load in kg")
    load
    return (load,)


@app.cell
def _(arm, da, load):
    finger = {"mass": 0.1, "inertia": (1e-4, 1e-4, 1e-4)}
    gripper = (
        da.Builder("gripper", root="palm")
        .link("left", **finger)
        .prismatic("slide", "left", axis="y", limits=(0, 0.04))
        .link("right", **finger)
        .prismatic("follower", "right", parent="palm", axis="-y", mimic=("slide", 1))
        .build()
    )
    with_gripper = arm.attach(gripper, "flange", prefix="grip_")
    gripping = with_gripper.lock("grip_slide", at={"grip_slide": 0.02}).reduce()
    robot = gripping
    if load.value > 0:
        robot = gripping.with_payload("link6", mass=load.value, com=(0, 0, 0.15))
    print(f"{float(robot.total_mass - arm.total_mass):.1f} kg more than the bare arm")
    robot
    return gripping, robot, with_gripper


@app.cell
def _(mo):
    mo.md(r"""
    ## Save

    In every format. What a format cannot hold is written by what comes nearest, and said.
    """)
    return


@app.cell
def _(da, folder, mo, with_gripper):
    rows = []
    for ending in ("urdf", "xml", "sdf", "json"):
        path = folder / f"gripper_arm.{ending}"
        notes = da.save(with_gripper, path, drop=True)
        try:
            back = f"{da.load(path).degrees_of_freedom} degrees of freedom"
        except da.MissingDependency as error:
            back = str(error)
        said = "; ".join(map(str, notes)) or "nothing"
        rows.append({"file": path.name, "read again": back, "left out": said})
    mo.ui.table(rows, selection=None)
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Compile and reach

    `da.compile` gives functions of arrays. Inverse kinematics says why when it fails.
    """)
    return


@app.cell
def _(da, robot):
    model = da.compile(robot)
    model
    return (model,)


@app.cell
def _(da, model, np):
    home = np.array([0.0, -1.2, 1.6, -1.9, -1.5, 0.0])
    goal = model.forward_kinematics(home, "flange")
    goal[:3, 3] += [0.1, 0.3, -0.15]
    found = da.solve_ik(model, goal, home, frame="flange")
    print(f"inverse kinematics: {found.status}")
    found
    return found, home


@app.cell
def _(da, model):
    da.solve_ik(model, da.ik.PositionTask("flange", [0, 0, 3.0]))
    return


@app.cell
def _(da, found, model):
    da.analysis.plot_arm(model, found.q, "flange", ellipsoids=()).figure
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Control and simulate

    The controller carries the weight of arm and gripper and knows neither the load nor friction:
    the arm sags with the load until the stiffness is raised. Dry friction sticks exactly: joints
    rest where it can hold them.
    """)
    return


@app.cell
def _(mo):
    stiffness = mo.ui.slider(
        200, 4000, 200, value=1000, label="stiffness of the shoulder in N m/rad"
    )
    stiffness
    return (stiffness,)


@app.cell
def _(da, found, gripping, home, model, np, stiffness):
    # from home to the goal in two seconds, as an expression, so that it is compiled too
    part = (1 - da.cos(da.pi * da.time / 2)) / 2
    reference = [a + (b - a) * part for a, b in zip(home, found.q, strict=True)]
    # the wrist is light
    K = stiffness.value * np.array([1, 1, 1, 0.2, 0.1, 0.005])
    controller = da.control.PDGravity(da.compile(gripping), reference, stiffness=K, damping=K / 20)
    times = np.linspace(0, 2, 101)
    method = da.simulation.DOP853(rtol=1e-8, atol=1e-9)  # eight digits are enough here
    motion = da.simulate(model, home, None, times, controller, method=method)
    motion
    return controller, motion


@app.cell
def _(Figure, controller, found, model, motion, np):
    wanted = controller.desired(motion.t).position
    reached = model.forward_kinematics(motion.q[-1], "flange")[:3, 3]
    miss = np.linalg.norm(reached - model.forward_kinematics(found.q, "flange")[:3, 3])
    print(f"{motion.status}; the flange stops {1000 * miss:.1f} mm from its goal")
    figure = Figure(figsize=(8, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(motion.t, 1000 * (motion.q - wanted), label=motion.q_names)
    left.set(xlabel="time in s", ylabel="tracking error in mrad")
    left.legend(fontsize=7)
    right.plot(motion.t, motion.tau)
    right.set(xlabel="time in s", ylabel="torque in N m")
    figure
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Export and report

    C99 without allocation for the controller, and one page with all that is known, here of the arm
    with its wrist held.
    """)
    return


@app.cell
def _(da, folder, gripping, mo):
    code = da.compile(gripping).source("c", functions=["inverse_dynamics", "gravity"])
    files = code.save(folder)
    print("C:", *(f"{file.name} {file.stat().st_size / 1000:.0f} kB" for file in files))
    mo.accordion({"The header": code})
    return


@app.cell
def _(arm, da, folder, mo):
    wrist = ["joint4", "joint5", "joint6"]
    page = folder / "arm.html"
    da.report.write(arm.lock(wrist).reduce(), page, duration=0.5, progress=False)
    print(f"report: {page.stat().st_size / 1000:.0f} kB")
    mo.md(f"The report: `{page}`. Everything else is beside it.")
    return


if __name__ == "__main__":
    app.run()
