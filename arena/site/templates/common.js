// What all pages of the site use: asking it, boards of games, a stream of news. `lath` is the report's.

/* global lath */

// What the addresses of the site begin with, which follows from its token: this script is `/static/common.js` there.
export let ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/u, "");

// The focus stays near the last action, also if the element that had it is removed or hidden.
// `around` has that element and its parents, from the inside out.
/** @type {Element[]} */
let around = [];
/** @param {Element} one */
const isShown = (one) => one.checkVisibility();
/** @param {Element} one */
const takesFocus = (one) => isShown(one) && !one.matches(":disabled");
addEventListener("focusin", ({ target }) => {
  around = [];
  for (let one = /** @type {Element | null} */ (target); one; one = one.parentElement) around.push(one);
});
addEventListener("pointerdown", () => {
  around = []; // a pointer may leave the element
});
new MutationObserver(() => {
  const [last, ...others] = around;
  const now = document.activeElement;
  if (!last || takesFocus(last) || (now && now !== last && now !== document.body)) return;
  for (const place of others.filter(isShown)) {
    const next = [...place.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].find(takesFocus);
    if (next) return void /** @type {HTMLElement} */ (next).focus({ preventScroll: true });
  }
}).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "disabled", "open"] });

// What changes something needs a secret, which the page that took the token has kept: see door.js.
const keys = () => {
  try {
    return JSON.parse(/** @type {string} */ (localStorage.getItem("lath-arena"))) || {};
  } catch {
    return {};
  }
};

// A site that was started again may have another token. Once a tab has opened its address, this page uses the new keys.
const follow = () => {
  const { root } = keys();
  if (!ROOT || root === ROOT || !/^\/[\w-]{20,}$/u.test(root)) return false;
  for (const name of ["href", "action"]) {
    for (const one of document.querySelectorAll(`[${name}^="${ROOT}/"]`)) one.setAttribute(name, root + one.getAttribute(name)?.slice(ROOT.length));
  }
  history.replaceState(history.state, "", location.href.replace(ROOT, root));
  ROOT = root;
  return true;
};

// What a variable has before a page opens what it is of; until then nothing asks for it.
export const none = /** @type {any} */ (null);

const RETRY_MS = 3000;
const AWAY = "The site does not answer. Check that arena serve is running. This page connects again by itself.";
const LOCKED = "The site was started again with another key. Open the address that arena serve printed in another tab. This page then continues.";
const LATER = "the site does not answer this page. Try again as soon as it does";
const UNCLEAR = "the answer of the site cannot be read. Try again, and reload the page if that does not help";

// A line on every page while the site does not answer; the page then asks again.
const bar = document.createElement("p");
bar.className = "away";
bar.setAttribute("role", "status");
document.querySelector("main")?.before(bar);
let again = 0;
/** @param {string} words */
const tellAway = (words) => {
  clearTimeout(again);
  if (bar.textContent !== words) bar.textContent = words; // told once
  document.body.classList.toggle("is-away", words !== "");
  if (words) again = setTimeout(look, RETRY_MS);
};
const look = () => void ask("/api/items").catch(() => {});
addEventListener("storage", () => follow() && look());
document.addEventListener("visibilitychange", () => document.hidden || look()); // an idle page asks for nothing else

/** @param {Error | null} error @returns {never} */
const lose = (error, words = AWAY) => {
  if (error?.name === "AbortError") throw error;
  tellAway(words);
  throw new Error(LATER);
};

// Why the site refuses, and what to do. Its own words are in JSON, or in plain text about the request.
/** @param {Response} answer */
const refusal = async (answer) => {
  const { status } = answer;
  const [text, kind] = [await answer.text().catch(() => ""), answer.headers.get("content-type") || ""];
  const isPlain = kind.startsWith("text/plain") && status < 500;
  const told = kind.startsWith("application/json") ? parsed(text).error || "" : isPlain && text.trim();
  const words = String(told || "").replace(/\.$/u, "");
  if (status === 404) return `${words || "not found"}. It may have been moved or deleted; see the start page`;
  if (status === 429 || status === 503) return /again/u.test(words) ? words : `${words || "the site is busy"}. Try again in a few seconds`;
  return words || `the site answered with status ${status}. See the messages of arena serve, then try again`;
};

