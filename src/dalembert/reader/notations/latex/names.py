r"""Names in LaTeX: \dot{\theta}_{1}, l_{c1}, \mathrm{pole}, x'', and letters side by side."""

from __future__ import annotations

import re

from dalembert.errors import ParseError
from dalembert.reader.limits import MAX_NAME, MAX_RATE
from dalembert.reader.names import GREEK, LETTERS, Word, letter, script, word_of
from dalembert.reader.notations.latex.atoms import (
    ACCENTS,
    UNDERLINE,
    WORDS,
    Atom,
    Braces,
    Item,
    Items,
    argument,
    is_sign,
    plain,
)
from dalembert.reader.notations.pieces import Frame

_OTHER_LETTERS = {"epsilon": "ϵ", "varepsilon": "ε", "ell": "l"}


def name(frame: Items) -> Word | None:
    """Take a name with its dots, subscripts and primes; of another item take nothing."""
    item = frame.take()
    found = None if item is None else _base(item, frame)
    if found is None:
        frame.push(item)
        return None
    while True:
        sign = frame.peek()
        if is_sign(sign, "_"):
            found = _with_subscript(found, frame)
        elif is_sign(sign, "'"):
            frame.take()
            found = found._replace(order=found.order + 1, primes=found.primes + 1)
        elif is_sign(sign, "^"):
            order = _raised_order(frame)
            if not order:
                return _with_late_subscript(found, frame)
            found = found._replace(order=found.order + order, primes=found.primes + order)
        else:
            return found


def letters(item: Atom, frame: Items) -> list[tuple[int, Word]]:
    """Return the words of a run of letters, with their columns.

    What stands below or above a run belongs to its last letter.
    """
    n = len(item.text)
    while n > 1 and not item.text[n - 1].isalpha():
        n -= 1
    front, last = item.text[: n - 1], item.text[n - 1 :]
    sign = frame.peek()
    if front and not (is_sign(sign, "_") or is_sign(sign, "'")):
        return [(item.column, _run(item.text, item.column))]
    frame.push(Atom("letters", last, item.column + n - 1))
    word = name(frame)
    assert word is not None
    found = [(item.column + n - 1, word)]
    return [(item.column, _run(front, item.column)), *found] if front else found


def _run(text: str, column: int) -> Word:
    check_length(text, column)
    return (word_of(text) or Word(text, text))._replace(letters=True)


def _base(item: Item, frame: Items) -> Word | None:
    """Return a name without what stands below or above it; an accent takes its argument."""
    if isinstance(item, Braces):
        return _only_name(item)
    if item.kind == "letters":
        return word_of(item.text)
    if item.kind != "command":
        return None
    if item.text in ACCENTS:
        word = _only_name([argument(frame, f"\\{item.text}", item.column)])
        if word is None:
            raise ParseError(
                f"expected one letter below \\{item.text} at column {item.column}: "
                "write the derivative of a product out"
            )
        return word._replace(order=word.order + ACCENTS[item.text])
    if item.text in WORDS:
        taken = frame.take()
        text = plain(taken)
        check_length(text, item.column)
        if re.fullmatch(rf"[{LETTERS}0-9_]+", text):
            return Word(text, text)
        frame.push(taken)
        return None
    if item.text == "mathcal":
        taken = frame.take()
        found = script(plain(taken))
        if found is None:
            frame.push(taken)
        return Word(found, found) if found else None
    greek = _OTHER_LETTERS.get(item.text) or GREEK.get(item.text)
    return Word(greek, greek) if greek else None


def _only_name(items: list[Item] | Braces) -> Word | None:
    """Return the name that items are, None if they are anything else."""
    inside: Items = Frame(items)
    word = name(inside)
    return word if inside.peek() is None else None


def _with_subscript(word: Word, frame: Items) -> Word:
    sign = frame.take()
    column = sign.column if sign is not None else 1
    parts = [part for part in plain(argument(frame, "_", column)).split(",") if part]
    if not parts:
        raise ParseError(f"expected an index at column {column}, got none readable: use letters")
    check_length("".join(parts), column)
    index = ""
    if re.fullmatch(r"[0-9][0-9-]*", parts[0]) and not word.digits and not word.below:
        index, parts = parts[0], parts[1:]
    # an underlined number is one that stands on the line in text
    return word.below_it(index, [_part(part.replace(UNDERLINE, "")) for part in parts])


def _part(part: str) -> str:
    word = part.rstrip("0123456789")
    return letter(word) + part[len(word) :] if word in GREEK else part


def _raised_order(frame: Items) -> int:
    """Take ^{\\prime\\prime} or ^{(3)} as derivatives; return how many, 0 if it is an exponent."""
    caret, arg = frame.take(), frame.take()
    inside = list(arg) if isinstance(arg, Braces) else [arg]
    texts = [x.text if isinstance(x, Atom) else "" for x in inside]
    if texts and all(text in ("prime", "'") for text in texts):
        return len(texts)
    if len(texts) == 3 and texts[0] == "(" and texts[2] == ")" and texts[1].isdigit():
        return min(int(texts[1][:4]), MAX_RATE + 1)
    frame.push(caret, arg)
    return 0


def _with_late_subscript(word: Word, frame: Items) -> Word:
    """Take the index of θ^2_1, which stands after the exponent."""
    caret, arg = frame.take(), frame.take()
    if is_sign(frame.peek(), "_"):
        word = _with_subscript(word, frame)
    frame.push(caret, arg)
    return word


def check_length(text: str, column: int) -> None:
    """Raise for a name that is too long."""
    if len(text) > MAX_NAME:
        raise ParseError(
            f"expected a name of at most {MAX_NAME} characters, got {text[:20]}… at column {column}"
        )
