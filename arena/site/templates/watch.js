// A tournament as it is played: boards, standings, what was played last, start and stop.

/* global lath */
import { ask, boardOf, chipOf, clockOf, endTold as endOf, listen, percent } from "./common.js";

const { byId, make, nameOf } = lath;
const { key } = byId("watch").dataset;
const isPublic = byId("watch").dataset.public === "yes";
const report = byId("report").href;

// How long a board stays as it ended before the next game of its place is shown.
const LINGER_MS = 1500;

/** @type {Map<string, Card>} */
const cards = new Map();

/** @param {string} slot */
const makeCard = (slot) => {
  /** @type {Card} */
  // @ts-expect-error - `takeBoard` and `draw` see to the board and to what is next
  const card = { slot, node: make("figure", "live-board"), names: make("figcaption"), stage: make("div", "stage"), told: make("p", "remark"), board: null, game: "", shown: null, next: null, timer: 0 };
  card.node.append(card.names, card.stage, card.told);
  cards.set(slot, card);
  byId("boards").append(card.node);
  return card;
};

/** @param {LiveBoard} part @param {number} seat @param {SiteBoard} game */
const seatLine = (part, seat, game) => {
  const line = make("span", "seat", null, chipOf(game, seat), nameOf(part.names[seat]));
  const clock = clockOf(part.left_s[seat]);
  const value = part.evals[seat];
  if (value !== null && value !== undefined) line.append(make("small", "", `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`));
  if (clock) line.append(make("small", "clock", clock));
  line.classList.toggle("turn", !part.is_over && part.to_move === seat);
  line.classList.toggle("winner", part.winner === seat);
  return line;
};

// A game that has ended, in the report.
/** @param {number | null} number */
const gameLink = (number) => {
  const link = make("a", "", `Game ${number}`);
  link.href = `${report}#game=${number}&ply=0`;
  return link;
};

/** @param {LiveBoard} part */
const endTold = (part) => {
  if (!part.is_over) return part.last ? `${part.ply}. ${part.last}` : "begins";
  return endOf(part, part.names);
};

/** @param {Card} card @param {LiveBoard} part */
const draw = async (card, part) => {
  card.shown = part;
  if (card.game !== part.game) {
    const board = await boardOf(part.game);
    if (card.shown !== part) return;
    Object.assign(card, { game: part.game, board });
    card.stage.replaceChildren(board.element);
  }
  const { game, show } = card.board;
  show({
    stacks: part.stacks, moved: part.moved, deciding: part.deciding, isLoss: part.is_loss,
    title: `Game ${part.number}: ${part.names.join(" against ")}, ${game.title}, after ply ${part.ply}`,
  });
  card.names.replaceChildren(seatLine(part, 0, game), seatLine(part, 1, game));
  card.told.replaceChildren(part.is_over ? gameLink(part.number) : `Game ${part.number}`, ` · ${game.title} · ${endTold(part)}`);
};

// A game that is over stays for a while: the next one waits.
/** @param {LiveBoard} part */
const takeBoard = (part) => {
  const card = cards.get(part.slot) || makeCard(part.slot);
  card.next = part;
  if (card.timer) return;
  const lingers = card.shown && card.shown.is_over && card.shown.number !== part.number;
  const step = () => {
    card.timer = 0;
    draw(card, card.next);
  };
  if (lingers) card.timer = setTimeout(step, LINGER_MS);
  else step();
};

/** @param {NewsParts["boards"]} news */
const takeBoards = ({ slots, are_last: areLast }) => {
  byId("boards-title").textContent = areLast && slots.length ? "Final boards" : "Boards";
  for (const [slot, card] of cards) {
    if (!slots.includes(slot)) {
      clearTimeout(card.timer);
      card.node.remove();
      cards.delete(slot);
    }
  }
  byId("no-boards").hidden = slots.length > 0;
};

/** @param {string} text @param {"td" | "th"} name */
const cell = (text, name = "td") => make(name, "", text);

// Of who has won or lost all, nobody knows how far it goes on one side.
/** @param {number | null} elo */
const eloTold = (elo) => (elo === null ? "unbounded" : `${Math.round(elo)}`);

/** @param {StandingJson} row */
const intervalOf = ({ low, high, elo }) => {
  if (elo) return `Elo ${eloTold(elo.value)} (${eloTold(elo.low)} to ${eloTold(elo.high)})`;
  return low === null || low === undefined ? "" : `${Math.round(100 * low)} to ${Math.round(100 * /** @type {number} */ (high))} %`;
};

// Bots of different groups have never met, not even through others.
/** @param {number | undefined} group */
const groupRow = (group) => {
  const head = make("th", "", `Group ${group}`);
  Object.assign(head, { colSpan: 5, scope: "rowgroup" });
  return make("tr", "group", null, head);
};

