"""A lecture on the cart with a pole: derive, prove, linearise, simulate, grade an answer.

Run: marimo edit notebooks/course.py, or as a plain script: python notebooks/course.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="A lecture on the cart with a pole")


@app.cell
def _():
    import marimo as mo
    import numpy as np
    from matplotlib.figure import Figure

    import dalembert as da

    return Figure, da, mo, np


@app.cell
def _(mo):
    mo.md(r"""
    # A cart with a pole

    A cart of mass $m_c$ on a rail carries a rod without mass, of length $l$, with a mass $m_p$ at
    its end; the force $F$ pushes the cart. At $\theta = 0$ the pole hangs.

    ## Describe

    The places of the masses say everything.
    """)
    return


@app.cell
def _(da):
    x, theta = da.coordinates("x theta")
    m_c, m_p, l, g = da.parameters("m_c m_p l g")
    (F,) = da.inputs("F")
    pole = (x + l * da.sin(theta), -l * da.cos(theta))
    system = da.System.from_particles(
        [m_c, m_p], [(x, 0), pole], coordinates=[x, theta], gravity=(0, -g), forces=[F, 0]
    )
    system
    return F, g, l, m_c, m_p, system, theta, x


@app.cell
def _(mo):
    mo.md(r"""
    ## Derive

    Lagrange's equations, and the lecturer's steps to them.
    """)
    return


@app.cell
def _(system):
    eq = system.equations()
    eq
    return (eq,)


@app.cell
def _(eq, mo):
    mo.accordion({"Step by step": eq.derivation(), "Mass matrix": eq.M, "Coriolis matrix": eq.C})
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Prove

    Each statement is an identity in all coordinates, velocities and parameters.
    """)
    return


@app.cell
def _(eq):
    proofs = eq.prove()
    print(str(proofs).splitlines()[-1])
    proofs
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Rest, stability, small motions

    Where can it rest without a force? What are the linear equations at the top?
    """)
    return


@app.cell
def _(eq):
    eq.equilibria()
    return


@app.cell
def _(da, eq, mo, theta):
    upright = eq.linearise({theta: da.pi})
    mo.vstack([upright, upright.state_space()])
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Let it move

    The same expressions, compiled. Choose the numbers; the motion follows.
    """)
    return


@app.cell
def _(mo):
    length = mo.ui.slider(0.2, 1.5, 0.1, value=0.5, label="length of the pole in m")
    lean = mo.ui.slider(-0.6, 0.6, 0.05, value=0.4, label="lean at the start in rad")
    effort = mo.ui.slider(0.01, 1.0, 0.01, value=0.1, label="price of the force")
    mo.vstack([length, lean, effort])
    return effort, lean, length


@app.cell
def _(da, effort, g, l, lean, length, m_c, m_p, np, system):
    model = da.compile(system, parameters={m_c: 1.0, m_p: 0.3, l: length.value, g: 9.81})
    regulator = da.control.LQR(model, [0, np.pi], state_cost=[10, 1, 1, 1], input_cost=effort.value)
    times = np.linspace(0, 5, 126)
    motion = da.simulate(model, [0, np.pi - lean.value], None, times, regulator)
    print(f"after 5 s the pole is {abs(motion['theta'][-1] - np.pi):.3f} rad from the top")
    motion
    return model, motion


@app.cell
def _(da, model, motion):
    da.animate(model, motion)
    return


@app.cell
def _(Figure, motion, np):
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot(motion.t, motion["x"], label="cart, m")
    axes.plot(motion.t, motion["theta"] - np.pi, label="pole, rad from the top")
    axes.plot(motion.t, motion.tau[:, 0] / 10, label="force, 10 N")
    axes.set(xlabel="time in s")
    axes.legend()
    figure
    return


@app.cell
def _(mo):
    mo.md(r"""
    ## Grade an answer

    Somebody derived the second equation by hand. Write `theta.dot` and `theta.ddot` for the rates;
    the sign of gravity is wrong here.
    """)
    return


@app.cell
def _(mo):
    answer = mo.ui.text(
        value="m_p*l^2*theta.ddot + m_p*l*cos(theta)*x.ddot - m_p*g*l*sin(theta) = 0",
        label="second equation",
        full_width=True,
    )
    answer
    return (answer,)


@app.cell
def _(answer, da, eq, mo):
    try:
        grade = da.check_answer(answer.value, eq)
        print(grade)
    except da.DalembertError as error:
        # what cannot be read is told as it is
        grade = mo.callout(str(error), kind="warn")
    grade
    return


if __name__ == "__main__":
    app.run()
