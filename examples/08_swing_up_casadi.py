"""Swing a pole up with the least effort: our exact dynamics inside CasADi's solver.

Install first: pip install casadi
Run: python examples/08_swing_up_casadi.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

values = {"m_c": 1.0, "m_p": 0.3, "l": 0.5, "g": 9.81}
model = da.compile(da.textbook.cart_pole(), parameters=values)
accelerate = model.casadi("forward_dynamics")

# states and forces on a grid of two seconds, tied together by the trapezoidal rule
steps, T = 80, 2.0
h = T / steps
problem = ca.Opti()
q, qd = problem.variable(2, steps + 1), problem.variable(2, steps + 1)
u = problem.variable(1, steps + 1)
qdd = accelerate.map(steps + 1)(q, qd, u)
problem.subject_to(q[:, 1:] == q[:, :-1] + h / 2 * (qd[:, 1:] + qd[:, :-1]))
problem.subject_to(qd[:, 1:] == qd[:, :-1] + h / 2 * (qdd[:, 1:] + qdd[:, :-1]))

# from hanging at 0 to standing at 1 m, at rest at both ends, with at most 20 N
problem.subject_to(q[:, 0] == 0)
problem.subject_to(q[:, steps] == ca.DM([1, np.pi]))
problem.subject_to(qd[:, [0, steps]] == 0)
problem.subject_to(problem.bounded(-20, u, 20))
problem.minimize(h * ca.sumsqr(u))
problem.set_initial(q, np.linspace([0, 0], [1, np.pi], steps + 1).T)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()
print(f"solved in {found.stats()['iter_count']} iterations")

# our simulation, which knows nothing of the grid, tells how far the plan can be trusted
t = np.linspace(0, T, steps + 1)
force, plan = np.asarray(found.value(u)), np.asarray(found.value(q))
motion = da.simulate(model, [0, 0], None, np.linspace(0, T, 401), (t, force[:, None]))
off = np.degrees(motion["theta"][-1] - np.pi)
print(f"simulated, the pole ends {off:.1f} degrees from the top")

figure, (top, low) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for row, name in enumerate(("x", "theta")):
    top.plot(t, plan[row], "o", markersize=3, color=f"C{row}", label=f"{name}, planned")
    top.plot(motion.t, motion[name], color=f"C{row}", label=f"{name}, simulated")
top.set(ylabel="m and rad", title="least effort to the top")
top.legend()
low.plot(t, force, color="C2")
low.set(xlabel="time in s", ylabel="force in N")
picture = folder / "08_swing_up_casadi.png"
figure.savefig(picture, dpi=70)
print(f"Plan and simulation: {picture}")
