"""Accessibility checks of a page by axe-core, from npm (`make web`)."""

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
    """Return axe-core's script; a test that uses it needs the mark `needs("npm")`."""
    return AXE.read_text(encoding="utf-8")


def violations(opened: Any, *tags: str) -> list[str]:
    """Return the violations in a page with axe-core, of rules with these tags or of all rules."""
    told: list[str] = opened.evaluate(RUN_AXE, list(tags))
    return told
