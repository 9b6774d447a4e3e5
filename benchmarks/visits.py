"""How a page answers in Chromium: from opening it to the first answer, and each answer after that.

Must not know how pages are made. Times are taken inside the page, by its own clock, from an event
to the state that it leads to, laid out; waiting for the next frame and painting are left out.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

CHROMIUM: Final = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)

_FLAGS = ("--no-sandbox", "--disable-gpu", "--enable-precise-memory-info")

_INTERACTIVE = """
(() => {
  const parts = %s.map(part => new Function(`return ${part}`)());
  const look = () => {
    if (document.readyState === "complete") {
      while (parts.length > 0 && parts[0]()) parts.shift();
    }
    if (parts.length > 0) setTimeout(look, 0);
    else requestAnimationFrame(() => setTimeout(() => { window.answered_ms = performance.now(); }));
  };
  look();
})();
"""
"""Asks part after part of the page for an answer, from the start on; notes when all have given it
and the frame after that has been made."""

_FILLED = """
watched => watched.every(selector => document.querySelector(selector)?.textContent)
"""

_ANSWERS = """
async ([actions, watched, expected]) => {
  const nodes = watched.map(selector => document.querySelector(selector));
  const state = () => nodes.map(node => node.textContent).join("|");
  const next = () => new Promise(done => setTimeout(done));
  const settled = () => new Promise(done => setTimeout(() => requestAnimationFrame(done), 20));
  const act = ([selector, value]) => {
    const target = selector === "" ? document.activeElement : document.querySelector(selector);
    const options = { bubbles: true, cancelable: true };
    if (value === null) target.click();
    else if (selector === "") {
      target.dispatchEvent(new KeyboardEvent("keydown", { key: value, ...options }));
    } else {
      target.value = value;
      target.dispatchEvent(new InputEvent("input", options));
    }
  };
  const states = [], times = [];
  for (const [number, action] of actions.entries()) {
    const began = performance.now();
    act(action);
    while (expected !== null && state() !== expected[number]) {
      if (performance.now() - began > 10000) throw new Error(`no answer to ${action}`);
      await next();
    }
    document.documentElement.getBoundingClientRect();
    times.push(performance.now() - began);
    await settled();
    states.push(state());
  }
  return [states, times];
}
"""


Action = tuple[str, str | None]
"""A selector and None: a click; and a text: what its field then holds. No selector: a key."""


@dataclass(frozen=True, slots=True)
class Opened:
    """One visit of a page, from the start of its navigation."""

    interactive_ms: float
    heap_mb: float
    """What its script holds."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Run Debian's Chromium; raises OSError where there is none."""
    if CHROMIUM is None:
        raise OSError("no chromium on the PATH")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield browser
        browser.close()


@contextmanager
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(120_000)
    yield context.new_page()
    context.close()


@contextmanager
def _settled(browser: Any, address: str, watched: Sequence[str]) -> Iterator[Any]:
    """Open the page and wait: what follows is not the end of opening it."""
    with _page(browser) as page:
        page.goto(address)
        page.wait_for_function(_FILLED, arg=watched)
        page.wait_for_timeout(300)
        yield page


def opened(browser: Any, address: str, parts: Sequence[str]) -> Opened:
    """Open the page anew; `parts` are functions of script that are true once a part answers."""
    with _page(browser) as page:
        page.add_init_script(_INTERACTIVE % json.dumps(list(parts)))
        page.goto(address)
        page.wait_for_function("() => window.answered_ms")
        heap = page.evaluate("performance.memory.usedJSHeapSize")
        return Opened(page.evaluate("window.answered_ms"), heap / 1e6)


def answers(
    browser: Any, address: str, actions: Sequence[Action], watched: Sequence[str]
) -> list[float]:
    """Return the time of each action in ms, until what it leads to stands in `watched`.

    What it leads to is learnt in a visit before, in which nothing is timed. An element that is
    watched holds some text as soon as the page has opened.
    """
    with _settled(browser, address, watched) as page:
        expected, _ = page.evaluate(_ANSWERS, [actions, watched, None])
    with _settled(browser, address, watched) as page:
        _, times = page.evaluate(_ANSWERS, [actions, watched, expected])
    return [float(time) for time in times]
