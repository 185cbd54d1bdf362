"""A lexer for each notation: text, LaTeX and MathML become the tokens of one grammar."""
