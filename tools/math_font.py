"""Make the font that formulas of pages are set in: `python -m tools.math_font stix-two-math.woff2`.

The font is STIX Two Math under the SIL Open Font License. Its file is in the npm package
@fontsource/stix-two-math (`npm pack @fontsource/stix-two-math@5.3.0`), in Debian's
texlive-fonts-extra and on https://github.com/stipub/stixfonts. The subset keeps the letters and
signs that the printer writes, with all sizes of brackets and roots, and is the same for the same
file. Needs fonttools and brotli.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "src" / "dalembert" / "typeset" / "font"
NAME = "math.woff2"
RANGES = (
    (0x20, 0x7E),  # ASCII
    (0x391, 0x3A9),  # upright Greek
    (0x3B1, 0x3C9),
    (0x1D434, 0x1D467),  # italic Latin letters
    (0x1D400, 0x1D433),  # bold Latin letters, of vectors and matrices
    (0x1D6E2, 0x1D71B),  # italic Greek letters
    (0x1D49C, 0x1D4CF),  # script letters
    (0x2070, 0x209C),  # raised and lowered digits and letters
    (0x2061, 0x2064),  # invisible signs
)
SIGNS = (
    "\N{NO-BREAK SPACE}¡°±²³·×÷ħıȷˆ˙¨˜ˉ\u0302\u0303\u0304\u0305\u0307\u0308\u20d7\u20db"
    "ϑϕϖϱϵ‖…′″‴⁗ℎℏℒℓℛℬℰℱℋℐℳℝℚℤℕ∂∅∇∈∉−∓∗∘√∛∝∞∠∥∧∨∩∪∫∬∑∏∮∼≃≅≈≠≡≤≥≪≫⊂⊆⊕⊗⊤⊥⊺⋅⋆⋮⋯⋱⌈⌉⌊⌋⟨⟩"
    "⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎫⎬⎭←↑→↓↔⇐⇒⇔↦✓ᵀᵢⱼₓ"
)


def wanted() -> Iterator[int]:
    """Yield the code points that the printer writes."""
    for first, last in RANGES:
        yield from range(first, last + 1)
    yield from map(ord, SIGNS)


def subset(source: Path) -> bytes:
    """Return the font with the wanted signs alone, as WOFF2.

    Raises:
        SystemExit: the file is no font with mathematics.
    """
    from fontTools import subset as subsetting
    from fontTools.ttLib import TTFont

    font = TTFont(source, recalcTimestamp=False)
    if "MATH" not in font:
        raise SystemExit(f"expected a font with a MATH table, got {source}")
    options = subsetting.Options(
        layout_features=["ssty", "math", "dtls", "flac", "ccmp", "mark", "mkmk"],
        hinting=False,
        name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
        notdef_outline=True,
        drop_tables=["DSIG", "GPOS"],
    )
    chosen = subsetting.Subsetter(options)
    chosen.populate(unicodes=list(wanted()))
    chosen.subset(font)
    font.flavor = "woff2"
    out = io.BytesIO()
    font.save(out, reorderTables=True)
    return out.getvalue()


def main(arguments: list[str]) -> int:
    """Write the font into the package, and say how large it is."""
    if len(arguments) != 1:
        print(__doc__)
        return 1
    data = subset(Path(arguments[0]))
    (FOLDER / NAME).write_bytes(data)
    print(f"{len(data):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
