"""Train a neural network to swing up poles of unknown mass: gradients through whole rollouts.

Install first: pip install jax flatbuffers
Run: python examples/15_train_policy_jax.py [folder for the picture]
"""

import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
jax.config.update("jax_enable_x64", True)

# the mass of the pole is a letter; XLA calls the compiled dynamics and their exact derivatives
known = {"m_c": 1.0, "l": 0.5, "g": 9.81}
model = da.compile(da.textbook.cart_pole(), backend="jax", parameters=known)

HOLD, STEPS, BATCH, UPDATES = 0.04, 75, 64, 800
STRONGEST = 15.0  # N
WIDTHS = (5, 32, 32, 1)


def policy(weights, q, qd):
    """Return the force for a state: a network that sees the angle as sine and cosine."""
    x = jnp.stack([q[:, 0], jnp.sin(q[:, 1]), jnp.cos(q[:, 1]), qd[:, 0], qd[:, 1] / 5], axis=-1)
    *hidden, (last, shift) = weights
    for matrix, offset in hidden:
        x = jnp.tanh(x @ matrix + offset)
    return STRONGEST * jnp.tanh(x @ last + shift)


def rollout(weights, start, mass):
    """Return states and forces of all poles, by the midpoint rule with the force held."""

    def step(state, _):
        q, qd = state
        u = policy(weights, q, qd)
        qdd = model.forward_dynamics(q, qd, u, parameters=mass)
        half, speed = q + HOLD / 2 * qd, qd + HOLD / 2 * qdd
        qdd = model.forward_dynamics(half, speed, u, parameters=mass)
        state = q + HOLD * speed, qd + HOLD * qdd
        return state, (*state, u)

    return jax.lax.scan(step, start, None, length=STEPS)[1]


def cost(weights, start, mass):
    """Return the mean over poles and times: how far from the top, from the middle, from rest."""
    q, qd, _ = rollout(weights, start, mass)
    far = 1 + jnp.cos(q[..., 1]) + 0.1 * q[..., 0] ** 2
    return (far + 0.02 * qd[..., 0] ** 2 + 0.01 * qd[..., 1] ** 2).mean()


def draw(key):
    """Return random starts at rest, and masses of the poles from 0.2 to 0.4 kg."""
    place, angle, weight = jax.random.uniform(key, (3, BATCH), minval=-1)
    q = jnp.stack([place, jnp.pi * angle], axis=-1)
    return (q, jnp.zeros_like(q)), 0.3 + 0.1 * weight[:, None]


@jax.jit
def update(weights, mean, square, k):
    """Return weights after one step of Adam, with the gradient cut to length one."""
    value, slope = jax.value_and_grad(cost)(weights, *draw(jax.random.fold_in(seed, k)))
    length = jnp.sqrt(sum((x**2).sum() for x in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda x: x / jnp.maximum(1, length), slope)
    mean = jax.tree.map(lambda m, x: 0.9 * m + 0.1 * x, mean, slope)
    square = jax.tree.map(lambda s, x: 0.99 * s + 0.01 * x**2, square, slope)
    rate = 0.01 * jnp.minimum(1, 2 - 2 * k / UPDATES) * jnp.sqrt(1 - 0.99**k) / (1 - 0.9**k)
    move = jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), weights, mean, square)
    return move, mean, square, value


seed, rng = jax.random.key(1), np.random.default_rng(1)
weights = [(rng.normal(size=(n, m)) / np.sqrt(n), np.zeros(m)) for n, m in pairwise(WIDTHS)]
mean = square = jax.tree.map(np.zeros_like, weights)
begin, curve = perf_counter(), []
for k in range(1, UPDATES + 1):
    weights, mean, square, value = update(weights, mean, square, float(k))
    curve.append(float(value))
steps = UPDATES * STEPS * BATCH
print(f"{steps:,} steps with gradients in {perf_counter() - begin:.1f} s, compiling included")

# poles that it has not seen, for 8 s instead of 3, in steps 40 times as fine
plain = da.compile(da.textbook.cart_pole(), parameters=known)
method, act = da.simulation.RK4(HOLD / 40), jax.jit(policy)
(q, qd), mass = draw(jax.random.key(2))
path = [np.asarray(q)]
for _ in range(200):
    force = np.repeat(act(weights, q, qd)[:, None], 40, axis=1)
    values = {"m_p": np.ravel(mass)}
    run = da.rollout(plain, q, qd, 40, method=method, parameters=values, controls=force)
    q, qd = run.q[:, -1], run.qd[:, -1]
    path.append(q)
x, theta = np.moveaxis(np.array(path), -1, 0)
off = np.degrees(np.arccos(-np.cos(theta)))
print(f"{(off[-1] < 5).sum()} of {BATCH} poles stand after {200 * HOLD:.0f} s")

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
left.semilogy(curve)
left.set(xlabel="update", ylabel="cost", title="learning")
middle.plot(HOLD * np.arange(len(off)), off[:, ::4], color="C0", linewidth=0.6)
middle.set(xlabel="time in s", ylabel="degrees from the top", title="16 unseen poles")
# the pole that began lowest
lowest = int(off[0].argmax())
shades = plt.get_cmap("viridis")(np.linspace(0, 1, 30))
for a, b, shade in zip(x[:60:2, lowest], theta[:60:2, lowest], shades, strict=True):
    right.plot([a, a + 0.5 * np.sin(b)], [0, -0.5 * np.cos(b)], "-o", color=shade, markersize=3)
right.set(xlabel="m", ylabel="m", aspect="equal", title="one of them, dark to light")
picture = folder / "15_train_policy_jax.png"
figure.savefig(picture, dpi=70)
print(f"Learning and motion: {picture}")
