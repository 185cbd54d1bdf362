"""Motions of limited jerk as C: the compiled functions of a joint, and loops over the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.jerk.kernels import NUM_PLAN, SAME, kernel
from dalembert.model.source.kernels import kernels_source

if TYPE_CHECKING:
    from dalembert.model.source.kernels import CSource

TYPES = """typedef struct {{
    double duration; /* s */
    double asked[{n}][9]; /* p0, v0, a0, p1, v1, a1, V, A, J of each joint */
    double plan[{n}][{size}];
}} {{stem}}_motion;

"""

SAMPLES = (
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 10.0),
    (0.1, 0.5, -1.0, -2.0, -0.3, 0.5, 1.0, 2.0, 10.0),
    (0.0, 1.5, 3.0, 0.2, 0.0, 0.0, 1.0, 2.0, 30.0),
)
"""What joints are asked where the text is compared: at rest, moving, beyond their limits."""

DECLARATIONS = {
    "void {stem}_move({stem}_motion *m, double earliest)": (
        "Plan the quickest motion of m->asked that takes at least earliest (s); targets must be "
        "within their limits."
    ),
    "void {stem}_at(const {stem}_motion *m, double t, double *p, double *v, double *a)": (
        "Compute position, velocity and acceleration of all joints at the time t of a motion."
    ),
}

DEFINITIONS = """
static double {{stem}}_common_arrival(const {{stem}}_motion *m, double earliest)
{{
    double latest = earliest;
    for (int k = 0; k < {n}; k++) {{
        double found;
        {{stem}}_arrival(&earliest, m->asked[k], &found);
        latest = found > latest ? found : latest;
    }}
    return latest;
}}

void {{stem}}_move({{stem}}_motion *m, double earliest)
{{
    double T = earliest;
    for (;;) {{
        /* a later time may be blocked for a joint that has to let its target pass */
        const double found = {{stem}}_common_arrival(m, T);
        if (found <= T * (1 + {same})) {{
            break;
        }}
        T = found;
    }}
    m->duration = T;
    for (int k = 0; k < {n}; k++) {{
        {{stem}}_plan(&T, m->asked[k], m->plan[k]);
    }}
}}

void {{stem}}_at(const {{stem}}_motion *m, double t, double *p, double *v, double *a)
{{
    for (int k = 0; k < {n}; k++) {{
        double jerk;
        {{stem}}_state(&t, m->asked[k], m->plan[k], &p[k], &v[k], &a[k], &jerk);
    }}
}}
"""


def motion_source(num_joints: int, prefix: str) -> CSource:
    """Return C99 that plans and follows motions of some joints; see `JerkLimits.source`."""
    asked = np.array(SAMPLES)
    T = np.max([kernel("arrival")(0.0, row) for row in asked]) * np.ones(len(asked))
    plans = kernel("plan")(T, asked)
    samples = {"arrival": (0 * T, asked), "plan": (T, asked), "state": (T / 3, asked, plans)}
    numbers = {"n": num_joints, "size": NUM_PLAN, "same": SAME}
    return kernels_source(
        {name: kernel(name) for name in ("arrival", "plan", "state")},
        prefix,
        samples,
        what="motions of limited jerk",
        types=TYPES.format(**numbers),
        declarations=DECLARATIONS,
        definitions=DEFINITIONS.format(**numbers),
    )
