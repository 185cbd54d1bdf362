"""Learn a load and a damping through a simulation: rollouts, CasADi and JAX on the same arm.

Install first: pip install casadi jax flatbuffers
Run: marimo edit notebooks/gradients.py, or as a plain script: python notebooks/gradients.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Gradients through a simulation")


@app.cell
def _():
    import casadi as ca
    import jax
    import jax.numpy as jnp
    import marimo as mo
    import numpy as np
    from matplotlib.figure import Figure

    import dalembert as da

    jax.config.update("jax_enable_x64", True)
    return Figure, ca, da, jax, jnp, mo, np


@app.cell
def _(mo):
    mo.md(r"""
    # Gradients through a simulation

    An arm of two links swings with a load $m$ in its hand and viscous damping $b$ in its joints.
    Both are unknown; the joint angles are measured for two seconds. Which $m$ and $b$ explain them?
    The parameters stay letters in the model, so that one program serves all values.
    """)
    return


@app.cell
def _(da):
    m, b = da.parameters("m b")
    arm = (
        da.Builder("arm")
        .link("upper", mass=1.2, com=(0, 0, -0.25), inertia=(0.025, 0.025, 0.001))
        .revolute("shoulder", "upper", axis="y", damping=b)
        .link("lower", mass=0.8, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.001))
        .revolute("elbow", "lower", axis="y", origin=(0, 0, -0.5), damping=b)
        .build()
        .with_payload("lower", mass=m, com=(0, 0, -0.4))
    )
    arm.equations()
    return arm, b, m


@app.cell
def _(mo):
    load = mo.ui.slider(0.2, 1.5, 0.1, value=0.7, label="true load in kg")
    damping = mo.ui.slider(0.05, 0.4, 0.05, value=0.15, label="true damping in N m s/rad")
    noise = mo.ui.slider(0, 20, 1, value=5, label="noise of the angles in mrad")
    mo.vstack([load, damping, noise])
    return damping, load, noise


@app.cell
def _(arm, b, da, damping, load, m, noise, np):
    step, num_steps = 0.005, 400
    start = np.array([1.2, 0.4])
    model = da.compile(arm)
    method = da.simulation.RK4(step)
    truth = da.rollout(
        model,
        start,
        None,
        num_steps,
        method=method,
        parameters={m: load.value, b: damping.value},
        record=1,
    )
    disturbance = np.random.default_rng(0).normal(size=truth.q.shape)
    measured = truth.q + noise.value / 1000 * disturbance
    truth
    return measured, method, model, num_steps, start, step


@app.cell
def _(mo):
    mo.md(r"""
    ## Rollouts: the whole landscape

    Without a gradient: 40 × 40 pairs of values, each simulated, in one call. Every integration runs
    whole inside compiled code. On a GPU the call is the same after
    `da.compile(arm, backend="cuda", dtype="float32")`, with arrays of the device if they shall stay
    there; `docs/gpu.md` says how fast.
    """)
    return


@app.cell
def _(b, da, m, measured, method, model, np, num_steps, start):
    loads, dampings = np.linspace(0.1, 1.6, 40), np.linspace(0.02, 0.45, 40)
    runs = da.rollout(
        model,
        start,
        None,
        num_steps,
        method=method,
        parameters={m: loads[:, None], b: dampings},
        record=1,
    )
    landscape = ((runs.q - measured) ** 2).mean(axis=(-2, -1))
    lowest = np.unravel_index(landscape.argmin(), landscape.shape)
    coarse = np.array([loads[lowest[0]], dampings[lowest[1]]])
    print(f"rollouts: m = {coarse[0]:.2f} kg, b = {coarse[1]:.2f} N m s/rad on a grid")
    runs
    return dampings, landscape, loads


@app.cell
def _(mo):
    mo.md(r"""
    ## CasADi: least squares with Ipopt

    `model.casadi` is the same program as a graph of CasADi, which differentiates the whole
    simulation exactly. Parameters are its last input, in the order of `model.symbols.parameters`.
    """)
    return


@app.cell
def _(ca, measured, mo, model, np, num_steps, start, step):
    accelerate = model.casadi("forward_dynamics")
    state, values = ca.MX.sym("x", 4), ca.MX.sym("p", 2)

    def rate(x):
        return ca.vertcat(x[2:], accelerate(x[:2], x[2:], np.zeros(2), values))

    k1 = rate(state)
    k2 = rate(state + step / 2 * k1)
    k3 = rate(state + step / 2 * k2)
    k4 = rate(state + step * k3)
    following = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    one_step = ca.Function("step", [state, values], [following])

    # the whole simulation is one expression of the two values
    path = one_step.mapaccum(num_steps)(np.r_[start, 0, 0], values)[:2, :]
    error = ca.sumsqr(path - measured[1:].T) / path.numel()
    quiet = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}}
    solver = ca.nlpsol("fit", "ipopt", {"x": values, "f": error}, quiet)
    solved = solver(x0=[0.1, 0.3], lbx=0)
    by_name = dict(zip(map(str, model.symbols.parameters), solved["x"].full().ravel(), strict=True))
    by_casadi = np.array([by_name["m"], by_name["b"]])
    fit = f"CasADi: m = {by_casadi[0]:.3f} kg, b = {by_casadi[1]:.3f} N m s/rad"
    print(fit)
    mo.md(f"{fit}, after {solver.stats()['iter_count']} iterations")
    return (by_casadi,)


@app.cell
def _(mo):
    mo.md(r"""
    ## JAX: the same by Gauss and Newton

    With `backend="jax"` the functions of the model are kernels that `jit`, `grad`, `vmap` and
    `scan` know. On a GPU nothing changes here but where the arrays lie; with CuPy installed the
    kernels are launched in XLA's own stream.
    """)
    return


@app.cell
def _(arm, b, da, jax, jnp, m, measured, mo, num_steps, start, step):
    traced = da.compile(arm, backend="jax")

    def residual(p):
        """Return how far a simulation with values p is from the measured angles."""

        def rate_of(x):
            values = {m: p[0], b: p[1]}
            qdd = traced.forward_dynamics(x[:2], x[2:], jnp.zeros(2), parameters=values)
            return jnp.concatenate([x[2:], qdd])

        def advance(x, _):
            a1 = rate_of(x)
            a2 = rate_of(x + step / 2 * a1)
            a3 = rate_of(x + step / 2 * a2)
            a4 = rate_of(x + step * a3)
            x = x + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            return x, x[:2]

        first = jnp.concatenate([start, jnp.zeros(2)])
        _, angles = jax.lax.scan(advance, first, None, length=num_steps)
        return (angles - measured[1:]).ravel()

    @jax.jit
    def improved(p):
        """Return the values after one step of Gauss and Newton, damped a little."""
        r, J = residual(p), jax.jacfwd(residual)(p)
        normal = J.T @ J
        return p - jnp.linalg.solve(normal + 1e-3 * jnp.diag(jnp.diag(normal)), J.T @ r)

    guesses = [jnp.array([0.3, 0.3])]
    for _ in range(12):
        guesses.append(improved(guesses[-1]))
    guesses = jnp.stack(guesses)
    learned = f"JAX: m = {guesses[-1, 0]:.3f} kg, b = {guesses[-1, 1]:.3f} N m s/rad"
    print(learned)
    mo.md(learned)
    return (guesses,)


@app.cell
def _(Figure, by_casadi, damping, dampings, guesses, landscape, load, loads, np):
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.contourf(loads, dampings, np.log10(landscape).T, 20, cmap="viridis")
    axes.plot(guesses[:, 0], guesses[:, 1], "w.-", label="Gauss and Newton, JAX")
    axes.plot(*by_casadi, "rx", markersize=10, label="Ipopt, CasADi")
    axes.plot(load.value, damping.value, "k+", markersize=14, label="truth")
    axes.set(xlabel="load in kg", ylabel="damping in N m s/rad", title="log₁₀ of the squared error")
    axes.legend()
    print(f"both agree to {np.abs(by_casadi - guesses[-1]).max():.0e}")
    figure
    return


if __name__ == "__main__":
    app.run()
