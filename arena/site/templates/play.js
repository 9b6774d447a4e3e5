// A game: against a bot, or between two people at one screen. The page has it; the site tells what is
// legal, lets the bot think and keeps the record.

/* global lath */
import { ROOT, ask, askFor, chooseGame, clockOf, endTold, fillFrom, gameNow, levelNow, listenToSteps, none, offerLevels, onGame, onSubmit, percent, showCard, showKept, showLine, trying, valueTold } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId, make, nameOf, buttonOf, chip } = lath;
const KEPT = "lath-game";
const COACH = "solver";
const WON_BY = ["1-0", "0-1"];
const STOPPED = "the site has stopped. Try again as soon as it runs";
const ANALYSES = "lath-analyses"; // what analyse.js keeps
const LEVEL = "lath-level-"; // before a bot's name: the level that was chosen last
const ENDS = /** @type {const} */ (["resign", "new"]);
const SURE = ": sure?";

/** @type {Sitting} */
let game = none; // what is played: see `begin`
/** @type {PositionJson} */
let now = none; // the position on the board
let thinking = new AbortController(); // of the last question to a bot
/** @type {number | null} */
let since = null; // when who is to move began to think, in milliseconds; null while no clock runs
let shownPlies = -1; // of the game, when `now` was its position
let turns = 0; // of the positions that are asked for the last one counts
/** @type {{ ply: number, line: string[] } | null} */
let past = null; // what is looked at in place of the game: a ply, and moves of a better line from there
let looks = 0; // as `turns`, of what is looked at
let reviewing = new AbortController(); // of the last review
let seed = Date.now() % 1e6; // of the board that is shown before a game, with which it begins

const said = byId("said");
const moves = () => game.plies.map(({ move }) => move);
/** @param {number} seat */
const isPersons = (seat) => game.seats[seat] === null;
const hasBot = () => game.seats.some(Boolean);

/** @param {number} seat */
const nameAt = (seat) => {
  if (game.seats[seat]) return game.seats[seat].bot;
  return hasBot() ? "person" : `person ${seat + 1}`;
};
/** @param {number} seat */
const shownAt = (seat) => (isPersons(seat) && hasBot() ? "you" : nameAt(seat));

// What the clock of a seat shows, in seconds; null without clocks.
/** @param {number} seat */
const leftOf = (seat) => {
  if (!game.control) return null;
  const last = game.plies.findLast((ply) => ply.seat === seat);
  const left = last ? last.left_s : game.control.initial;
  if (left === null || since === null || game.ended || now?.to_move !== seat) return left;
  return left - (Date.now() - since) / 1000;
};

const showSeats = () => {
  const value = game.plies.findLast((ply) => ply.said)?.said;
  byId("seats").replaceChildren(...[0, 1].map((seat) => {
    const bot = game.seats[seat];
    const line = make("p", "seat", null, chip(game.board, seat), nameOf(shownAt(seat)), make("small", "", game.board.seats[seat][0]));
    if (bot?.level) line.append(make("small", "", `level ${bot.level}`));
    if (bot && value && !game.ended) line.append(make("small", "", valueTold(value)));
    const left = leftOf(seat);
    if (left !== null) line.append(make("strong", "clock", clockOf(left)));
    line.classList.toggle("turn", !game.ended && now?.to_move === seat);
    line.classList.toggle("winner", game.ended?.result === WON_BY[seat]);
    return line;
  }));
};

// How many plies are seen, with the first one of a better line.
const seenPly = () => (past ? past.ply + Math.min(1, past.line.length) : game.plies.length);

const showMoves = () => {
  const [place, seen] = [byId("plies"), seenPly()];
  const items = game.plies.map(({ move, seat, used_s }, i) => {
    const made = buttonOf("", () => look(i + 1), "ply");
    made.append(make("span", "rank", `${i + 1}. `), chip(game.board, seat), ` ${lath.plainMove(move)}${game.review?.marks[i] || ""}`, make("small", "", ` ${used_s.toFixed(1)} s`));
    if (i + 1 === seen) made.setAttribute("aria-current", "true");
    return make("li", "", null, made);
  });
  lath.refill(place, items, () => place.querySelector("[aria-current]") || place);
  const current = place.querySelector("[aria-current]");
  place.scrollTop += current ? current.getBoundingClientRect().bottom - place.getBoundingClientRect().bottom + current.clientHeight : -place.scrollTop;
};

