// A tournament as it is played: boards, standings, what was played last, start and stop.

/* global lath */
import { ask, boardOf, clockOf, endTold as endOf, listen, listenToSteps, openRules, percent, showLine, trying } from "./common.js";

const { byId, make, nameOf, buttonOf } = lath;
const { key } = byId("watch").dataset;
const isPublic = byId("watch").dataset.public === "yes";
const report = byId("report").href;

// How long a board stays as it ended before the next game of its place is shown.
const LINGER_MS = 1500;
const TICK_MS = 200;

// Nothing is called live while the site does not answer.
let [isPlaying, isLost, areFinal, isOver] = [false, false, false, false];

/** @param {HTMLElement} node @returns {Card} */
const cardOf = (node) => {
  const [bar, stage, enlarge] = /** @type {HTMLElement[]} */ ([...node.querySelectorAll(".field > *")]);
  const card = /** @type {Card} */ ({ node, bar, stage, enlarge, slot: "", game: "", shown: null, timer: 0 });
  card.told = /** @type {HTMLElement} */ (node.querySelector(".told"));
  card.players = [...node.querySelectorAll(".player")].toReversed();
  enlarge.addEventListener("click", () => open(card));
  stage.addEventListener("click", () => open(card));
  return card;
};

const places = [...byId("boards").querySelectorAll(".live-board")].map(cardOf);

const addPlace = () => {
  byId("boards").append(byId("place").content.cloneNode(true));
  places.push(cardOf(/** @type {HTMLElement} */ (byId("boards").lastElementChild)));
  return places[places.length - 1];
};

// Makes room for boards; those that are not in use leave.
/** @param {number} count */
const makeRoom = (count) => {
  while (places.length < count) addPlace();
  while (places.length > count && places[places.length - 1].slot === "") places.pop()?.node.remove();
};

// Before its first game a place shows the empty board.
/** @param {string} game */
const preview = async (game) => {
  for (const card of places.filter(({ shown, board }) => !shown && !board)) {
    const board = await boardOf(game);
    if (card.shown) continue;
    Object.assign(card, { game, board });
    card.stage.replaceChildren(board.element);
  }
};

// Elo ratings by bot, as the standings have them.
/** @type {Map<string, string>} */
const ratings = new Map();

// The clock of a player: that of who is to move runs, while the worker of the game is there.
/** @param {Card} card @param {number} seat */
const clockAt = (card, seat) => {
  const { shown } = card;
  const left = shown?.left_s[seat];
  const runs = shown && (card === large.card ? large.of : card)?.slot && isPlaying && !isLost && !shown.is_over && shown.to_move === seat;
  return clockOf(typeof left === "number" && runs ? left - (performance.now() - (shown.since ?? 0)) / 1000 : left);
};

/** @param {Card} card @param {SiteBoard} game */
const showPlayers = (card, game) => {
  const part = /** @type {LiveBoard} */ (card.shown);
  card.players.forEach((line, seat) => {
    const name = part.names[seat];
    line.replaceChildren(lath.chip(game, seat), nameOf(name), make("small", "", ratings.get(name) || ""), make("strong", "clock", clockAt(card, seat)));
    line.classList.toggle("turn", !part.is_over && part.to_move === seat);
    line.classList.toggle("winner", part.winner === seat);
  });
};

// A game that has ended, in the report.
/** @param {number | null} number */
const gameLink = (number) => lath.linkOf(`Game ${number}`, `${report}#game=${number}&ply=0`);

/** @param {LiveBoard} part */
const movesTold = ({ recent, ply }) => recent.map((move, i) => `${ply - recent.length + i + 1}. ${move}`).join(" ");

// The bar shows the share of the first player, who sits below.
/** @param {Card} card @param {SiteBoard} game */
const showBar = ({ bar, shown }, game) => {
  const { value, names, is_over: isOver, winner } = /** @type {LiveBoard} */ (shown);
  const sure = isOver ? [1, -1][winner ?? 2] ?? 0 : value;
  bar.classList.toggle("unknown", sure === null);
  [0, 1].forEach((seat) => bar.style.setProperty(["--first-seat", "--second-seat"][seat], game.seats[seat][1]));
  bar.style.setProperty("--share", `${50 + 50 * (sure ?? 0)}%`);
  bar.title = sure === null ? "No evaluation by the bots yet" : `Evaluation by the bots: ${names[0]} ${sure < 0 ? "−" : "+"}${Math.abs(sure).toFixed(2)}, on a scale from −1 (lost) to +1 (won)`;
  bar.setAttribute("aria-label", bar.title);
};