// The answer to a request. All errors have words for people, except that of a request which the page itself ends.
/** @param {string} path @param {object} [body] @param {AbortSignal} [signal] @returns {Promise<Response>} */
const answerTo = async (path, body, signal) => {
  const headers = { accept: "application/json" };
  const { root, secret } = keys();
  const sent = { "content-type": "application/json", "lath-secret": root === ROOT ? secret : "" };
  const options = body === undefined ? { headers, signal } : { method: "POST", headers: { ...headers, ...sent }, body: JSON.stringify(body), signal };
  const answer = await fetch(`${ROOT}${path}`, options).catch(lose);
  if (ROOT && (answer.status === 401 || answer.status === 403)) {
    return follow() ? answerTo(path, body, signal) : lose(null, LOCKED);
  }
  tellAway("");
  if (!answer.ok) throw new Error(await refusal(answer));
  return answer;
};

/** @type {<T>(path: string, body?: object) => Promise<T>} */
export const ask = async (path, body) => {
  const value = parsed(await (await answerTo(path, body)).text().catch(() => ""));
  if (!value || typeof value !== "object") throw new Error(UNCLEAR);
  return value;
};

/** @param {string} path */
export const askText = async (path) => (await answerTo(path)).text();

// Asks for what comes in parts, a line of JSON each, until there are no more or `signal` is aborted.
/** @template [T=ThinkingPart] @param {string} path @param {object} body @param {AbortSignal} signal @returns {AsyncGenerator<T>} */
export async function* askFor(path, body, signal) {
  const answer = await answerTo(path, body, signal);
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
  let [text, hasCome] = ["", false];
  for (;;) {
    const { done, value } = await reader.read().catch(lose);
    if (done && (text || !hasCome)) throw new Error(UNCLEAR);
    if (done) return;
    hasCome = true;
    const lines = (text + value).split("\n");
    text = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      signal.throwIfAborted(); // a part that has come may be one too many
      yield parsed(line);
    }
  }
}

/** @param {string} text */
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(UNCLEAR);
  }
};

/** @type {Map<string, Promise<SiteBoard>>} */
const kept = new Map();

// What is known of a game's board, asked for once.
/** @type {(id: string) => Promise<SiteBoard>} */
const gameOf = (id) => {
  const known = kept.get(id) || ask(`/api/boards/${encodeURI(id)}`);
  kept.set(id, known);
  known.catch(() => kept.delete(id)); // the next request may succeed
  return known;
};

// A board turned by 180 degrees, with its labels upright.
/** @param {SiteBoard} game @param {DocumentFragment} content */
const turned = (game, content) => {
  const [left, top, width, height] = /** @type {string} */ (content.querySelector("svg").getAttribute("viewBox")).split(" ").map(Number);
  const sums = { x: 2 * left + width, y: 2 * top + height - Number(content.querySelector(".extras")?.dataset.room || 0) };
  for (const path of content.querySelectorAll("svg > path")) path.setAttribute("transform", `rotate(180 ${sums.x / 2} ${sums.y / 2})`);
  for (const label of content.querySelectorAll("svg > g:not(.sprites) text")) {
    const down = 0.72 * Number(label.parentElement?.getAttribute("font-size")); // a text hangs on its baseline
    label.setAttribute("x", String(sums.x - Number(label.getAttribute("x"))));
    label.setAttribute("y", String(sums.y + down - Number(label.getAttribute("y"))));
  }
  return { ...game, centres: game.centres.map((at, i) => (i % 2 ? sums.y : sums.x) - at) };
};

// A new board of a game, as `lath.makeBoard` gives it, with the game itself and the board as drawn.
/** @param {string} id @param {boolean} isFlipped */
export const boardOf = async (id, isFlipped = false) => {
  const game = await gameOf(id);
  const content = lath.parsed(game.drawn);
  const board = isFlipped ? turned(game, content) : game;
  return { game, board, ...lath.makeBoard(board, { content }) };
};

// Hears news for as long as the page is seen: a browser has six ways to a site, for all of its tabs.
// `hear` gets each list of parts. `lost` gets true if the site does not answer; the page then retries.
// Returns what ends it.
/** @template [Part=News] @param {string} path @param {(parts: Part[]) => void} hear @param {(isLost: boolean) => void} lost */
export const listen = (path, hear, lost = () => {}, { isHeardHidden = false } = {}) => {
  /** @type {EventSource | null} */
  let source = null;
  let timer = 0;
  let hasEnded = false;
  const open = () => {
    clearTimeout(timer);
    if (isHeardHidden && source && source.readyState !== EventSource.CLOSED) return;
    source?.close();
    if (hasEnded || (document.hidden && !isHeardHidden)) return;
    follow();
    source = new EventSource(`${ROOT}${path}`);
    source.onmessage = ({ data }) => {
      try {
        hear(parsed(data));
        lost(false);
      } catch {
        lost(true);
      }
    };
    source.onerror = () => {
      lost(true);
      look(); // tells why
      // A browser asks again after a broken connection, but not after a refusal.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, RETRY_MS);
    };
  };
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    hasEnded = true;
    source?.close();
  };
};