// The place in the game, what the review says of the move there, and what comes with the end of a game.
const showPlace = () => {
  const [seen, { review }] = [seenPly(), game];
  showMoves();
  const [played, mark, better] = [game.plies[seen - 1], review?.marks[seen - 1] || "", review?.better[seen]];
  const told = played ? [`Ply ${seen} of ${game.plies.length}: ${lath.plainMove(played.move)}${mark}`, game.board.seats[played.seat][0], lath.PROVEN[mark]] : ["The start"];
  byId("note").textContent = past || mark ? `${told.filter(Boolean).join(" · ")}.${better ? ` ${better.line[0]} ${better.words}:` : ""}` : "";
  showLine(byId("line"), better?.line || [], seen, (count) => look(seen - 1, better?.line.slice(0, count)));
  [...byId("line").children].forEach((one, i) => one.setAttribute("aria-current", String(i + 1 === past?.line.length)));
  byId("now").hidden = !past;
  for (const id of /** @type {const} */ (["to-start", "back"])) lath.dim(id, seen === 0);
  for (const id of /** @type {const} */ (["forward", "to-end"])) lath.dim(id, !past);
  for (const id of /** @type {const} */ (["rematch", "review", "stepped", "analysed"])) byId(id).hidden = !game.ended;
  for (const id of /** @type {const} */ (["hint", "resign", "typed"])) byId(id).hidden = Boolean(game.ended);
  lath.dim("undo", game.plies.length === 0);
};

// Shows an earlier position, or better moves from there; the game goes on meanwhile.
/** @param {number} ply @param {string[]} line */
const look = (ply, line = []) => trying(said, async () => {
  const number = looks += 1;
  past = line.length > 0 || ply < game.plies.length ? { ply: Math.max(ply, 0), line } : null;
  showPlace();
  if (!past) return showNow();
  table.hold();
  const seen = await lookAt(game.start, [...moves().slice(0, past.ply), ...line]);
  if (looks === number) table.show(seen, false);
});

// The board of the game, unless an earlier position is looked at.
const showNow = () => {
  if (past) return;
  looks += 1;
  table.show(now, !game.ended && isPersons(now.to_move) && shownPlies === game.plies.length);
};

const remember = () => {
  const { board, ...rest } = game;
  sessionStorage.setItem(KEPT, JSON.stringify(rest));
};

/** @param {PlayedMove} played */
const annotated = ({ move, used_s, left_s, said: thought }) => {
  const notes = [`[%emt ${used_s.toFixed(3)}]`];
  if (left_s !== null) notes.push(`[%clk ${Math.max(0, left_s).toFixed(3)}]`);
  if (typeof thought?.expected === "number") notes.push(`[%eval ${thought.expected}]`);
  if (thought?.depth) notes.push(`[%depth ${thought.depth}]`);
  if (thought?.nodes) notes.push(`[%nodes ${thought.nodes}]`);
  return { move, comments: [notes.join(" ")] };
};

// The game as the site keeps it.
const whole = () => {
  const { result = "*", termination = "unterminated" } = game.ended || {};
  /** @param {number} seat */
  const time = (seat) => game.tc || (game.seats[seat] ? `move ${game.thinks_s}` : "none");
  return {
    ...game.start, kind: "game", names: [nameAt(0), nameAt(1)], times: [time(0), time(1)], line: game.plies.map(annotated),
    ...(now.is_over ? {} : { result, termination }),
  };
};

const keep = () => trying(said, async () => {
  const mine = game;
  const text = [...moves(), game.ended?.result].join(" ");
  if (game.saved && game.kept === text) return showKept(byId("kept"), game.saved);
  game.kept = text;
  const kept = await ask("/api/keep", whole()).catch((error) => {
    mine.kept = "";
    throw error;
  });
  if (kept.error) mine.kept = "";
  mine.tree = kept.tree;
  mine.saved = kept.error ? undefined : { text: kept.text, file: kept.file };
  if (game !== mine) return;
  showKept(byId("kept"), kept);
  remember();
});