/** @param {StandingJson[]} rows */
const showStandings = (rows) => {
  const groups = new Set(rows.map((row) => row.group));
  byId("standings").replaceChildren(...rows.flatMap((row, at) => {
    const above = groups.size > 1 && row.group !== rows[at - 1]?.group ? [groupRow(row.group)] : [];
    const name = make("th", "", null, nameOf(row.name));
    name.scope = "row";
    return [...above, make("tr", "", null, name, cell(lath.grouped(row.games)), cell(String(row.points)), cell(percent(row.score)), cell(intervalOf(row)))];
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

// How an SPRT stands: the way of its ratio between the two bounds, as far as this page has seen it.
/** @type {[games: number, llr: number][]} */
const way = [];

/** @param {StatusJson["format"]} format @param {number} done */
const showTest = (format, done) => {
  const test = format?.sprt;
  byId("sprt").hidden = !test;
  if (!test) return;
  const [low, high] = test.bounds;
  if (way.at(-1)?.[0] !== done) way.push([done, test.llr]);
  const [from, to] = [way[0][0], Math.max(done, way[0][0] + 1)];
  /** @param {[games: number, llr: number]} point */
  const at = ([games, llr]) => `${(100 * (games - from)) / (to - from)} ${(40 * (high - Math.min(Math.max(llr, low), high))) / (high - low)}`;
  const told = `LLR ${llrTold(test.llr)}, between ${llrTold(low)} and ${llrTold(high)}: Elo ${eloTold(test.elo)} (${eloTold(test.elo_low)} to ${eloTold(test.elo_high)})`;
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
  return make("li", "", null, gameLink(game.number), ": ", names[0], " – ", names[1], make("span", "soft", ` ${game.result} · ${game.game}, ${lath.counted(game.plies, "ply").replace("plys", "plies")}${how}`));
};

/** @param {number | null | undefined} seconds */
const leftTold = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return ` · ${Math.round(seconds)} s left`;
  return seconds < 5400 ? ` · ${Math.round(seconds / 60)} min left` : ` · ${(seconds / 3600).toFixed(1)} h left`;
};

// Nothing is called live while the site does not answer.
let isPlaying = false;
let isLost = false;
const showLive = () => {
  byId("live").hidden = !isPlaying || isLost;
  byId("lost").textContent = isLost ? "The site does not answer. This page may be out of date; it connects again by itself." : "";
  document.body.classList.toggle("lost", isLost);
};

/** @param {StatusJson} status */
const takeStatus = (status) => {
  const playing = status.is_playing;
  if (status.event) byId("event").textContent = status.event;
  if (isPlaying !== playing) byId("said").textContent = "";
  isPlaying = playing;
  showLive();
  const counts = status.total ? `${lath.grouped(status.done)} of ${lath.counted(status.total, "game")}` : "";
  const speed = playing && status.rate ? ` · ${status.rate < 10 ? status.rate.toFixed(1) : Math.round(status.rate)} games per second${leftTold(status.left_s)}` : "";
  byId("state").textContent = `${status.tournament || ""} · ${counts}${speed}`;
  byId("progress").value = status.total ? status.done / status.total : 0;
  byId("winner").replaceChildren(...(status.winner ? ["Winner: ", nameOf(status.winner)] : []));
  const words = status.words?.length && !byId("sheet").firstElementChild ? status.words : [status.verdict || ""];
  byId("outcome").replaceChildren(...words.filter(Boolean).map((line) => make("p", "", line)));
  const rows = status.standings || [];
  byId("interval-head").textContent = rows.some((row) => row.elo) ? "Elo, 95% interval" : "95% interval";
  showStandings(rows);
  showTest(status.format, status.done);
  byId("recent").replaceChildren(...(status.recent || []).toReversed().map(gameItem));
  const lines = [...(status.warned || []), ...(status.log || [])];
  byId("log").replaceChildren(...lines.map((line) => make("p", "", line)));
  byId("log-title").hidden = lines.length === 0;
  byId("log").hidden = lines.length === 0;
  byId("recent-title").hidden = !(status.recent || []).length;
  byId("report").hidden = !status.has_games;
  if (isPublic) return;
  byId("start").hidden = !status.can_start;
  byId("start").textContent = status.done > 0 ? "Resume" : "Start";
  byId("stop").hidden = !status.can_stop;
};

/** @type {{ [K in keyof NewsParts]: (part: NewsParts[K]) => unknown }} */
const takes = { status: takeStatus, boards: takeBoards, board: takeBoard, sheet: takeSheet };

/** @param {"start" | "stop"} what */
const order = (what) => async () => {
  byId("said").textContent = "";
  try {
    await ask(`/t/${key}/${what}`, {});
    byId("said").textContent = what === "stop" ? "Stopping after writing the files." : "Starting.";
  } catch (error) {
    byId("said").textContent = `The request failed: ${/** @type {Error} */ (error).message}.`;
  }
};

if (!isPublic) {
  byId("start").addEventListener("click", order("start"));
  byId("stop").addEventListener("click", order("stop"));
}
listen(`/t/${key}/events`, (parts) => parts.forEach((part) => /** @type {(part: News) => unknown} */ (takes[part.part])?.(part)), (lost) => {
  isLost = lost;
  showLive();
});
