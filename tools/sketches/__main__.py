"""Write docs/gallery/sketches/*.svg and their links: `python -m tools.sketches`."""

from tools.sketches.write import write_all

if __name__ == "__main__":
    print(f"{write_all()} files written")