/** @param {string} words */
const tell = (words) => {
  byId("told").textContent = words.replace(/^you /u, "You ");
};

// What a bot thinks meanwhile is shown, and not read out each time.
/** @param {string} words */
const tellThought = (words) => {
  const told = byId("told");
  const place = told.firstElementChild || make("span");
  place.setAttribute("aria-hidden", "true");
  place.textContent = ` ${words}`;
  told.append(place);
};

// Ends the game: by the rules, or as is said.
/** @param {{ result: string, termination?: string }} ended @param {string} words */
const finish = (ended, words) => {
  game.ended = { ...ended, words };
  tell(words);
  showSeats();
  showPlace();
  remember();
  keep();
};

/** @param {string} move @param {number} seat @param {number} used_s @param {Thought | null} thought */
const add = (move, seat, used_s, thought = null) => {
  const { control } = game;
  const left_s = control && (game.plies.findLast((ply) => ply.seat === seat)?.left_s ?? control.initial);
  game.plies.push({ move, seat, used_s, left_s: control && Math.max(0, /** @type {number} */ (left_s) - used_s) + control.increment, said: thought });
  since = null;
  remember();
};

const stopThinking = () => thinking.abort();

// Asks a bot; `hear` gets what it says on the way.
/** @param {object} question @param {(part: HeardPart) => void} hear */
const asked = async (question, hear) => {
  stopThinking();
  thinking = new AbortController();
  let answer;
  for await (const part of askFor("/api/think", { ...game.start, moves: moves(), ...question }, thinking.signal)) {
    if (part.part === "answer" || part.part === "error") answer = part;
    else hear(part);
  }
  if (!answer) throw new Error(STOPPED);
  return answer;
};

// Does what the game waits for; where that does not work it can be tried again.
/** @param {() => Promise<void>} act */
const going = async (act) => {
  byId("again").hidden = true;
  const isDone = await trying(said, act);
  byId("again").hidden = isDone || !game;
};

// A bot's clock runs from when it is asked: not while it starts, nor while it waits for others.
/** @param {number} seat */
const botsTurn = (seat) => going(async () => {
  const { bot, level } = /** @type {BotSeat} */ (game.seats[seat]);
  const limit = game.control ? { left_s: [leftOf(0), leftOf(1)].map((left) => Math.max(0.001, /** @type {number} */ (left))), increment_s: game.control.increment } : { seconds: game.thinks_s };
  const answer = await asked({ bot, level, ...limit }, (thought) => {
    if (thought.part === "info") tellThought(valueTold(thought));
    else since = thought.part === "begins" ? Date.now() : null;
    if (thought.part === "begins") tell(`${bot} thinks.`);
    if (thought.part === "waits") tell(`${bot} waits until another bot has finished.`);
  });
  if (answer.part === "error" && !answer.why) throw new Error(answer.error); // not the bot's fault
  if (answer.part === "error") {
    finish({ result: WON_BY[1 - seat], termination: answer.why || "crash" }, `You won. ${answer.error}`);
  } else if (answer.move === null) {
    finish({ result: WON_BY[1 - seat], termination: "resignation" }, `${bot} resigned.`);
  } else {
    add(answer.move, seat, answer.seconds, answer);
    await turn();
  }
});