// The rules of each game type that a board has shown.
const offerRules = /** @param {SiteBoard} game */ (game) => {
  const words = `${game.title}: rules in a minute`;
  if (![...byId("rules").children].some((one) => one.textContent === words)) byId("rules").append(buttonOf(words, () => openRules(game)));
};

/** @param {Card} card @param {LiveBoard} part */
const draw = async (card, part) => {
  card.shown = part;
  if (card.game !== part.game) {
    const board = await boardOf(part.game);
    if (card.shown !== part) return;
    Object.assign(card, { game: part.game, board });
    card.stage.replaceChildren(board.element);
    offerRules(board.game);
  }
  const { game, show } = card.board;
  show({
    stacks: part.stacks, extras: part.extras, moved: part.moved, deciding: part.deciding, isLoss: part.is_loss,
    title: `Game ${part.number}: ${part.names.join(" against ")}, ${game.title}, after ply ${part.ply}`,
  });
  showPlayers(card, game);
  showBar(card, game);
  card.enlarge.hidden = false;
  card.enlarge.setAttribute("aria-label", `Enlarge game ${part.number}`);
  const line = make("span", "", null, part.is_over && part.is_kept ? gameLink(part.number) : `Game ${part.number}`, ` · ${game.title}`);
  card.told.replaceChildren(line, make("span", "", part.is_over ? endOf(part, part.names) : movesTold(part)));
  if (card === large.of) followLarge();
};

// A game that is over stays for a while: the next one waits.
/** @param {LiveBoard} part */
const takeBoard = (part) => {
  const card = places.find(({ slot }) => slot === part.slot) || places.find(({ slot }) => slot === "") || addPlace();
  part.since = performance.now();
  Object.assign(card, { slot: part.slot, next: part });
  if (card.timer) return;
  const lingers = card.shown && card.shown.is_over && card.shown.number !== part.number;
  const step = () => {
    card.timer = 0;
    draw(card, card.next);
  };
  if (lingers) card.timer = setTimeout(step, LINGER_MS);
  else step();
};

// A board whose worker has left keeps its place until another worker takes it.
/** @param {NewsParts["boards"]} news */
const takeBoards = ({ slots, are_last: areLast }) => {
  areFinal = areLast && slots.length > 0;
  showLive();
  for (const card of places) if (!slots.includes(card.slot)) card.slot = "";
};

// One board, enlarged: live, or at a ply of its game where one looks back.
/** @type {Large} */
const large = { card: cardOf(/** @type {HTMLElement} */ (byId("large").querySelector(".live-board"))), of: null, number: null, ply: null, history: null, isAsking: false };

const isShownLive = () => large.of?.shown?.number === large.number;
const lastPly = () => Math.max(large.history?.moves.length ?? 0, isShownLive() ? large.of?.shown?.ply ?? 0 : 0);

// The lines of both bots' evaluations, as far as the game has come.
const showEvals = () => {
  const { history, card, ply } = large;
  const [values, span] = [history?.values || [], Math.max(20, lastPly())];
  const names = card.shown?.names || [];
  const lines = [0, 1].flatMap((seat) => {
    const points = values.flatMap((value, i) => (value === null || history?.movers[i] !== seat ? [] : [[(100 * (i + 1)) / span, 36 - 32 * value]]));
    return points.length ? [{ seat, d: `M${[...points, ...points.slice(-1)].map((point) => point.join(" ")).join("L")}` }] : [];
  });
  const x = (100 * (ply ?? lastPly())) / span;
  byId("evals").replaceChildren(lath.drawn("path", { class: "level", d: "M0 36H100" }), ...lines.map(({ seat, d }) => lath.drawn("path", { class: `eval-${seat}`, d })), lath.drawn("path", { class: "now", d: `M${x} 0V72` }));
  byId("evals-told").replaceChildren(...(lines.length ? ["Evaluations by the bots, as bar and curves. Up favours ", nameOf(names[0]), ": ", ...lines.flatMap(({ seat }) => [lath.sample(`eval-${seat}`), " ", nameOf(names[seat]), " "])] : ["The bots report no evaluations."]));
};

