"""axe-core in a page: everybody can read and use it. From npm (`make web`)."""

from __future__ import annotations

from typing import Any, Final

from places import WEB

AXE: Final = WEB / "node_modules" / "axe-core" / "axe.min.js"

RUN_AXE: Final = """
async tags => {
  // All rules, the experimental ones too; only AAA, which nobody promised, and retired ones not.
  const out = ["wcag2aaa", "wcag21aaa", "wcag22aaa", "deprecated"];
  const rules = axe.getRules(tags).filter(rule => !rule.tags.some(tag => out.includes(tag)));
  const values = rules.map(rule => rule.ruleId);
  const options = { runOnly: { type: "rule", values }, resultTypes: ["violations"] };
  const found = await axe.run(document, options);
  return found.violations.flatMap(violation => violation.nodes.map(
    node => `${violation.id}: ${node.target} ${node.failureSummary} ${node.html}`));
}
"""


def axe_core() -> str:
    """Return the script that a page is looked at by; a test with it `needs("npm")`."""
    return AXE.read_text(encoding="utf-8")


def violations(opened: Any, *tags: str) -> list[str]:
    """Return what the rules find in a page into which axe was put: those with a tag, or all."""
    told: list[str] = opened.evaluate(RUN_AXE, list(tags))
    return told