const turn = async () => {
  if (!past) table.hold();
  since = null;
  const [mine, number] = [game, turns += 1];
  const seen = await lookAt(game.start, moves());
  if (game !== mine || turns !== number) return;
  const did = past ? "" : table.didOf(game.plies.at(-1)?.move);
  now = seen;
  shownPlies = game.plies.length;
  const seat = now.to_move;
  if (game.began?.ply !== game.plies.length) game.began = { ply: game.plies.length, at: Date.now() };
  if (isPersons(seat)) since = game.began.at; // of a page that is loaded again it went on
  remember();
  showNow();
  showPlace();
  for (const id of /** @type {const} */ (["hint", "resign"])) lath.dim(id, !isPersons(seat));
  showSeats();
  if (game.ended) tell(game.ended.words || "The game is over.");
  else if (now.is_over) finish({ result: now.winner === null ? "1/2-1/2" : WON_BY[now.winner] }, `${endTold(now, [shownAt(0), shownAt(1)])}.`);
  if (game.ended) return;
  const colour = game.board.seats[seat][0];
  const last = game.plies.at(-1);
  const played = last && game.seats[last.seat] ? `${nameAt(last.seat)} played ${did || lath.plainMove(last.move)}. ` : "";
  if (isPersons(seat)) tell(hasBot() ? `${played}Your move: you are ${colour}.` : `${colour} to move.`);
  else {
    tell(`${nameAt(seat)} is thinking.`);
    botsTurn(seat);
  }
};

const table = makeTable((text) => going(async () => {
  if (!game) { // the first move begins the game, unless other fields give another one
    await begin();
    if (!game || !isPersons(now.to_move) || !now.legal.some(([one]) => one === text)) return;
  }
  tick();
  if (game.ended) return;
  stopThinking(); // about a hint
  add(text, now.to_move, (Date.now() - /** @type {number} */ (since)) / 1000);
  await turn();
}));

const tick = () => {
  if (!game || game.ended || !game.control || since === null) return;
  const seat = now.to_move;
  if (isPersons(seat) && /** @type {number} */ (leftOf(seat)) <= 0) { // of bots the site says so
    stopThinking();
    finish({ result: WON_BY[1 - seat], termination: "time" }, `${shownAt(seat)} lost on time.`);
    showNow();
  } else showSeats();
};
setInterval(tick, 200);

// Ends what is asked about a game that is left, or changed.
const leave = () => {
  stopThinking();
  reviewing.abort();
  looks += 1;
  past = null;
};

/** @param {Omit<Sitting, "board">} one */
const open = async (one) => {
  leave();
  const number = turns += 1;
  const board = await table.setGame(one.start.game);
  if (turns !== number) return;
  game = { ...one, board };
  showReview();
  showCard(board);
  byId("setup").hidden = true;
  byId("sitting").hidden = false;
  byId("kept").replaceChildren();
  disarm();
  remember();
  await going(turn);
  byId("board").focus({ preventScroll: true });
};

const begin = () => trying(said, async () => {
  table.hold();
  const number = turns += 1;
  const bot = byId("bot").value;
  const start = await ask("/api/start", { game: gameNow(), setup: byId("start-setup").value.trim(), position: byId("start-position").value.trim(), seed });
  if (turns !== number) return;
  const chosen = byId("side").value;
  const seat = chosen === "" ? Math.floor(2 * Math.random()) : Number(chosen);
  /** @type {Sitting["seats"]} */
  const seats = [null, null];
  if (bot) seats[1 - seat] = { bot, level: levelNow() };
  const tc = byId("clock").value;
  const [initial, increment] = tc.split("+").map(Number);
  history.replaceState(null, "", location.pathname); // a reload goes on with the game
  await open({ start, seats, tc, control: tc ? { initial, increment } : null, thinks_s: Number(byId("thinks").value), plies: [], ended: null });
});

// Of a game with a bot the person's last move goes, too; of two people the last one.
const undo = () => going(async () => {
  const own = game.plies.findLastIndex((ply) => !hasBot() || isPersons(ply.seat));
  if (own < 0) return;
  leave();
  game.plies.length = own;
  game.ended = game.review = null;
  showReview();
  disarm();
  byId("kept").replaceChildren();
  remember();
  await turn();
});

const hint = () => trying(said, async () => {
  if (game.ended || !isPersons(now.to_move)) return;
  if (past) await look(game.plies.length);
  const [before, searching] = [byId("told").textContent, "Searching for a good move."];
  tell(searching);
  const answer = await asked({ bot: COACH, seconds: 1 }, () => {}).catch((error) => {
    if (byId("told").textContent === searching) tell(before);
    throw error;
  });
  if (answer.part === "error") tell(`No hint: ${answer.error}.`);
  else {
    table.hint(answer.move ?? "");
    tell(`Hint: ${[answer.move, valueTold(answer)].filter(Boolean).join(", ")}.`);
  }
});

