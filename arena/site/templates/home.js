// The cards of tournaments show how they stand, while the page is visible.

import { ROOT, ask } from "./common.js";

const EVERY_MS = 10_000;

// A picture stays until the next one is there, in a box of the same size.
/** @param {Element} card @param {ItemJson} line */
const update = (card, { key, is_playing: isPlaying, told, state, board, done, total }) => {
  const [picture, words, bar, count, live] = ["img", ".told", "progress", ".games span", ".live"].map((one) => /** @type {any} */ (card.querySelector(one)));
  const source = `${ROOT}/t/${key}/board.svg?v=${board}`;
  if (picture.getAttribute("src") !== source) picture.src = source;
  words.textContent = told;
  bar.hidden = !total;
  bar.value = total ? done / total : 0;
  count.textContent = state;
  live.hidden = !isPlaying;
};

const tell = async () => {
  if (document.hidden) return;
  let words = "";
  try {
    /** @type {ItemJson[]} */
    const lines = await ask("/api/items");
    const known = new Map(lines.map((line) => [line.key, line]));
    for (const card of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".tournament"))) {
      const line = known.get(card.dataset.key || "");
      if (line) update(card, line);
    }
    if (lines.filter(({ kind }) => kind === "tournament").length > document.querySelectorAll(".tournament").length) words = "There are new tournaments. Reload the page to see them.";
  } catch {
    words = "The site does not answer. This list may be out of date; it connects again by itself.";
    for (const live of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".live"))) live.hidden = true;
  }
  /** @type {HTMLElement} */ (document.getElementById("lost")).textContent = words;
};

setInterval(tell, EVERY_MS);
document.addEventListener("visibilitychange", tell);
