"""The pages of the worked examples are those that their program writes."""

from tools.textbook_pages import pages


def test_textbook_pages_are_current() -> None:
    stale = [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run `python -m tools.textbook_pages`: {', '.join(stale)} out of date"