// To give up, or leave a game, takes two clicks, one after the other.
const disarm = () => {
  for (const id of ENDS) byId(id).textContent = byId(id).textContent.replace(SURE, "");
};
/** @param {typeof ENDS[number]} id */
const isSure = (id) => {
  const wasArmed = byId(id).textContent.endsWith(SURE);
  disarm();
  if (!wasArmed) byId(id).textContent += SURE;
  return wasArmed;
};
const resign = () => {
  if (game.ended || !isPersons(now.to_move) || !isSure("resign")) return;
  stopThinking();
  const seat = now.to_move;
  finish({ result: WON_BY[1 - seat], termination: "resignation" }, `${shownAt(seat)} resigned.`);
  return showNow();
};

// The same again, with the sides changed.
const rematch = () => going(() => open({ ...game, seats: [game.seats[1], game.seats[0]], plies: [], ended: null, began: undefined, kept: "", saved: undefined, tree: undefined, review: null }));

// Where Analyse finds the whole game: its address leads to the moves, and what is kept has the rest.
const toAnalysis = () => {
  const address = `?${new URLSearchParams(Object.entries({ ...game.start, moves: moves().join(" ") }).filter(([, value]) => value))}`;
  /** @type {HTMLAnchorElement} */ (byId("analysed")).href = `${ROOT}/analyse${address}`;
  const given = game.review?.tree || game.tree;
  if (!given) return;
  const kept = { id: Date.now(), address, source: { record: "", where: "" }, given, comments: given.comments, line: given.line, place: moves().map(() => 0) };
  sessionStorage.setItem(ANALYSES, JSON.stringify([kept, ...JSON.parse(sessionStorage.getItem(ANALYSES) || "[]").slice(0, 3)]));
};

/** @type {Record<StepId, () => unknown>} */
const steps = {
  "to-start": () => look(0),
  back: () => (past && past.line.length > 0 ? look(past.ply, past.line.slice(0, -1)) : look(seenPly() - 1)),
  forward: () => past && (past.line.length > 0 ? look(past.ply, game.review?.better[past.ply + 1]?.line.slice(0, past.line.length + 1)) : look(past.ply + 1)),
  "to-end": () => look(game.plies.length),
};
// The accuracy of both sides and what turned the game.
const showReview = () => {
  const { review } = game;
  byId("reviewed").hidden = !review;
  if (!review) return;
  const sides = review.sides.map(({ accuracy, words }, seat) => make("p", "seat", null, chip(game.board, seat), nameOf(shownAt(seat)), make("small", "", words), make("strong", "", accuracy === null ? "–" : percent(accuracy / 100))));
  const turned = review.turns.map(({ ply, seat, kind, words }) => make("li", "", null, make("strong", "", kind === "missed" ? "Missed win" : "Turning point"), " ", buttonOf(`${ply}. ${game.plies[ply - 1].move}`, () => look(ply), "ply"), ` ${game.board.seats[seat][0]} ${words}.`));
  byId("reviewed").replaceChildren(
    make("h2", "", "Accuracy"), ...sides,
    make("ul", "turns", null, ...(turned.length > 0 ? turned : [make("li", "", "No turning point is known.")])),
    make("p", "remark", `The mean over the judged moves; a few moves say little. 100%: no move lowered the expected score. Analysed by ${review.tree.tags.Analysis}.`),
  );
};

