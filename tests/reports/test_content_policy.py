"""What a page allows the browser: its own style and script, and nothing else."""

from __future__ import annotations

import base64
import hashlib

from lath.reports.page.page import policy


def hashed(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_a_page_allows_its_style_and_its_script() -> None:
    assert policy("p {}", "go()").split("; ") == [
        "default-src 'none'",
        f"style-src {hashed('p {}')}",
        f"script-src {hashed('go()')}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
