"""What pages say otherwise on the site: commands, links out of docs/, files, fenced examples."""

from __future__ import annotations

import re
from typing import Any

import _tables
import griffe


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text for the site.

    Comments that name a table become the table. Paths that leave docs/ become addresses in the
    repository. A block of code that names the file it stands for has that name as its title. A
    board is a block of text.
    """
    markdown = _tables.filled(markdown)
    out = "../" * (page.file.src_uri.count("/") + 1)
    markdown = markdown.replace(f"]({out}", f"]({config['repo_url']}/blob/main/")
    markdown = re.sub(r"(?m)^```board .+$", "```text", markdown)
    return re.sub(r"(?m)^```(\w+) ([\w.-]+)$", r'```\1 title="\2"', markdown)


class Examples(griffe.Extension):
    """Docstrings whose examples are blocks of code, though no heading says that they come."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence each run of lines from `>>>` to the next empty one."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(
                r"(?m)^>>> (?:.+\n?)+", lambda block: f"```python\n{block[0].rstrip()}\n```\n", text
            )
