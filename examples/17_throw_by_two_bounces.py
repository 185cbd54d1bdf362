"""Throw a ball into a cup by two bounces, at a given time, and say which number matters most.

The floor is curved: a small change of the throw moves the time, the place and the direction of
every bounce. The derivatives through the bounces aim by Newton's method.

Run: python examples/17_throw_by_two_bounces.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da
from dalembert.simulation import Contact, Crossing

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

x, y = da.coordinates("x y")
g, e, bend = da.parameters("g e bend")
ball = da.compile(da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=g * y, coordinates=[x, y]))
start, cup, rim, when = [0.0, 1.2], 4.0, 0.5, 1.9
values = {g: 9.81, e: 0.85, bend: 0.03}
floor = Contact(y - bend * (x - 2) ** 2, restitution=e, name="floor")
# the third time that it falls through the height of the rim
down = Crossing(y - rim, direction=-1, name="rim")


def throw(velocity):
    """Return the motion, where and when it comes to the cup, and the derivatives of both."""
    t = np.linspace(0, 2.05, 200)
    motion = da.sensitivities(ball, start, velocity, t, parameters=values, events=[floor, down])
    third = [event for event in motion.events if event.name == "rim"][2]
    assert third.state_by is not None
    assert third.time_by is not None
    # columns: x, y, ẋ and ẏ of the throw, then the parameters
    return motion, np.array([third.q[0], third.t]), np.stack([third.state_by[0], third.time_by])


velocity, wanted = np.array([2.0, 0.5]), np.array([cup, when])
motion, met, slopes = throw(velocity)
for number in range(1, 4):
    velocity = velocity + np.linalg.solve(slopes[:, 2:4], wanted - met)
    motion, met, slopes = throw(velocity)
    print(f"throw {number}: at {met[0]:.9f} m after {met[1]:.9f} s")
assert np.abs(met - wanted).max() < 1e-9
print(f"it takes {velocity[0]:.6f} and {velocity[1]:.6f} m/s")

# where it lands if a number is one percent off
names = ["height", "speed ahead", "speed up", *map(str, motion.parameters)]
numbers = np.array([start[1], *velocity, *(values[p] for p in motion.parameters)])
off = 0.01 * numbers * slopes[0, 1:]
for name, way in zip(names, off, strict=True):
    print(f"1 % of {name}: {1000 * way:+.1f} mm at the cup")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for part, style in ((0.99, ":"), (1.0, "-"), (1.01, "--")):
    values[e] = 0.85 * part
    way = throw(velocity)[0]
    left.plot(*way.q.T, style, label=f"e = {values[e]:.4f}")
ground = np.linspace(0, 4.3, 100)
left.plot(ground, values[bend] * (ground - 2) ** 2, "k", lw=1)
left.plot([cup - 0.1, cup + 0.1], [rim, rim], "k", lw=3)
left.set(xlabel="x in m", ylabel="y in m", title="Into the cup by two bounces")
left.legend()
right.barh(names[::-1], 1000 * off[::-1])
right.set(xlabel="mm at the cup", title="Each number 1 % off")
picture = folder / "17_throw_by_two_bounces.png"
figure.savefig(picture, dpi=70)
print(f"The throw: {picture}")