const showLarge = async () => {
  const { of, ply, history, card } = large;
  const live = isShownLive() ? of?.shown : null;
  const from = history?.boards[(ply ?? lastPly()) - history.from];
  const part = live || card.shown;
  if (!part) return;
  const at = ply ?? part.ply;
  if (ply === null || !history || !from) await draw(card, part);
  else await draw(card, { ...part, ...from, ply, left_s: [null, null], recent: history.moves.slice(Math.max(0, ply - 4), ply), value: history.values.slice(0, ply).findLast((value) => value !== null) ?? null });
  byId("large-title").replaceChildren(...card.told.children[0].cloneNode(true).childNodes);
  byId("at").textContent = `${at} of ${lastPly()}`;
  const hasLive = isPlaying && !(live && part.is_over);
  if (!hasLive && document.activeElement === byId("again")) byId("back").focus();
  byId("again").hidden = !hasLive;
  lath.dim("again", ply === null);
  const moves = history?.moves || [];
  showLine(byId("plies"), moves, 1, go);
  [...byId("plies").children].forEach((button, i) => (i + 1 === at ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current")));
  const now = /** @type {HTMLElement | undefined} */ (byId("plies").children[at - 1]);
  if (now) byId("plies").scrollTop = now.offsetTop - byId("plies").clientHeight / 2;
  showEvals();
};

// Asks for the moves of the game, again if it has gone on meanwhile.
const askHistory = async () => {
  const { number, isAsking } = large;
  if (isAsking || number === null) return;
  large.isAsking = true;
  /** @type {HistoryJson | null} */
  const found = await ask(`/t/${key}/game/${number}`).catch(() => null); // the page tells of a lost connection
  large.isAsking = false;
  if (!byId("large").open) return;
  if (found && large.number === number) large.history = found;
  showLarge();
  if (large.number !== number || (found && isShownLive() && found.moves.length < lastPly())) askHistory();
};

const followLarge = () => {
  const shown = large.of?.shown;
  if (!shown || !byId("large").open) return;
  if (large.ply === null && shown.number !== large.number) Object.assign(large, { number: shown.number, history: null });
  showLarge();
  askHistory();
};

// Goes to a ply; the last one of a game in play is live.
/** @param {number} ply */
const go = (ply) => {
  const last = lastPly();
  large.ply = ply >= last && isShownLive() ? null : Math.min(Math.max(ply, large.history?.from ?? 0), last);
  showLarge();
};

/** @param {Card} card */
const open = (card) => {
  if (card === large.card || !card.shown) return;
  card.enlarge.focus({ preventScroll: true }); // it is returned to
  Object.assign(large, { of: card, number: null, ply: null, history: null });
  byId("large").showModal();
  followLarge();
};

// Of who has won or lost all, nobody knows how far it goes on one side.
/** @param {number | null} elo */
const eloTold = (elo) => (elo === null ? "unbounded" : `${Math.round(elo)}`.replace("-", "−"));
/** @param {Pick<EloJson, "low" | "high">} elo */
const endsTold = ({ low, high }) => {
  if (low !== null && high !== null) return `${eloTold(low)} to ${eloTold(high)}`;
  if (low === high) return "unbounded";
  return low === null ? `at most ${eloTold(high)}` : `at least ${eloTold(low)}`;
};

/** @param {StandingJson} row @param {boolean} hasElo */
const valuesOf = ({ low, high, elo, games }, hasElo) => {
  if (hasElo) return elo ? [eloTold(elo.value), endsTold(elo)] : ["", ""];
  const isKnown = games > 0 && typeof low === "number" && typeof high === "number";
  return ["", isKnown ? `${Math.round(100 * low)} to ${Math.round(100 * high)}%` : ""];
};

// Bots of different groups have never met, not even through others.
/** @param {number | undefined} group */
const groupRow = (group) => {
  const head = make("th", "", `Group ${group}: no games against the others`);
  Object.assign(head, { colSpan: 6, scope: "rowgroup" });
  return make("tr", "group", null, head);
};

/** @param {StandingJson[]} rows */
const showStandings = (rows) => {
  const groups = new Set(rows.map((row) => row.group));
  const hasElo = rows.some(({ elo }) => elo);
  byId("interval-head").textContent = hasElo || !rows.some(({ games }) => games) ? "Elo (95% interval)" : "Score, 95% interval";
  byId("standings").replaceChildren(...rows.flatMap((row, at) => {
    const above = groups.size > 1 && row.group !== rows[at - 1]?.group ? [groupRow(row.group)] : [];
    const name = make("th", "words", null, nameOf(row.name));
    name.scope = "row";
    const [value, interval] = valuesOf(row, hasElo);
    if (row.elo) ratings.set(row.name, `Elo ${value}`);
    const rank = row.games ? String(row.rank ?? "") : "";
    return [...above, make("tr", "", null, make("td", "rank", rank), name, make("td", "elo", null, value, make("small", "", hasElo && interval ? ` (${interval})` : interval)), make("td", "games", lath.grouped(row.games)), make("td", "points", row.games ? lath.pointsTold(row.points) : ""), make("td", "score", percent(row.score)))];
  }));
};

// The sheet of a swiss or the bracket of a knockout, drawn by the site; place and focus in it stay.
/** @param {NewsParts["sheet"]} news */
const takeSheet = ({ html }) => {
  const place = byId("sheet");
  const stops = () => [...place.querySelectorAll("a, .scroll")];
  const at = stops().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const across = place.querySelector(".scroll")?.scrollLeft || 0;
  place.innerHTML = html;
  place.querySelector(".scroll")?.scrollTo(across, 0);
  if (at >= 0) stops()[Math.min(at, stops().length - 1)]?.focus({ preventScroll: true });
};

// How an SPRT stands: the way of its ratio between the two bounds, as far as this page knows it.
/** @type {[games: number, llr: number][]} */
const way = [];

/** @param {StatusJson} status */
const showTest = ({ format, done, way: known = [] }) => {
  const test = format?.sprt;
  if (!test) return;
  byId("sprt").hidden = false;
  const [low, high] = test.bounds;
  if (way.length === 0) way.push(...known);
  if (way.at(-1)?.[0] !== done) way.push([done, test.llr]);
  const [from, to] = [way[0][0], Math.max(done, way[0][0] + 1)];
  /** @param {[games: number, llr: number]} point */
  const at = ([games, llr]) => `${(100 * (games - from)) / (to - from)} ${(40 * (high - Math.min(Math.max(llr, low), high))) / (high - low)}`;
  const told = `LLR ${llrTold(test.llr)}, between ${llrTold(low)} and ${llrTold(high)}: Elo ${eloTold(test.elo)} (${endsTold({ low: test.elo_low, high: test.elo_high })})`;
  /** @param {string} kind @param {string} d */
  const line = (kind, d) => lath.drawn("path", { class: kind, d });
  const drawn = lath.drawn("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": told },
    line("bound", "M0 0H100M0 40H100"), line("level", `M0 ${at([from, 0]).split(" ")[1]}H100`), line("way", `M${[...way, ...way.slice(-1)].map(at).join("L")}`));
  byId("sprt").replaceChildren(make("p", "", told), drawn);
};

/** @param {number} value */
const llrTold = (value) => value.toFixed(2).replace("-", "−");

/** @param {RecentGame} game */
const gameItem = (game) => {
  const winner = { "1-0": 0, "0-1": 1 }[game.result];
  const names = [game.first, game.second].map((name, seat) => {
    const made = nameOf(name);
    made.classList.toggle("winner", winner === seat);
    return made;
  });
  const how = game.termination === "rules" ? "" : `, ${game.termination}`;
  return make("li", "", null, gameLink(game.number), make("span", "", null, names[0], " – ", names[1]), make("span", "soft", `${game.result} · ${game.game}, ${lath.counted(game.plies, "ply").replace("plys", "plies")}${how}`));
};

// A list with games stays as it is for a pointer or the focus in it.
/** @type {RecentGame[]} */
let recent = [];
const showRecent = () => {
  if (!byId("recent").children.length || !byId("recent").matches(":hover, :focus-within")) byId("recent").replaceChildren(...recent.toReversed().map(gameItem));
};

/** @param {number | null | undefined} seconds */
const leftTold = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return ` · ${Math.round(seconds)} s left`;
  return seconds < 5400 ? ` · ${Math.round(seconds / 60)} min left` : ` · ${(seconds / 3600).toFixed(1)} h left`;
};

