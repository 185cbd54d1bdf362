"""Our own file format: JSON with exact numbers as text, and expressions in named parameters."""

from dalembert.mechanism.io.json.read import load_json
from dalembert.mechanism.io.json.write import save_json

__all__ = ["load_json", "save_json"]
