"""Pictures side by side on sheets that a person looks at."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

WIDTH, HEIGHT, GAP = 420, 420, 8
ROWS = 6


def write_sheets(rows: Sequence[tuple[str, Sequence[bytes]]], folder: Path) -> list[Path]:
    """Write rows of pictures with their names to sheet1.png, sheet2.png, …; return the paths."""
    paths = []
    for k in range(0, len(rows), ROWS):
        path = folder / f"sheet{k // ROWS + 1}.png"
        _sheet(rows[k : k + ROWS], path)
        paths.append(path)
    return paths


def _sheet(rows: Sequence[tuple[str, Sequence[bytes]]], path: Path) -> None:
    from PIL import Image, ImageDraw

    columns = max(len(pictures) for _, pictures in rows)
    size = (columns * (WIDTH + GAP), len(rows) * (HEIGHT + GAP + 16))
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for i, (name, pictures) in enumerate(rows):
        top = i * (HEIGHT + GAP + 16)
        draw.text((4, top), name, fill="black")
        for j, png in enumerate(pictures):
            picture = Image.open(io.BytesIO(png)).convert("RGB")
            height = round(picture.height * WIDTH / picture.width)
            small = picture.resize((WIDTH, height)).crop((0, 0, WIDTH, min(height, HEIGHT)))
            sheet.paste(small, (j * (WIDTH + GAP), top + 14))
    sheet.save(path, optimize=True)
