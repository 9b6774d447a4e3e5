// The page reloads itself while a tournament is played, and restores its state. The address has the
// game and the ply, and the list of games restores itself. This file restores open parts, the
// scroll position and the focus. It does not reload while the reader is active.
(() => {
  const note = /** @type {HTMLElement} */ (document.getElementById("refresh"));
  if (!note) return;
  const told = /** @type {HTMLElement} */ (document.getElementById("refresh-told"));
  const button = /** @type {HTMLElement} */ (document.getElementById("refresh-pause"));
  const seconds = Number(note.dataset.seconds);
  const key = `lath-refresh ${location.pathname}`;
  const rest = 10000; // milliseconds without a key or pointer event after which the reader counts as inactive
  const settling = 3000; // milliseconds for the page to reach its former height
  const now = () => performance.now();
  let touched = -Infinity;
  let paused = false;
  let due = now() + 1000 * seconds;

  /** @returns {Partial<KeptPlace>} */
  function kept() {
    try {
      return JSON.parse(/** @type {string} */ (sessionStorage.getItem(key))) || {};
    } catch {
      return {};
    }
  }

  /** @param {object} values */
  function keep(values) {
    try {
      sessionStorage.setItem(key, JSON.stringify(values));
    } catch {
      // Without storage, the page starts at its top; the address still has the game.
    }
  }

  const details = () => [...document.querySelectorAll("details")];

  function leave() {
    const open = details().map((one) => one.open);
    const focus = document.activeElement ? document.activeElement.id : "";
    keep({ paused, left: scrollX, top: scrollY, open, focus });
  }

  // Parts that load later make the page longer, so it scrolls until the former position is reached.
  /** @param {KeptPlace} was */
  function scrollBack(was) {
    const until = now() + settling;
    const step = () => {
      if (touched > -Infinity || now() > until) return;
      if (Math.abs(scrollY - was.top) > 1 || Math.abs(scrollX - was.left) > 1) {
        scrollTo({ left: was.left, top: was.top, behavior: "instant" });
      }
      setTimeout(step, 50);
    };
    step();
  }

  /** @param {KeptPlace} was */
  function comeBack(was) {
    details().forEach((one, at) => (one.open = was.open[at] === true));
    document.getElementById(was.focus)?.focus({ preventScroll: true });
    scrollBack(was);
  }

  function isReplaying() {
    const seek = /** @type {HTMLInputElement | null} */ (document.getElementById("seek"));
    if (!seek || (typeof lath === "object" && lath.isBusy && lath.isBusy())) return Boolean(seek);
    const { top, bottom } = seek.getBoundingClientRect();
    const inside = Number(seek.value) > Number(seek.min) && Number(seek.value) < Number(seek.max);
    return inside && bottom > 0 && top < innerHeight;
  }

  function isTyping() {
    const field = /** @type {HTMLInputElement | null} */ (document.activeElement);
    return field !== null && field.matches("input[type=search], input[type=text]") && field.value !== "";
  }

  function isBusy() {
    const soon = now() - touched < rest;
    return soon || document.hidden || isTyping() || isReplaying() || String(getSelection()) !== "";
  }

  function say() {
    const often = seconds === 1 ? "every second" : `every ${seconds} seconds`;
    told.textContent = paused ? "Refreshing is paused" : `Refreshing ${often}`;
    button.setAttribute("aria-pressed", String(paused));
  }

  function look() {
    if (!paused && now() >= due && !isBusy()) {
      leave();
      due = Infinity;
      location.reload();
    }
  }

  /** @param {Event} event */
  function touch(event) {
    if (event.isTrusted && !note.contains(/** @type {Node} */ (event.target))) touched = now();
  }

  button.addEventListener("click", () => {
    paused = !paused;
    due = now() + 1000 * seconds;
    keep({ paused });
    say();
  });
  for (const kind of ["keydown", "pointerdown", "input", "wheel", "touchmove"]) addEventListener(kind, touch, { capture: true, passive: true });
  const was = kept();
  const [{ type } = {}] = /** @type {Partial<PerformanceNavigationTiming>[]} */ (performance.getEntriesByType("navigation"));
  paused = was.paused === true;
  if (type === "reload" && was.open) comeBack(/** @type {KeptPlace} */ (was));
  keep({ paused });
  note.hidden = false;
  say();
  setInterval(look, 250);
})();
