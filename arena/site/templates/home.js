// The lists of the start page show how all stands, while the page is visible.

import { ROOT, ask, askText } from "./common.js";

const EVERY_MS = 10_000;

// Shows a line of the list in its entry; false if that needs another entry.
// A picture stays until the next one is there, in a box of the same size.
/** @param {HTMLElement | undefined} entry @param {ItemJson} line */
const isShown = (entry, { key, kind, has_games: hasGames, is_playing: isPlaying, told, state, board, done, total }) => {
  if (!entry || kind !== "tournament") return Boolean(entry);
  const [picture, words, bar, count, live] = ["img", ".told", "progress", ".games span", ".live"].map((one) => /** @type {any} */ (entry.querySelector(one)));
  const source = `${ROOT}/t/${key}/board.svg?v=${board}`;
  if (picture.getAttribute("src") !== source) picture.src = source;
  words.textContent = told;
  bar.hidden = !total;
  bar.value = total ? done / total : 0;
  count.textContent = state;
  live.hidden = !isPlaying;
  return hasGames === Boolean(entry.querySelector(".aside"));
};

/** @param {ParentNode} place */
const entriesIn = (place) => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("li[data-key]")]);

// What is known stays, with its picture, the focus and what was typed.
/** @param {Map<string | undefined, HTMLElement>} known */
const renew = async (known) => {
  const made = new DOMParser().parseFromString(await askText("/"), "text/html").getElementById("lists");
  const focus = /** @type {HTMLElement} */ (document.activeElement);
  for (const entry of made ? entriesIn(made) : []) entry.replaceWith(known.get(entry.dataset.key) || entry);
  document.getElementById("lists")?.replaceWith(made || "");
  focus.focus({ preventScroll: true });
};

const tell = async () => {
  if (document.hidden) return;
  let words = "";
  try {
    /** @type {ItemJson[]} */
    const lines = await ask("/api/items");
    const known = new Map(entriesIn(document).map((entry) => [entry.dataset.key, entry]));
    const others = lines.filter((line) => !isShown(known.get(line.key), line));
    for (const { key } of others) known.delete(key);
    if (others.length > 0 || lines.length !== document.querySelectorAll(".shelf > li").length) await renew(known);
  } catch {
    words = "The site does not answer. This list may be out of date; it connects again by itself.";
    for (const live of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".live"))) live.hidden = true;
  }
  /** @type {HTMLElement} */ (document.getElementById("lost")).textContent = words;
};

setInterval(tell, EVERY_MS);
document.addEventListener("visibilitychange", tell);
