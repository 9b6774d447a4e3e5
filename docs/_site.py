"""What pages say otherwise on the site: links out of docs/, names of files, fenced examples."""

from __future__ import annotations

import re
from typing import Any

import griffe


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text for the site.

    Paths that leave docs/ become addresses in the repository, and a block of code that names the
    file it stands for has that name as its title.
    """
    out = "../" * (page.file.src_uri.count("/") + 1)
    markdown = markdown.replace(f"]({out}", f"]({config['repo_url']}/blob/main/")
    return re.sub(r"(?m)^```(\w+) ([\w.]+)$", r'```\1 title="\2"', markdown)


class Examples(griffe.Extension):
    """Docstrings whose examples are blocks of code, though no heading says that they come."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence each run of lines from `>>>` to the next empty one."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(
                r"(?m)^>>> (?:.+\n?)+", lambda block: f"```python\n{block[0].rstrip()}\n```\n", text
            )
