// A game: against a bot, or between two people at one screen. The page has it; the site tells what is
// legal, lets the bot think and keeps the record.

/* global lath */
import { ask, askFor, chipOf, chooseGame, clockOf, endTold, gameNow, levelNow, offerLevels, showCard, showKept, trying, valueTold } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId, make, nameOf } = lath;
const KEPT = "lath-game";
const COACH = "solver";
const WON_BY = ["1-0", "0-1"];

/** @type {Sitting} */
// @ts-expect-error - none before `open`, nor is anything asked
let game = null; // what is played: see `begin`
/** @type {PositionJson} */
// @ts-expect-error - likewise
let now = null; // the position on the board
/** @type {AbortController | null} */
let thinking = null; // an AbortController, while a bot is asked
/** @type {number | null} */
let since = null; // when who is to move began to think, in milliseconds; null while no clock runs
let turns = 0; // of the positions that are asked for the last one counts

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
const names = () => [nameAt(0), nameAt(1)];
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
    const line = make("p", "seat", null, chipOf(game.board, seat), nameOf(shownAt(seat)), make("small", "", game.board.seats[seat][0]));
    if (bot?.level) line.append(make("small", "", `level ${bot.level}`));
    if (bot && value) line.append(make("small", "", valueTold(value)));
    const left = leftOf(seat);
    if (left !== null) line.append(make("strong", "clock", clockOf(left)));
    line.classList.toggle("turn", !game.ended && now?.to_move === seat);
    line.classList.toggle("winner", game.ended?.result === WON_BY[seat]);
    return line;
  }));
};