const review = () => trying(said, async () => {
  reviewing.abort();
  const [mine, control, bar] = [game, new AbortController(), byId("progress")];
  reviewing = control;
  Object.assign(bar, { max: game.plies.length, value: 0 });
  byId("reviewing").hidden = false;
  try {
    for await (const part of /** @type {AsyncGenerator<ReviewPart>} */ (askFor("/api/review", whole(), control.signal))) {
      if (part.part === "error") throw new Error(part.error);
      if (part.part === "judged") bar.value = part.done;
      if (part.part === "review") game.review = part;
    }
  } finally {
    if (reviewing === control) byId("reviewing").hidden = true;
  }
  if (!mine.review) throw new Error(STOPPED);
  showReview();
  remember();
  if (past) showPlace(); // whoever looks at a position stays there
  else look(mine.review.turns[0]?.ply ?? game.plies.length);
});

const renew = () => {
  if (game && !game.ended && game.plies.length > 0 && !isSure("new")) return;
  seed += 1;
  if (game) leave();
  sessionStorage.removeItem(KEPT);
  if (game) { // the same again, after a reload, too
    chooseGame(game.start.game);
    byId("bot").value = game.seats.find(Boolean)?.bot || "";
    showChoices();
  }
  game = none;
  byId("again").hidden = true;
  turns += 1;
  byId("sitting").hidden = true;
  byId("seats").replaceChildren();
  tell("");
  byId("setup").hidden = false;
  byId("game").focus();
  preview();
};

// The board of the game that is chosen, before it begins.
const preview = () => trying(said, async () => {
  table.hold();
  const number = turns += 1;
  const start = await ask("/api/start", { game: gameNow(), seed });
  if (turns !== number) return;
  const [board, seen] = [await table.setGame(start.game), await lookAt(start, [])];
  if (turns !== number) return;
  showCard(board);
  table.show(seen, !byId("bot").value || byId("side").value === "0");
  tellChoices(board);
});

// Who begins the game that is chosen, in words.
/** @param {SiteBoard} board */
const tellChoices = ({ seats }) => {
  const [bot, side] = [byId("bot").value, byId("side").value];
  const [first, second] = seats.map(([colour]) => colour);
  /** @type {Record<string, string>} */
  const words = { 0: `You are ${first} and begin`, 1: `You are ${second}, and ${bot} begins`, "": "The side is random" };
  tell(`${bot ? words[side] : `${first} begins`}. Press Start, or ${bot && side !== "0" ? "click on" : "move on"} the board.`);
};

const showChoices = () => trying(said, async () => {
  const bot = byId("bot").value;
  byId("thinks-of").hidden = !bot || byId("clock").value !== "";
  /** @type {HTMLElement} */ (byId("side").parentElement).hidden = !bot;
  const isNew = byId("level").dataset.bot !== bot;
  await offerLevels(bot);
  const easy = byId("level").options[1]?.value;
  if (isNew && easy) byId("level").value = localStorage.getItem(LEVEL + bot) || easy;
});
byId("level").addEventListener("change", () => localStorage.setItem(LEVEL + byId("bot").value, byId("level").value));
byId("board").addEventListener("click", () => game || byId("board").matches(".mine") || begin(), true); // also where a bot begins

onSubmit(byId("setup"), begin);
byId("bot").addEventListener("change", showChoices);
onGame(preview);
byId("clock").addEventListener("change", showChoices);
for (const id of /** @type {const} */ (["bot", "side"])) byId(id).addEventListener("change", preview);
for (const [id, act] of /** @type {[Buttons, () => unknown][]} */ (Object.entries({ undo, hint, resign, keep, rematch, review, stepped: () => (look(0), byId("forward").focus()), stop: () => reviewing.abort(), now: steps["to-end"], new: renew, again: () => going(turn) }))) byId(id).addEventListener("click", act);
for (const event of /** @type {const} */ (["click", "auxclick", "contextmenu"])) byId("analysed").addEventListener(event, toAnalysis);
listenToSteps(steps, () => Boolean(game));
for (const id of ENDS) byId(id).addEventListener("blur", disarm);

const asks = new URLSearchParams(location.search);
fillFrom(asks, ["bot", "side", "setup", "position"]);
const before = sessionStorage.getItem(KEPT);
showChoices();
const goOn = async () => {
  if (!await trying(said, () => open(JSON.parse(/** @type {string} */ (before))))) renew();
};
if (before && !asks.has("game")) goOn();
else preview();
