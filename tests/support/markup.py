"""html-validate over pages: what is no valid HTML in them. From npm (`make web`)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Final

from places import WEB

VALIDATOR: Final = WEB / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"

CONFIG: Final = WEB / "htmlvalidate.cjs"


def problems_in(folder: Path) -> list[str]:
    """Return what is said of the pages of a folder: file, line, rule, words; one run for all.

    A test with it `needs("node", "npm")`.
    """
    told = folder / "told.json"
    command = ["node", str(VALIDATOR), "--config", str(CONFIG), "--formatter", f"json={told}"]
    ran = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
    assert told.is_file(), ran.stderr
    return [
        f"{Path(report['filePath']).name}:{said['line']}:{said['column']} "
        f"{said['ruleId']}: {said['message']}"
        for report in json.loads(told.read_text())
        for said in report["messages"]
    ]
