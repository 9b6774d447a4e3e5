// Walks through positions of games: what was played from each, what came of it, what else comes there.

/* global lath */
import { ROOT, ask, endTold, none, onSubmit, showCard, trying } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId, make, buttonOf } = lath;
const said = byId("said");

/** @type {StartJson | null} */
let start = null; // as the site gives it for what is asked
/** @type {string[]} */
let moves = [];
let asked = 0; // of the positions that are asked for the last one counts
/** @type {SiteBoard} */
let board = none;
/** @type {[NodeJson, PositionJson] | null} */
let shown = null; // a node and its position
let filter = ""; // what is chosen where the shown node is from

const chosen = () => ({ key: byId("source").value, where: byId("where").value.trim() });

// Where one is has an address, so that the browser's Back goes back.
const address = () =>
  `?${new URLSearchParams(Object.entries({ ...chosen(), ...start, moves: moves.join(" ") }).filter(([, value]) => value))}`;

/** @param {TallyJson} tally */
const chipOf = ({ first_wins: wins, draws, second_wins: losses, first_score: score }) =>
  (score ? lath.scoreChip({ wins, draws, games: wins + draws + losses, ...score }) : "–");

// A link to a game, with its date or its number, and all that is known of it where it is pointed at.
/** @param {ReferenceJson | null} found @param {boolean} isDated */
const gameLink = (found, isDated) => {
  if (!found) return "–";
  const { number, ply, first, second, result, date } = found;
  const { key, where } = chosen();
  const link = lath.linkOf(isDated && /\d/u.test(date || "") ? date : `#${number}`, `${ROOT}/analyse?${new URLSearchParams({ record: `${key}/${number}`, where, ply: String(ply) })}`);
  link.title = `#${number} ${first} – ${second} ${result}`;
  link.setAttribute("aria-label", `${link.title} ${date}`);
  return link;
};

/** @param {NodeJson} node */
const showWays = (node) => {
  const rows = node.continuations.map((one) => ({
    head: [buttonOf(lath.plainMove(one.move), () => goTo([...moves, one.move]), "move"), one.same.length > 0 ? make("small", "", ` ×${one.same.length + 1}`) : ""],
    games: one.played.games,
    cells: [chipOf(one.played), one.played.plies?.toFixed(1) ?? "–", lath.grouped(one.reached.games), chipOf(one.reached), gameLink(one.newest, true), gameLink(one.best, false)],
  }));
  const heads = ["First player’s score", "Plies", "Games", "First player’s score", "Newest", "Best"];
  const table = lath.waysTable(`Moves from here in ${board.title}, most frequent first.`, heads, rows, node.here.games || 1, [["", 1], ["Played from here", 4], ["Reached by any move order", 2], ["Example games", 2]]);
  lath.refill(byId("ways"), [rows.length > 0 ? table : make("p", "remark", "No games continue from here.")], () => byId("ways").querySelector("button") || byId("back"));
};

/** @param {NodeJson} node @param {PositionJson} now */
const showTold = (node, now) => {
  const { here, games, ended } = node;
  const seat = now.to_move;
  const state = now.is_over ? endTold(now, board.seats.map(([colour]) => colour)) : `${board.seats[seat][0]} (${["first", "second"][seat]} player) to move`;
  /** @type {Child[]} */
  const parts = [`${state}. ${lath.grouped(here.games)} of ${lath.counted(games, "game")} ${here.games === 1 ? "reaches" : "reach"} this position`];
  if (here.first_score) parts.push("; first player’s score ", chipOf(here));
  if (seat === 1 && here.mover_score) parts.push(`, second player’s score ${lath.percentOf(here.mover_score.value)}`);
  const names = new Set(moves.length > 0 ? node.continuations.flatMap(({ newest, best }) => [newest?.opening, best?.opening]).filter(Boolean) : []);
  if (names.size === 1) parts.push(`; the opening is ${[...names][0]}`);
  if (ended > 0 && !now.is_over) parts.push(`; ${lath.grouped(ended)} ${ended === 1 ? "ends" : "end"} here`);
  if (node.left_out > 0) parts.push(`. ${lath.counted(node.left_out, "record")} left out as invalid`);
  byId("told").replaceChildren(...parts, ".");
};

