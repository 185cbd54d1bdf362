"""Read an expression in any notation; nothing in a text is ever executed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dalembert.errors import ParseError
from dalembert.expr.node import Expr
from dalembert.reader.grammar import Parser, is_of_language
from dalembert.reader.limits import MAX_LENGTH
from dalembert.reader.notations.latex import latex_tokens
from dalembert.reader.notations.mathml import mathml_tokens
from dalembert.reader.notations.text import text_tokens
from dalembert.reader.tokens import Token
from dalembert.reader.vocabulary import Known, Vocabulary, without_rate


def parse(text: str, symbols: Known) -> Expr:
    r"""Read an expression as people, books and dalembert write it.

    Text (``m*l^2*theta.ddot``, ``m l² θ̈``), LaTeX (``m l^2 \ddot\theta``) and MathML are read.
    Numbers are exact: ``0.1`` is 1/10. Products need no sign; powers bind before signs, ``-x^2`` is
    -(x²). A rate is ``q.dot``, ``q'``, ``q_dot``, ``q̇`` or ``Derivative(q(t), t)``. What can be
    read in two ways, such as ``a/b c``, raises an error.

    Args:
        text: The expression, at most `MAX_LENGTH` characters.
        symbols: The symbols and functions that may occur, or a mapping from names to what they
            stand for.

    Returns:
        The expression.

    Raises:
        ParseError: The text is not an expression or exceeds a limit. The message gives the column.
        UnknownName: A name is neither in ``symbols`` nor a function. The message gives the nearest
            ones.
        DivisionByZero: A denominator folds to zero.
        InvalidExpression: An operation has no real value, such as ``log(-1)``.

    >>> from dalembert.expr import coordinates, parameters
    >>> (q,) = coordinates("q")
    >>> m, l = parameters("m l")
    >>> parse("1/2*m*(l*q.dot)^2", [q, m, l]) is m * (l * q.dot) ** 2 / 2
    True
    >>> parse(r"m l^2 \ddot{q}", [q, m, l]) is m * l**2 * q.ddot
    True
    """
    checked_text(text)
    return Parser(Vocabulary(symbols)).run(tokens_of(text))


def parse_equation(text: str, symbols: Known) -> tuple[Expr, Expr]:
    r"""Read both sides of an equation, ``left = right`` or ``left == right``.

    The notations and the errors are those of `parse`.

    >>> from dalembert.expr import coordinates
    >>> (x,) = coordinates("x")
    >>> parse_equation(r"\ddot{x} + x &= 0", [x])
    (ẍ + x, 0)
    """
    checked_text(text)
    sides: list[list[Token]] = [[]]
    for token in tokens_of(text):
        if token.kind == "equals":
            sides[-1].append(Token("end", "the end", token.column))
            sides.append([])
        else:
            sides[-1].append(token)
    if len(sides) != 2:
        raise ParseError(f"expected one = in an equation, got {len(sides) - 1}: split it")
    parser = Parser(Vocabulary(symbols))
    left, right = map(parser.run, sides)
    return left, right


def unknown_words(texts: Iterable[str], symbols: Known) -> list[str]:
    """Return the names in texts that neither ``symbols`` nor the language has, without their dots.

    >>> from dalembert.expr import coordinates
    >>> unknown_words(["q.dot = omega", "omega.dot = -sin(q)"], coordinates("q"))
    ['omega']
    """
    vocabulary = Vocabulary(symbols)
    found: dict[str, None] = {}
    for text in texts:
        for token in tokens_of(checked_text(text)):
            word = token.value
            if token.kind != "word" or vocabulary.factors(word) is not None:
                continue
            if not is_of_language(word, vocabulary):
                found[without_rate(word)] = None
    return list(found)


def checked_text(text: object) -> str:
    """Return a text of readable length.

    Raises:
        ParseError: it is no text, or too long.
    """
    if not isinstance(text, str):
        raise ParseError(f"expected text, got {type(text).__name__}: pass a str")
    if len(text) > MAX_LENGTH:
        raise ParseError(
            f"expected at most {MAX_LENGTH} characters, got {len(text)}: "
            "split the expression and add the parts"
        )
    return text


def tokens_of(text: str) -> Iterator[Token]:
    """Return the tokens of a text in the notation that it shows."""
    start = text.lstrip()
    if start.startswith(("<m", "<math")):
        return mathml_tokens(text)
    if "\\" in text or start.startswith("$"):
        return latex_tokens(text)
    return text_tokens(text)
