"""Write one page with all that is known about an arm: drawing, derivation, proofs, motion, C code.

Run: python examples/09_report.py [folder for the page]
"""

import sys
import tempfile
from pathlib import Path

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# two links of a metre, a kilogram each, described joint by joint
m, l, g = da.parameters("m l g")
rod = m * l**2 / 12
arm = (
    da.Builder("two-link arm", gravity=(0, 0, -g))
    .link("upper", mass=m, com=(0, 0, -l / 2), inertia=(rod, rod, 0))
    .revolute("shoulder", "upper", axis="y")
    .link("lower", mass=m, com=(0, 0, -l / 2), inertia=(rod, rod, 0))
    .revolute("elbow", "lower", axis="y", origin=(0, 0, -l))
    .frame("tip", "lower", origin=(0, 0, -l))
    .build()
)
page = folder / "09_report.html"
da.report.write(arm, page, parameters={m: 1, l: 1, g: 9.81}, progress=False)
print(f"{page.stat().st_size / 1000:.0f} kB, for any browser, without a network: {page}")
