"""Reports: one page with all that is known about a mechanism or system.

`write` makes a self-contained HTML page, a PDF or a Markdown file; `sections` make its content,
`writers` the formats.
"""

from dalembert.report.build import Report, build
from dalembert.report.write import write

__all__ = ["Report", "build", "write"]