const showMoves = () => {
  byId("plies").replaceChildren(...game.plies.map(({ move, seat, used_s }, i) => make("li", "", null, make("span", "rank", `${i + 1}. `), chipOf(game.board, seat), ` ${move}`, make("small", "", ` ${used_s.toFixed(1)} s`))));
  byId("plies").scrollTop = byId("plies").scrollHeight;
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

const keep = () => trying(said, async () => {
  const mine = game;
  const whole = [...moves(), game.ended?.result].join(" ");
  if (game.kept === whole) {
    byId("kept").textContent = "Already saved.";
    return;
  }
  game.kept = whole;
  const { result = "*", termination = "unterminated" } = game.ended || {};
  /** @param {number} seat */
  const time = (seat) => game.tc || (game.seats[seat] ? `move ${game.thinks_s}` : "none");
  const kept = await ask("/api/keep", {
    ...game.start, kind: "game", names: names(), times: [time(0), time(1)], line: game.plies.map(annotated),
    ...(now.is_over ? {} : { result, termination }),
  }).catch((error) => {
    mine.kept = "";
    throw error;
  });
  if (kept.error) mine.kept = "";
  if (game !== mine) return;
  showKept(byId("kept"), kept);
  remember();
});

/** @param {string} words */
const tell = (words) => {
  byId("told").textContent = words;
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
  for (const id of /** @type {const} */ (["hint", "resign"])) lath.dim(id, true);
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

const stopThinking = () => {
  thinking?.abort();
  thinking = null;
};

// Asks a bot; `hear` gets what it says on the way. Returns its answer, undefined where nobody waits any more.
/** @param {object} question @param {(part: HeardPart) => void} hear */
const asked = async (question, hear) => {
  stopThinking();
  const mine = new AbortController();
  thinking = mine;
  let answer;
  try {
    for await (const part of askFor("/api/think", { ...game.start, moves: moves(), ...question }, mine.signal)) {
      if (thinking !== mine) return undefined;
      if (part.part === "answer" || part.part === "error") answer = part;
      else hear(part);
    }
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return undefined;
    throw error;
  }
  if (thinking !== mine) return undefined;
  thinking = null;
  if (!answer) throw new Error("the site has stopped");
  return answer;
};

// Does what the game waits for; where that does not work it can be tried again.
/** @param {() => Promise<void>} act */
const going = async (act) => {
  byId("again").hidden = true;
  const isDone = await trying(said, async () => {
    await act();
    return true;
  });
  byId("again").hidden = Boolean(isDone) || !game;
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
  if (!answer) return;
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
  table.hold();
  since = null;
  const [mine, number] = [game, turns += 1];
  const seen = await lookAt(game.start, moves());
  if (game !== mine || turns !== number) return;
  now = seen;
  const seat = now.to_move;
  if (game.began?.ply !== game.plies.length) game.began = { ply: game.plies.length, at: Date.now() };
  if (isPersons(seat)) since = game.began.at; // of a page that is loaded again it went on
  remember();
  table.show(now, !game.ended && isPersons(seat));
  showMoves();
  lath.dim("undo", game.plies.length === 0);
  for (const id of /** @type {const} */ (["hint", "resign"])) lath.dim(id, Boolean(game.ended) || !isPersons(seat));
  showSeats();
  if (game.ended) tell(game.ended.words || "The game is over.");
  else if (now.is_over) finish({ result: now.winner === null ? "1/2-1/2" : WON_BY[now.winner] }, `${endTold(now, [shownAt(0), shownAt(1)])}.`);
  if (game.ended) return;
  const colour = game.board.seats[seat][0];
  const last = game.plies.at(-1);
  const played = last && game.seats[last.seat] ? `${nameAt(last.seat)} played ${last.move}. ` : "";
  if (isPersons(seat)) tell(hasBot() ? `${played}Your move: you are ${colour}.` : `${colour} to move.`);
  else {
    tell(`${nameAt(seat)} is thinking.`);
    botsTurn(seat);
  }
};

const table = makeTable((text) => going(async () => {
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
    table.show(now, false);
  } else showSeats();
};
setInterval(tick, 200);

/** @param {Omit<Sitting, "board">} one */
const open = async (one) => {
  stopThinking();
  const number = turns += 1;
  const board = await table.setGame(one.start.game);
  if (turns !== number) return;
  game = { ...one, board };
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
  const number = turns += 1;
  const bot = byId("bot").value;
  const start = await ask("/api/start", { game: gameNow(), setup: byId("start-setup").value.trim(), position: byId("start-position").value.trim() });
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
  stopThinking();
  game.plies.length = own;
  game.ended = null;
  disarm();
  byId("kept").replaceChildren();
  remember();
  await turn();
});

const hint = () => trying(said, async () => {
  if (game.ended || !isPersons(now.to_move)) return;
  tell("Searching for a good move.");
  const answer = await asked({ bot: COACH, seconds: 1 }, () => {});
  if (!answer) return;
  if (answer.part === "error") tell(`No hint: ${answer.error}.`);
  else {
    table.hint(answer.move ?? "");
    tell(`Hint: ${[answer.move, valueTold(answer)].filter(Boolean).join(", ")}.`);
  }
});

// To give up takes two clicks, one after the other.
let isArmed = false;
const disarm = () => {
  isArmed = false;
  byId("resign").textContent = "Resign";
};
const resign = () => {
  if (game.ended || !isPersons(now.to_move)) return;
  if (!isArmed) {
    isArmed = true;
    byId("resign").textContent = "Resign: sure?";
    return;
  }
  disarm();
  stopThinking();
  const seat = now.to_move;
  finish({ result: WON_BY[1 - seat], termination: "resignation" }, `${shownAt(seat)} resigned.`);
  table.show(now, false);
};

const renew = () => {
  stopThinking();
  sessionStorage.removeItem(KEPT);
  if (game) { // the same again, after a reload, too
    chooseGame(game.start.game);
    byId("bot").value = game.seats.find(Boolean)?.bot || "";
    showChoices();
  }
  // @ts-expect-error - as before the first one
  game = null;
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
  const start = await ask("/api/start", { game: gameNow(), seed: 1 });
  if (turns !== number) return;
  const [board, seen] = [await table.setGame(start.game), await lookAt(start, [])];
  if (turns !== number) return;
  showCard(board);
  table.show(seen, false);
  tellChoices(board);
});

// Who begins the game that is chosen, in words.
/** @param {SiteBoard} board */
const tellChoices = ({ seats }) => {
  const [bot, side] = [byId("bot").value, byId("side").value];
  const [first, second] = seats.map(([colour]) => colour);
  /** @type {Record<string, string>} */
  const words = { 0: `You are ${first} and begin`, 1: `You are ${second}, and ${bot} begins`, "": "The side is random" };
  tell(`${bot ? words[side] : `${first} begins`}. Press Start.`);
};

const showChoices = () => trying(said, async () => {
  const bot = byId("bot").value;
  byId("thinks-of").hidden = !bot || byId("clock").value !== "";
  /** @type {HTMLElement} */ (byId("side").parentElement).hidden = !bot;
  await offerLevels(bot);
});

byId("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
byId("bot").addEventListener("change", showChoices);
byId("game").addEventListener("change", () => {
  byId("parameters").value = "";
  preview();
});
byId("parameters").addEventListener("change", preview);
byId("clock").addEventListener("change", showChoices);
for (const id of /** @type {const} */ (["bot", "side"])) byId(id).addEventListener("change", preview);
for (const [id, act] of /** @type {[Buttons, () => unknown][]} */ (Object.entries({ undo, hint, resign, keep, new: renew, again: () => going(turn) }))) byId(id).addEventListener("click", act);
byId("resign").addEventListener("blur", disarm);

const asks = new URLSearchParams(location.search);
for (const [name, id] of /** @type {const} */ ([["bot", "bot"], ["side", "side"], ["setup", "start-setup"], ["position", "start-position"]])) {
  if (asks.has(name)) byId(id).value = /** @type {string} */ (asks.get(name));
}
if (asks.has("game")) chooseGame(/** @type {string} */ (asks.get("game")));
const before = sessionStorage.getItem(KEPT);
showChoices();
const goOn = async () => {
  const isGame = await trying(said, async () => {
    await open(JSON.parse(/** @type {string} */ (before)));
    return true;
  });
  if (!isGame) renew();
};
if (before && !asks.has("game")) goOn();
else preview();