/** @param {number | null | undefined} seconds */
export const clockOf = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  const whole = Math.max(0, seconds);
  if (whole < 10) return `${whole.toFixed(1)} s`;
  return `${Math.floor(whole / 60)}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
};

/** @param {number | null | undefined} share */
export const percent = (share) => (share === null || share === undefined ? "" : `${(100 * share).toFixed(1)}%`);

// How a game stands or has ended, in words.
/** @param {PositionShown} part @param {string[]} names */
export const endTold = ({ winner, ending, is_loss: isLoss }, names) => {
  if (winner === null) return `Drawn: ${ending}`;
  const [whose, end] = isLoss ? [1 - winner, "lost"] : [winner, "won"];
  const verb = Object.keys(lath.HAPPENED).find((word) => lath.HAPPENED[word].test(ending));
  return `${names[whose]} ${verb ? `${verb} ${ending} and ${end}` : `${end}: ${ending}`}`;
};

// Does `act` and tells in `said` what went wrong, if something does; returns whether nothing did.
/** @type {(said: HTMLElement, act: () => unknown) => Promise<boolean>} */
export const trying = async (said, act) => {
  said.textContent = "";
  try {
    await act();
    return true;
  } catch (thrown) {
    const error = /** @type {Error} */ (thrown);
    if (error.name === "AbortError") return true;
    // Other errors than `Error` have words of the browser: an answer did not have what it must have.
    const words = error.constructor === Error ? error.message : UNCLEAR;
    said.textContent = `The request failed: ${words}.`.replace(/(?<=[.?])\.$/u, "");
    return false;
  }
};

// Shows what has become of a record that was to be kept: where it is, and a link to its text.
/** @param {HTMLElement} place @param {Omit<KeptJson, "tree">} kept */
export const showKept = (place, { text, file, error }) => {
  const link = lath.linkOf("Download", URL.createObjectURL(new Blob([text], { type: "text/plain" })));
  link.download = file || "game.lath";
  place.replaceChildren(error ? `Not saved: ${error}. ` : `Saved as ${file}. `, link);
};

// Lets a level be chosen where the bot has some; `about` is asked for once each.
/** @type {Map<string, AboutBot>} */
const about = new Map();
/** @type {(bot: string) => Promise<AboutBot | null | undefined>} */
export const offerLevels = async (bot) => {
  const place = lath.byId("level");
  if (place.dataset.bot === bot) return about.get(bot);
  place.dataset.bot = bot;
  lath.byId("level-of").hidden = true;
  place.replaceChildren();
  if (!bot) return null;
  try {
    if (!about.has(bot)) about.set(bot, await ask(`/api/bots/${encodeURIComponent(bot)}`, {}));
  } catch (error) {
    delete place.dataset.bot; // the next request may succeed
    throw error;
  }
  const { level } = /** @type {AboutBot} */ (about.get(bot));
  if (place.dataset.bot !== bot || !level) return about.get(bot);
  for (let at = level.lowest; at <= level.highest; at += 1) {
    const words = { [level.lowest]: `${at}, weakest`, [level.highest]: `${at}, strongest` }[at] || String(at);
    place.append(new Option(words, String(at), false, at === level.usual));
  }
  lath.byId("level-of").hidden = false;
  return about.get(bot);
};

// The game that is chosen, with its parameters; and chooses one. What is typed goes before those of
// the variant that is listed.
export const gameNow = () => {
  const typed = lath.byId("parameters").value.replace(/\s/gu, "");
  const { value } = lath.byId("game");
  return typed ? `${value.split(":")[0]}:${typed}` : value;
};
/** @param {string} id */
export const chooseGame = (id) => {
  const [name, ...parameters] = id.split(":");
  lath.byId("game").value = id;
  if (lath.byId("game").value === id) {
    lath.byId("parameters").value = "";
    return;
  }
  lath.byId("game").value = name;
  lath.byId("parameters").value = parameters.join(":");
};

export const levelNow = () => (lath.byId("level").value === "" ? null : Number(lath.byId("level").value));

// The rules of a game, and who it is by.
/** @param {SiteBoard} board */
const cardOf = ({ credit, card }) => [...card.split("\n").filter(Boolean).map((line) => lath.make("p", "", line)), lath.make("p", "remark", credit)];

// The rules in a window over the page: as moves on a board, where the game has lessons, and as text.
/** @param {SiteBoard} board */
export const openRules = async (board) => {
  const dialog = lath.make("dialog", "rules");
  const { makeLessons } = await import("./lessons.js");
  const lessons = await makeLessons(board.id);
  const title = `${board.title}: rules in a minute`;
  dialog.setAttribute("aria-label", title);
  const hidden = !document.querySelector('.bar a[href$="/play"]:not([aria-current])'); // where one plays already, or cannot
  const play = lath.linkOf("Play now", `${ROOT}/play?game=${board.id}`, "button main");
  play.hidden = hidden;
  dialog.append(lath.make("div", "head", null, lath.make("h2", "", title), lath.buttonOf("Close", () => dialog.close())), ...lessons.parts, ...cardOf(board), play);
  dialog.addEventListener("close", () => {
    lessons.stop();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  lessons.begin();
};

/** @param {SiteBoard} board */
export const showCard = (board) => {
  lath.byId("card").replaceChildren(...(board.lessons.length > 0 ? [lath.buttonOf("Rules in a minute", () => openRules(board))] : []), ...cardOf(board));
};

// The moves of a line as buttons with their numbers; `take` gets how many of them were asked for.
// Those that are there stay, so that a line can be clicked at and have the focus while it changes.
/** @type {WeakMap<HTMLElement, (count: number) => unknown>} */
const takers = new WeakMap();
/** @param {HTMLElement} place @param {string[]} moves @param {number} first @param {(count: number) => unknown} take */
export const showLine = (place, moves, first, take) => {
  takers.set(place, take);
  while (place.children.length > moves.length) /** @type {ChildNode} */ (place.lastChild).remove();
  while (place.children.length < moves.length) {
    const count = place.children.length + 1;
    place.append(lath.buttonOf("", () => takers.get(place)?.(count)));
  }
  moves.forEach((text, i) => {
    const words = `${first + i}. ${lath.plainMove(text)}`;
    if (place.children[i].textContent !== words) place.children[i].textContent = words;
  });
};

// Buttons and keys that step through a game: arrows outside the board, which has its own, and Page Up and Page Down on it.
/** @type {Record<string, StepId | undefined>} */
const STEPS = { Home: "to-start", ArrowLeft: "back", PageUp: "back", ArrowRight: "forward", PageDown: "forward", End: "to-end" };
/** @param {Record<StepId, () => unknown>} steps @param {() => boolean} isOn */
export const listenToSteps = (steps, isOn = () => true) => {
  for (const id of /** @type {StepId[]} */ (Object.keys(steps))) lath.byId(id).addEventListener("click", steps[id]);
  addEventListener("keydown", (event) => {
    const isText = event.target.closest?.("input, select, textarea");
    const id = event.key.startsWith("Page") && event.target.id !== "board" ? undefined : STEPS[event.key];
    if (isText || event.ctrlKey || event.metaKey || event.altKey || !id || !isOn()) return;
    event.preventDefault();
    steps[id]();
  });
};

/** @param {{ addEventListener: HTMLElement["addEventListener"] }} form @param {() => unknown} act */
export const onSubmit = (form, act) => form.addEventListener("submit", (event) => {
  event.preventDefault();
  act();
});

// What the address says of a setup goes into its fields.
/** @param {URLSearchParams} asks @param {("setup" | "position" | "bot" | "side")[]} names */
export const fillFrom = (asks, names) => {
  for (const name of names) {
    const id = name === "setup" || name === "position" ? /** @type {const} */ (`start-${name}`) : name;
    if (asks.has(name)) lath.byId(id).value = asks.get(name) ?? "";
  }
  if (asks.has("game")) chooseGame(asks.get("game") ?? "");
};

// A game that is chosen in the list goes without the parameters that were typed for another one.
/** @param {() => unknown} act */
export const onGame = (act) => {
  lath.byId("game").addEventListener("change", () => {
    lath.byId("parameters").value = "";
    act();
  });
  lath.byId("parameters").addEventListener("change", act);
};

// What a bot thinks of a position, in words; empty where it does not say.
/** @param {{ words: string }} thought */
export const valueTold = ({ words }) => words.replace(/^unknown(?:, )?/u, "");
