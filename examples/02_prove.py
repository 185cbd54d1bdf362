"""Prove that the equations of an arm are right, and catch a wrong sign with a point.

Run: python examples/02_prove.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# a rotating and a sliding joint; the proofs hold for all masses and lengths, which stay letters
eq = da.textbook.rp_arm().equations()
proofs = eq.prove()
print(proofs)

# the slip that everybody has made: gravity with the wrong sign
wrong = eq.replaced(N=-eq.N).prove()
refuted = [proof for proof in wrong if proof.verdict == "refuted"]
print("\nWith the sign of N turned round:", *refuted, sep="\n")

lines = [(f"✓ {proof.statement}", "tab:green") for proof in proofs]
lines += [("", "black"), ("with the sign of N turned round", "black")]
lines += [(f"✗ {proof.statement}", "tab:red") for proof in refuted]
figure = plt.figure(figsize=(8, 0.32 * len(lines) + 0.4))
for row, (text, color) in enumerate(lines):
    height = 1 - (row + 1) / (len(lines) + 1)
    figure.text(0.03, height, text, color=color, fontsize=11, parse_math=False)
picture = folder / "02_prove.png"
figure.savefig(picture, dpi=70)
print(f"The verdicts: {picture}")