const showLive = () => {
  byId("live").hidden = !isPlaying || isLost;
  byId("boards-title").textContent = !areFinal || isPlaying ? "Boards" : isOver ? "Final boards" : "Last boards";
  byId("lost").textContent = isLost ? "The site does not answer. This page may be out of date; it connects again by itself." : "";
  document.body.classList.toggle("lost", isLost);
};

// The result in the words of the report; before the end who leads, or how a test stands.
/** @param {StatusJson} status */
const showResult = ({ is_playing: isOn, winner, result, verdict, note, done, words = [], standings = [] }) => {
  const told = (result || []).map(([text, isName]) => (isName ? nameOf(text) : text));
  const won = told.length || !winner ? told : ["Winner: ", nameOf(winner)];
  byId("winner").replaceChildren(...(isOn ? [] : won));
  byId("result").classList.toggle("running", isOn);
  const [best] = standings;
  const isOne = standings.every(({ group }) => group === best.group);
  const first = isOne ? standings.filter(({ rank, games }) => games && rank && rank === best.rank) : [];
  const named = first.flatMap(({ name }, at) => [at === 0 ? "" : at === first.length - 1 ? " and " : ", ", nameOf(name)]);
  const leads = first.length > 3 ? [`Leaders: ${first.length} bots`] : named.length ? [first.length > 1 ? "Leaders: " : "Leader: ", ...named] : [];
  const open = done || words.length ? [verdict || ""] : ["No game has been played yet."];
  byId("outcome").replaceChildren(...(isOn && !verdict ? leads : won.length ? [] : open), note ? ` ${note}` : "");
};

