"""What a page allows the browser: its own style and script, and nothing else."""

from __future__ import annotations

import base64
import hashlib

from lath.reports.page.page import policy


def hashed(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_a_page_of_one_file_allows_its_style_and_its_script() -> None:
    assert policy("p {}", "go()", has_shards=False).split("; ") == [
        "default-src 'none'",
        f"style-src {hashed('p {}')}",
        f"script-src {hashed('go()')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_a_page_with_files_beside_it_allows_scripts_from_where_it_is() -> None:
    told = policy("p {}", "go()", has_shards=True).split("; ")
    assert f"script-src {hashed('go()')} 'self'" in told
    assert [one for one in told if "'self'" in one] == [told[2]]
