"""Identify an arm from noisy torques: base parameters, excitation, least squares, consistency.

Run: marimo edit notebooks/identification.py, or as a script: python notebooks/identification.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Identification of an arm")


@app.cell
def _():
    from dataclasses import replace

    import marimo as mo
    import numpy as np
    from matplotlib.figure import Figure

    import dalembert as da
    from dalembert.identification import filtered
    from dalembert.mechanism import Resistance

    return Figure, Resistance, da, filtered, mo, np, replace


@app.cell
def _(mo):
    mo.md(r"""
    # Identification of an arm

    Torques are linear in the inertial parameters and in friction:
    $\tau = Y(q, \dot q, \ddot q)\,\theta$. Here shoulder and elbow of a UR5e, its wrist held, with
    viscous and dry friction. The numbers of the robot play the truth.
    """)
    return


@app.cell
def _(Resistance, da, replace):
    bare = da.textbook.robots.ur5e().lock(["joint4", "joint5", "joint6"]).reduce()
    drives = [Resistance(damping=d, friction=f) for d, f in ((8, 4), (10, 5), (5, 2))]
    joints = [replace(j, resistance=r) for j, r in zip(bare.joints, drives, strict=True)]
    arm = replace(bare, joints=tuple(joints))
    arm
    return (arm,)


@app.cell
def _(mo):
    mo.md(r"""
    ## What motion can reveal

    Of ten parameters for each link only some combinations act on the torques; friction adds two
    for each joint. They are found exactly, and that there are no more is proved.
    """)
    return


@app.cell
def _(arm, mo):
    base = arm.base_parameters()
    print(base.proof.statement)
    mo.vstack([base.combinations, base.proof, mo.accordion({"The regressor": base.Y})])
    return (base,)


@app.cell
def _(arm, base, da):
    model = da.compile(arm)
    names, _ = model.regressor_parameters
    # ten columns for each link, then those of the drives that this arm has
    drive = [k for k, name in enumerate(names) if name.endswith((".damping", ".friction"))]
    places = [*range(10 * model.nv), *drive]
    columns = [places[k] for k in base.independent]

    def regressor(q, qd, qdd):
        """Return the independent columns for samples (n, 3), stacked, (3 n, parameters)."""
        return model.regressor(q, qd, qdd)[..., columns].reshape(-1, len(columns))

    return model, regressor


@app.cell
def _(mo):
    mo.md(r"""
    ## A motion that excites

    Fourier series of ten seconds with five harmonics. Of many random ones the one is taken whose
    regressor, with columns scaled to length one, has the smallest condition number: by that
    factor noise may grow at worst.
    """)
    return


@app.cell
def _(mo):
    candidates = mo.ui.slider(1, 200, 1, value=100, label="candidates")
    noise = mo.ui.slider(0.1, 3.0, 0.1, value=0.5, label="noise of the torques in N m")
    mo.vstack([candidates, noise])
    return candidates, noise


@app.cell
def _(candidates, mo, np, regressor):
    period, harmonics = 10.0, np.arange(1, 6)
    t = np.linspace(0, period, 500, endpoint=False)
    phase = 2 * np.pi / period * np.outer(t, harmonics)
    rate = 2 * np.pi / period * np.tile(harmonics, 2)
    series = np.hstack([np.sin(phase), np.cos(phase)])
    turned = np.hstack([np.cos(phase), -np.sin(phase)])  # its derivative, but for the rate
    middle = np.array([0.0, -1.0, 1.0])

    def motion_of(weights):
        """Return q, q̇ and q̈ (500, 3) of a Fourier series with weights (10, 3)."""
        return (
            middle + series @ weights,
            turned @ (rate[:, None] * weights),
            -series @ (rate[:, None] ** 2 * weights),
        )

    def condition(weights):
        Y = regressor(*motion_of(weights))
        return np.linalg.cond(Y / np.linalg.norm(Y, axis=0))

    rng = np.random.default_rng(0)
    tried = rng.normal(size=(candidates.value + 1, 10, 3)) / np.tile(harmonics, 2)[:, None]
    # no joint turns farther than 1.2 rad from the middle
    tried *= 1.2 / np.abs(series @ tried).max(axis=1)[:, None]
    conditions, check = [condition(weights) for weights in tried[:-1]], tried[-1]
    best = tried[np.argmin(conditions)]
    said = f"condition number {min(conditions):.0f}, of the worst candidate {max(conditions):.0f}"
    print(said)
    mo.md(said)
    return best, check, conditions, motion_of, rng, t


@app.cell
def _(mo):
    mo.md(r"""
    ## Measure and fit

    The robot repeats the motion three times; angles carry a noise of 0.02 mrad. `filtered` gives
    rates and accelerations, `da.identify` the base parameters with their standard deviations. It
    starts from a data sheet whose masses are 10 % too large and which knows nothing of friction.
    """)
    return


@app.cell
def _(arm, best, da, filtered, model, motion_of, noise, np, replace, rng, t):
    times = np.arange(3 * len(t)) * (t[1] - t[0])
    q, qd, qdd = (np.tile(x, (3, 1)) for x in motion_of(best))
    tau = model.inverse_dynamics(q, qd, qdd) + noise.value * rng.normal(size=q.shape)
    samples = filtered(times, q + 2e-5 * rng.normal(size=q.shape), tau, cutoff=4)
    sheet = replace(
        arm,
        links=tuple(replace(x, inertia=x.inertia.map(lambda k: 1.1 * k)) for x in arm.links),
        joints=tuple(
            replace(x, resistance=replace(x.resistance, damping=0, friction=0)) for x in arm.joints
        ),
    )
    found = da.identify(da.compile(sheet), *samples[1:])
    print(found.status)
    return (found,)


@app.cell
def _(found, mo, model, np):
    _, values = model.regressor_parameters
    truth = np.array([float(x) for x in values])[list(found.unknown)]
    true = found.base.structure.weights @ truth
    mo.ui.table(
        [
            {"parameter": name, "true": f"{a:.4f}", "found": f"{b:.4f} ± {d:.4f}"}
            for name, a, b, d in zip(
                found.base.names, true, found.base.values, found.base.deviations, strict=True
            )
        ],
        selection=None,
        page_size=30,
    )
    return


@app.cell
def _(Figure, check, conditions, found, model, motion_of, np, t):
    wanted = model.inverse_dynamics(*motion_of(check))
    predicted = found.predict(*motion_of(check))
    off = np.sqrt(np.mean((predicted - wanted) ** 2))
    print(f"torques of another motion are predicted to {off:.2f} N m")
    figure = Figure(figsize=(8, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.hist(np.log10(conditions), 20)
    left.set(xlabel="log₁₀ of the condition number", ylabel="candidates")
    right.plot(t, wanted, "k", linewidth=0.8)
    right.plot(t, predicted, "--")
    right.set(xlabel="time in s", ylabel="torque in N m", title="another motion, predicted")
    figure
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Can such a body exist?

    Base parameters are enough to predict and to control, but they are no bodies: many sets of
    masses, centres and inertias have the same combinations. A body exists if its pseudo-inertia
    $J = \begin{bmatrix} \Sigma & h \\ h^T & m \end{bmatrix}$,
    $\Sigma = \tfrac12 \mathrm{tr}(I)\,1 - I$, is positive semidefinite. `found.mechanism` has
    such bodies, the most likely ones near the data sheet: what motion does not reveal, such as the
    first mass, is that of the sheet.
    """)
    return


@app.cell
def _(arm, found, mo):
    from dalembert.spatial.inertia.consistency import is_consistent

    rows = []
    for link, true_link in zip(found.mechanism.links[1:], arm.links[1:], strict=True):
        mass = f"{float(link.inertia.m):.2f} kg, true {float(true_link.inertia.m):.2f} kg"
        rows.append({"link": link.name, "mass": mass, "exists": is_consistent(link.inertia)})
    print(f"{sum(row['exists'] for row in rows)} of {len(rows)} links can exist")
    mo.ui.table(rows, selection=None)
    return


if __name__ == "__main__":
    app.run()
