"""Tools from npm (`make web`): html-validate finds invalid HTML, acorn reads scripts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Final

from places import WEB

VALIDATOR: Final = WEB / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"

CONFIG: Final = WEB / "htmlvalidate.cjs"


def problems_in(folder: Path) -> list[str]:
    """Return a line per problem in a folder's pages: file, line, rule and message.

    A test that uses it needs the mark `needs("node", "npm")`.
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


_TOKENS: Final = """
const [acorn, file] = process.argv.slice(1);
const { tokenizer } = require(acorn);
const words = (text) => [...tokenizer(text, { ecmaVersion: "latest" })]
  .map(({ start, end }) => text.slice(start, end));
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(file, "utf8")).map(words)));
"""


def tokens_in(path: Path) -> list[list[str]]:
    """Return the tokens of each script in a JSON list; needs the mark `needs("node", "npm")`."""
    command = ["node", "-e", _TOKENS, str(WEB / "node_modules" / "acorn"), str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tokens: list[list[str]] = json.loads(told)
    return tokens