// Discs where a move changes one cell.
/** @param {NodeJson} node @param {PositionJson} now */
const discsOf = ({ continuations, here }, now) => {
  const cells = new Map(now.legal.map(([text, changed]) => [text, changed.length === 1 ? changed[0][0] : -1]));
  const ways = continuations.map(({ move, played }) => ({ cell: cells.get(move) ?? -1, games: played.games, low: played.first_score?.low ?? 0, high: played.first_score?.high ?? 1 }));
  return lath.wayDiscs(ways.filter(({ cell, games }) => cell >= 0 && games > 0), here.games);
};

/** @param {NodeJson} node */
const offerGames = ({ of_games: counts, game }) => {
  const options = Object.entries(counts).map(([id, count]) => new Option(`${id} (${lath.grouped(count)})`, id, false, id === game));
  byId("game").replaceChildren(...options);
  byId("game-of").hidden = options.length < 2;
};

/** @param {NodeJson} node @param {PositionJson} now */
const showPage = (node, now) => {
  offerGames(node);
  showCard(board);
  const discs = discsOf(node, now);
  table.show(now, true, discs);
  byId("discs-told").hidden = discs.length === 0;
  showWays(node);
  showTold(node, now);
  byId("way").replaceChildren(...lath.wayTo(["Start", ...moves.map((move, i) => `${i + 1}. ${lath.plainMove(move)}`)], (words, i) => buttonOf(words, () => goTo(moves.slice(0, i)))));
  for (const id of /** @type {const} */ (["to-start", "back"])) lath.dim(id, moves.length === 0);
  byId("text").value = now.text;
  byId("further").href = `${ROOT}/analyse?${new URLSearchParams({ game: node.game, position: now.text })}`;
};

// Asks about the position after a line, which may have another start, and shows it; one can come back to where one was.
/** @type {(line: string[], from?: { from?: Partial<StartJson> | null, isBack?: boolean }) => Promise<boolean>} */
const goTo = (line, { from = start, isBack = false } = {}) => trying(said, async () => {
  const [number, wanted] = [asked += 1, JSON.stringify(chosen())];
  table.hold();
  const slow = setTimeout(() => (said.textContent = "Reading the games."), 500);
  try {
    const node = await ask("/api/explore", { ...chosen(), ...from, moves: line });
    const [now, made] = await Promise.all([lookAt(node.start, line), board?.id === node.game ? board : table.setGame(node.game)]);
    if (asked !== number) return;
    [start, moves, board, shown, filter] = [node.start, line, made, [node, now], wanted];
    said.textContent = "";
    if (!isBack) history.pushState(null, "", address());
  } finally {
    clearTimeout(slow);
    if (asked === number) byId("desk").hidden = filter !== wanted; // its table would be of other games
    if (asked === number && shown) showPage(...shown); // what was there, where this went wrong
  }
});
const table = makeTable((move) => goTo([...moves, move]));

const fromAddress = () => {
  const asks = new URLSearchParams(location.search);
  /** @param {string} name */
  const of = (name) => asks.get(name) || "";
  if (of("key")) byId("source").value = of("key");
  byId("where").value = of("where");
  const from = of("game") ? { game: of("game"), setup: of("setup"), position: of("position") } : null;
  return goTo(of("moves").split(" ").filter(Boolean), { from, isBack: true });
};

if (byId("setup")) {
  byId("to-start").addEventListener("click", () => goTo([]));
  byId("back").addEventListener("click", () => moves.length > 0 && goTo(moves.slice(0, -1)));
  byId("source").addEventListener("change", () => goTo([], { from: null }));
  byId("game").addEventListener("change", () => goTo([], { from: { game: byId("game").value } }));
  onSubmit(byId("setup"), () => goTo(moves));
  addEventListener("popstate", fromAddress);
  fromAddress();
}