// A format without a sheet: its lines in words.
/** @param {StatusJson} status */
const showSheet = ({ words = [], verdict }) => {
  if (byId("sheet").querySelector(".scroll")) return;
  byId("sheet").replaceChildren(...words.filter((line) => line && !(verdict && line.startsWith(verdict))).map((line) => make("p", "remark", line)));
};

/** @param {StatusJson} status */
const takeStatus = (status) => {
  const playing = status.is_playing;
  if (status.title) byId("event").textContent = status.title;
  const isTurned = isPlaying !== playing;
  if (isTurned) byId("said").textContent = "";
  if (!isPlaying || !playing) makeRoom(status.places ?? places.length);
  if (status.game) preview(status.game);
  isPlaying = playing;
  isOver = Boolean(status.total) && status.done >= (status.total || 0);
  showLive();
  if (isTurned) followLarge();
  document.querySelector(".places")?.classList.toggle("by-points", ["round-robin", "swiss"].includes(status.tournament || ""));
  const speed = playing && status.rate ? `${status.rate < 10 ? status.rate.toFixed(1) : Math.round(status.rate)} games per second${leftTold(status.left_s)}` : "";
  byId("state").textContent = [status.state, status.tournament, speed || status.types].filter(Boolean).join(" · ");
  byId("progress").value = status.total ? status.done / status.total : 0;
  showResult(status);
  showStandings(status.standings || []);
  for (const card of places) if (card.shown && card.board) showPlayers(card, card.board.game);
  showTest(status);
  showSheet(status);
  recent = status.recent || [];
  byId("order").textContent = !recent.length ? "" : playing ? "Newest first; both games of a pair appear together." : "The highest number first.";
  showRecent();
  const warned = status.warned || [];
  const lines = [...warned, ...(status.log || [])];
  byId("log").replaceChildren(...lines.map((line) => make("p", "", line)));
  byId("log-title").textContent = warned.length ? `Log: ${lath.counted(warned.length, "warning")}` : "Log";
  byId("log-of").hidden = lines.length === 0;
  byId("report").hidden = !status.has_games;
  if (isPublic) return;
  byId("start").hidden = !status.can_start;
  byId("start").textContent = status.done > 0 ? "Resume" : "Start";
  byId("stop").hidden = !status.can_stop;
};

/** @type {{ [K in keyof NewsParts]: (part: NewsParts[K]) => unknown }} */
const takes = { status: takeStatus, boards: takeBoards, board: takeBoard, sheet: takeSheet };

/** @param {"start" | "stop"} what */
const order = (what) => () => trying(byId("said"), async () => {
  await ask(`/t/${key}/${what}`, {});
  byId("said").textContent = what === "stop" ? "Stopping after writing the files." : "Starting.";
});

if (!isPublic) {
  byId("start").addEventListener("click", order("start"));
  byId("stop").addEventListener("click", order("stop"));
}

listenToSteps({
  "to-start": () => go(0), back: () => go((large.ply ?? lastPly()) - 1), forward: () => go((large.ply ?? lastPly()) + 1), "to-end": () => go(Infinity),
}, () => byId("large").open);
byId("again").addEventListener("click", () => {
  large.ply = null;
  followLarge();
});
byId("large-close").addEventListener("click", () => byId("large").close());
byId("evals").addEventListener("click", (event) => go(Math.round((Math.max(20, lastPly()) * event.offsetX) / byId("evals").clientWidth)));
for (const type of /** @type {const} */ (["pointerleave", "focusout"])) byId("recent").addEventListener(type, () => setTimeout(showRecent));

setInterval(() => {
  for (const card of [...places, large.card]) if (card.shown) card.players.forEach((line, seat) => line.querySelector(".clock")?.replaceChildren(clockAt(card, seat)));
}, TICK_MS);

listen(`/t/${key}/events`, (parts) => parts.forEach((part) => /** @type {(part: News) => unknown} */ (takes[part.part])?.(part)), (lost) => {
  isLost = lost;
  showLive();
});
