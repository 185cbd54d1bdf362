"""Read what people, books and dalembert write: text, LaTeX and MathML become expressions.

It shares no code with the printer, `typeset`: what that writes is read back and compared.
"""

from dalembert.reader.parse import parse, parse_equation, unknown_words

__all__ = ["parse", "parse_equation", "unknown_words"]
