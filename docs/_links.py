"""Links that leave docs/ lead to the repository on the site; in the repository they are paths."""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text with `](../…)` of the docs folder's own level made absolute."""
    if "/" in page.file.src_uri:  # of reference/, where `../` stays inside
        return markdown
    return re.sub(r"\]\(\.\./", f"]({config['repo_url']}/blob/main/", markdown)
