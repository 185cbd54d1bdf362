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
    from scipy.optimize import least_squares

    import dalembert as da
    from dalembert.mechanism import Resistance
    from dalembert.spatial import Inertia
    from dalembert.spatial.inertia.consistency import is_consistent, pseudo_inertia

    return (
        Figure,
        Inertia,
        Resistance,
        da,
        is_consistent,
        least_squares,
        mo,
        np,
        pseudo_inertia,
        replace,
    )


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
def _(arm, base, da, np):
    model = da.compile(arm)
    names, _ = model.regressor_parameters
    # ten columns for each link, then those of the drives that this arm has
    drive = [k for k, name in enumerate(names) if name.endswith((".damping", ".friction"))]
    places = [*range(10 * model.nv), *drive]
    columns = [places[k] for k in base.independent]
    true = np.array([float(x) for x in base.values.entries])
    labels = [str(x) for x in base.combinations.entries]

    def regressor(q, qd, qdd):
        """Return the independent columns for samples (n, 3), stacked, (3 n, parameters)."""
        return model.regressor(q, qd, qdd)[..., columns].reshape(-1, len(columns))

    return labels, model, regressor, true


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
    return best, check, conditions, middle, motion_of, rng, series, t


@app.cell
def _(mo):
    mo.md(r"""
    ## Measure and fit

    Angles carry a noise of 0.2 mrad; the series is fitted to them, so that rates and accelerations
    come without differences. Least squares follow, with the standard deviations that the
    residual and the regressor imply.
    """)
    return


@app.cell
def _(best, labels, middle, mo, model, motion_of, noise, np, regressor, rng, series, true):
    q, qd, qdd = motion_of(best)
    tau = model.inverse_dynamics(q, qd, qdd) + noise.value * rng.normal(size=q.shape)
    measured = q + 2e-4 * rng.normal(size=q.shape)
    fitted, *_ = np.linalg.lstsq(series, measured - middle)
    Y = regressor(*motion_of(fitted))
    estimate, squares, rank, _ = np.linalg.lstsq(Y, tau.ravel())
    variance = squares[0] / (tau.size - len(estimate))
    deviation = np.sqrt(variance * np.diag(np.linalg.inv(Y.T @ Y)))
    inside = np.abs(estimate - true) < 3 * deviation
    print(f"rank {rank} of {len(true)}; {inside.sum()} within three standard deviations")
    mo.ui.table(
        [
            {"parameter": label, "true": f"{a:.4f}", "found": f"{b:.4f} ± {d:.4f}"}
            for label, a, b, d in zip(labels, true, estimate, deviation, strict=True)
        ],
        selection=None,
        page_size=30,
    )
    return Y, estimate, tau


@app.cell
def _(Figure, check, conditions, estimate, model, motion_of, np, regressor, t):
    wanted = model.inverse_dynamics(*motion_of(check))
    predicted = (regressor(*motion_of(check)) @ estimate).reshape(wanted.shape)
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
    masses, centres and inertias have the same combinations, and least squares know nothing of
    physics. A body exists if its pseudo-inertia
    $J = \begin{bmatrix} \Sigma & h \\ h^T & m \end{bmatrix}$,
    $\Sigma = \tfrac12 \mathrm{tr}(I)\,1 - I$, is positive semidefinite; `is_consistent` decides
    that exactly. The set of smallest norm fails. Written as $J = L L^T$ every set exists. Least
    squares over $L$ start from a data sheet, here 10 % too heavy; what motion does not reveal, such
    as the first mass, is that of the sheet. Trust the sheet little, and the second mass grows to
    several times its size, with hardly a change of the torques.
    """)
    return


@app.cell
def _(mo):
    trust = mo.ui.slider(steps=[0.01, 0.1, 1, 10], value=1, label="trust in the data sheet")
    trust
    return (trust,)


@app.cell
def _(Inertia, Y, arm, base, da, estimate, least_squares, np, pseudo_inertia, tau, trust):
    # base parameters = W · full parameters
    W = np.array(da.jacobian(base.combinations, base.full.entries).evaluate({}))
    lower = np.tril_indices(4)

    def body(values):
        m, *rest = map(float, values)
        return Inertia(m, tuple(rest[:3]), tuple(rest[3:]))

    def factor(values):
        """Return the ten entries of L with J = L Lᵀ."""
        return np.linalg.cholesky(np.array(pseudo_inertia(body(values)), float))[lower]

    def inertial(entries):
        """Return m, h and I of a link from the ten entries of L."""
        L = np.zeros((4, 4))
        L[lower] = entries
        J = L @ L.T
        I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
        return np.array([J[3, 3], *J[:3, 3], *np.diag(I), I[0, 1], I[0, 2], I[1, 2]])

    given = np.array([float(x) for x in base.given])
    num_inertial = 10 * len(arm.joints)
    sheet = 1.1 * given[:num_inertial].reshape(-1, 10)
    start = np.concatenate([*map(factor, sheet), 1.1 * given[num_inertial:]])
    # |Y x - tau| and |R x - R estimate| differ by a constant
    R = np.linalg.qr(Y, mode="r") / np.sqrt(np.mean((Y @ estimate - tau.ravel()) ** 2))

    def residual(x):
        links = [inertial(entries) for entries in x[:num_inertial].reshape(-1, 10)]
        parameters = W @ np.concatenate([*links, x[num_inertial:]])
        return np.concatenate([R @ (parameters - estimate), trust.value * (x - start)])

    solved = least_squares(residual, start)
    sets = {
        "smallest norm": (np.linalg.pinv(W) @ estimate)[:num_inertial],
        "bodies": np.concatenate([*map(inertial, solved.x[:num_inertial].reshape(-1, 10))]),
    }
    worse = np.linalg.norm(residual(solved.x)[: len(estimate)]) ** 2 / len(estimate)
    print(f"squares by which bodies fit worse, for each parameter: {worse:.2f} variances")
    return body, sets


@app.cell
def _(arm, body, is_consistent, mo, sets):
    rows = []
    for name, values in sets.items():
        bodies = [body(x) for x in values.reshape(-1, 10)]
        verdicts = [is_consistent(x) for x in bodies]
        for link, solid, exists in zip(arm.links[1:], bodies, verdicts, strict=True):
            mass = f"{solid.m:.2f} kg, true {float(link.inertia.m):.2f} kg"
            rows.append({"set": name, "link": link.name, "mass": mass, "exists": exists})
        print(f"{name}: {sum(verdicts)} of {len(verdicts)} links can exist")
    mo.ui.table(rows, selection=None)
    return


if __name__ == "__main__":
    app.run()
