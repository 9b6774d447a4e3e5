// A free board: a tree of moves, what a bot thinks of where one is, and the record of it all.
//
// Addresses, of all games:
// - `?game=ID`, with `setup=` or `position=`: a start, and `moves=M1+M2+…` from there; the last of
//   these moves is shown, or with `ply=N` the Nth. Without `moves=` a setup may be drawn by lot.
// - `?record=KEY/NUMBER`, with `where=QUERY`: a game of a served tournament or file at `ply=N`;
//   further `moves=` begin there.
// - none: what this tab had last.

/* global lath */
import { ROOT, ask, askFor, chooseGame, endTold, fillFrom, gameNow, levelNow, listenToSteps, none, offerLevels, onGame, onSubmit, showCard, showKept, showLine, trying, valueTold } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId, make, buttonOf } = lath;
const said = byId("said");
const KEPT = "lath-analyses";
const MOST_KEPT = 8;
const MOST_MOVES = 400;
const NOWHERE = { record: "", where: "" };

// A move and those that were played after it, the main line first; the root has no move.
/** @type {(move: string, parent: TreeNode | null, more?: Partial<TreeNode>) => TreeNode} */
const nodeOf = (move, parent, more = {}) => ({ move, parent, next: [], glyph: "", before: [], comments: [], ...more });

/** @type {StartJson} */
let start = none;
/** @type {SiteBoard} */
let board = none;
let root = nodeOf("", null);
let at = root;
/** @type {PositionJson | null} */
let now = null;
let thinking = new AbortController(); // of the last question to a bot
/** @type {TreeJson} */
let given = none; // what was set up, whose tags and ending are kept
let id = 0; // of the analysis among those that are kept
let source = NOWHERE; // where a served game was found

/** @type {(node: TreeNode) => TreeNode[]} */
const pathTo = (node) => (node.parent ? [...pathTo(node.parent), node] : []);
/** @param {TreeNode} node */
const movesTo = (node) => pathTo(node).map(({ move }) => move);
/** @param {TreeNode} node */
const depthOf = (node) => pathTo(node).length;

// Of a node that has been left behind by others the main line goes on from its parent.
/** @type {(node: TreeNode) => boolean} */
const isMain = (node) => node.parent === null || (node.parent.next[0] === node && isMain(node.parent));

/** @param {TreeNode} node @param {number} number */
const moveButton = (node, number) => {
  const made = buttonOf(`${number}. ${lath.plainMove(node.move)}${node.glyph}`, () => goTo(node), "ply");
  if (node === at) made.setAttribute("aria-current", "true");
  return made;
};

// The words of a comment, and its annotations, such as `[%emt 0.5]`, which stay in the record.
const NOTE = /\[%[a-z]\w*(?:\s+[^[\]]*)?\]/giu;
/** @param {string} text */
const wordsIn = (text) => text.replace(NOTE, " ").replace(/\s+/gu, " ").trim();
/** @param {string[]} comments */
const notesIn = (comments) => comments.flatMap((text) => text.match(NOTE) || []);

/** @param {string[]} comments */
const told = (comments) => comments.map(wordsIn).filter(Boolean).map((text) => make("span", "said", text));

// The moves after a node, variations in brackets behind the move that they might stand in place of.
/** @type {(node: TreeNode, number: number) => HTMLElement[]} */
const lineAfter = (node, number) => {
  const parts = [];
  for (let [here, count] = [node, number]; here.next.length > 0; count += 1) {
    const [main, ...others] = here.next;
    parts.push(...told(main.before), moveButton(main, count), ...told(main.comments));
    for (const one of others) {
      parts.push(make("span", "variation", null, ...told(one.before), moveButton(one, count), ...told(one.comments), ...lineAfter(one, count + 1)));
    }
    here = main;
  }
  return parts;
};

const showMoves = () => {
  const parts = [...told(root.comments), ...lineAfter(root, 1)];
  lath.refill(byId("tree"), parts.length > 0 ? parts : [make("span", "remark", "No moves yet. Play on the board.")], () => byId("tree").querySelector("[aria-current]"));
};

const showTree = () => {
  showMoves();
  byId("glyph").value = at.glyph;
  byId("comment").value = at.comments.map(wordsIn).filter(Boolean).join(" ");
  const isRoot = at === root;
  byId("glyph").disabled = isRoot;
  for (const id of /** @type {const} */ (["to-start", "back", "remove"])) lath.dim(id, isRoot);
  for (const id of /** @type {const} */ (["forward", "to-end"])) lath.dim(id, at.next.length === 0);
  lath.dim("promote", isMain(at));
};

// The value of the first player from -1 to 1; null if nobody has evaluated the position.
/** @param {number | null} first @param {string} words */
const showBar = (first, words) => {
  byId("bar").classList.toggle("empty", first === null);
  byId("bar").firstElementChild.style.setProperty("width", `${50 + 50 * (first || 0)}%`);
  byId("bar").setAttribute("aria-label", words);
};

const stop = () => thinking.abort();

/** @param {Thought} part */
const showThought = (part) => {
  const mover = /** @type {PositionJson} */ (now).to_move;
  const sure = { win: 1, loss: -1, draw: 0 }[part.value] ?? part.expected;
  const counts = [part.depth && `depth ${part.depth}`, part.nodes && lath.counted(part.nodes, "node"), `${part.seconds.toFixed(1)} s`];
  byId("thought").textContent = `${board.seats[mover][0]}: ${[valueTold(part) || "not evaluated", ...counts.filter(Boolean)].join(" · ")}`;
  if (typeof sure === "number") {
    const first = mover === 0 ? sure : -sure;
    showBar(first, `${board.seats[0][0]} ${first < 0 ? "−" : "+"}${Math.abs(first).toFixed(2)}, on a scale from −1 (lost) to +1 (won)`);
  }
  showLine(byId("line"), part.line, depthOf(at) + 1, (count) => playLine(part.line.slice(0, count)));
};

const isThinking = () => byId("think").getAttribute("aria-pressed") === "true";

// A bot thinks of the position for up to a minute, until one moves on.
const think = async () => {
  const isDone = await trying(said, evaluate);
  if (!isDone) byId("thought").textContent = "Not evaluated.";
};
const evaluate = async () => {
  stop();
  byId("line").replaceChildren();
  const result = now?.is_over ? byId("told").textContent : "";
  showBar(now?.is_over ? [1, -1][now.winner ?? 2] || 0 : null, result || "Not evaluated");
  byId("thought").textContent = result ? "The game is over." : "Not evaluated.";
  if (!isThinking() || !now || now.is_over || arranged) return;
  thinking = new AbortController();
  byId("thought").textContent = `${byId("bot").value} is thinking.`;
  for await (const part of askFor("/api/think", { ...start, moves: movesTo(at), bot: byId("bot").value, level: levelNow(), seconds: 60 }, thinking.signal)) {
    if (part.part === "error") byId("thought").textContent = `No evaluation: ${part.error}.`;
    else if (part.part === "waits") byId("thought").textContent = `${byId("bot").value} waits until another bot has finished.`;
    else if (part.part !== "begins") showThought(part);
  }
};

/** @param {TreeNode} node */
const goTo = (node) => trying(said, async () => {
  stop();
  await leave();
  table.hold();
  const before = at;
  at = node;
  const seen = await lookAt(start, movesTo(node)).catch((error) => {
    if (at === node) at = before; // from which one may move again
    if (at === before && now) table.show(now, true);
    throw error;
  });
  if (at !== node) return;
  now = seen;
  table.show(now, true);
  byId("told").textContent = now.is_over ? endTold(now, [board.seats[0][0], board.seats[1][0]]) : `${board.seats[now.to_move][0]} to move.`;
  const opening = lath.openingIn(given.tags.Opening);
  if (opening && movesTo(node).every((move, i) => given.line[i]?.move === move)) byId("told").textContent += ` Opening: ${opening}.`;
  byId("text").value = now.text;
  byId("explored").href = `${ROOT}/explore?${new URLSearchParams({ key: source.record.split("/")[0], game: start.game, position: now.text })}`;
  showTree();
  remember();
  think();
});

// Goes one move on, along one that is there or by a new one.
/** @param {TreeNode} node @param {string} move */
const along = (node, move) => {
  const known = node.next.find((one) => one.move === move);
  if (known) return known;
  const made = nodeOf(move, node);
  node.next.push(made);
  return made;
};

/** @param {string[]} line */
const playLine = (line) => goTo(line.reduce(along, at));

const table = makeTable((text) => goTo(along(at, text)));

// A position that is set up piece by piece, which fills the field for its text.

let arranged = /** @type {string[] | null} */ (null); // what lies on each cell, while a position is set up
let arrangements = 0; // of those asked for the last one counts
let fault = ""; // why it is not a position
let checked = /** @type {Promise<unknown>} */ (Promise.resolve()); // the question whether it is one
let model = /** @type {SiteBoard} */ (/** @type {unknown} */ (null)); // its game
const BARE = { moved: [], deciding: [], is_over: false, ending: "", winner: null, is_loss: false, text: "", told: "", legal: [], direct: [], wins: [], loses: [], threats: [] };

/** @param {string} code */
const layerOf = (code) => ({ tile: 0, marker: 2 })[model.pieces.find(([one]) => one === code)?.[2] || ""] ?? 1;

const showArranged = () => (checked = trying(byId("arranged"), async () => {
  const [number, contents, toMove] = [arrangements += 1, arranged || [], Number(byId("side").value)];
  table.show({ ...BARE, stacks: contents, to_move: toMove }, false, [], model.can_arrange ? put : null);
  if (!model.can_arrange) return void (byId("arranged").textContent = "Type the position of this game.");
  /** @type {{ position: string, error: string }} */
  const { position, error } = await ask("/api/arrange", { game: model.id, contents, to_move: toMove });
  if (arrangements !== number || !arranged) return undefined;
  [byId("start-position").value, fault] = [position, error];
  return void (byId("arranged").textContent = error ? `Not a position yet: ${error}.` : "This position can be set up.");
}));

// Puts the chosen piece in the place of its kind on a cell, or takes it or the topmost one away.
/** @param {number} cell */
const put = (cell) => {
  const [code, before] = [String(new FormData(/** @type {HTMLFormElement} */ (byId("setup"))).get("piece")), arranged || []];
  const stacks = before.map((stack) => (layerOf(code) === 2 ? stack.replace(code, "") : stack));
  const kept = [...stacks[cell]].filter((one) => layerOf(one) !== layerOf(code));
  const made = before[cell].includes(code) ? kept : [...kept, code].sort((a, b) => layerOf(a) - layerOf(b));
  stacks[cell] = code ? made.join("") : stacks[cell].slice(0, -1);
  arranged = stacks;
  showArranged();
};

/** @param {string} code @param {string} name @param {string} colour */
const radioOf = (code, name, colour) => {
  const [radio, chip] = [make("input"), make("span", colour && "chip")];
  Object.assign(radio, { type: "radio", name: "piece", value: code, checked: code === model.pieces[0][0] });
  chip.style.setProperty("--seat", colour);
  return make("label", "", null, radio, chip, name);
};

// Begins with a position, else with the first one of the game that is chosen.
const arrange = (position = "") => trying(byId("arranged"), async () => {
  stop();
  const number = arrangements += 1;
  const begun = await ask("/api/start", { game: gameNow(), position, seed: 1 });
  const seen = await lookAt(begun, []);
  if (arrangements !== number || !byId("set-up").open) return;
  arranged = seen.stacks;
  const made = await table.setGame(begun.game);
  if (arrangements !== number || !arranged) return;
  [model, fault] = [made, ""];
  byId("told").textContent = "Setting up a position.";
  byId("picker").hidden = !made.can_arrange;
  byId("pieces").replaceChildren(/** @type {Element} */ (byId("pieces").firstElementChild), ...made.pieces.map(([code, name, , colour]) => radioOf(code, name, colour)), radioOf("", "eraser", ""));
  byId("side").replaceChildren(...made.seats.map(([name], seat) => new Option(name, String(seat), false, seat === seen.to_move)));
  await showArranged();
});

const leave = async () => {
  if (!arranged) return;
  arranged = null;
  byId("set-up").open = false;
  chooseGame(start.game);
  await table.setGame(start.game);
};

/** @type {(node: TreeNode) => TreeNode} */
const endOf = (node) => (node.next.length > 0 ? endOf(node.next[0]) : node);
/** @type {Record<StepId, () => unknown>} */
const steps = {
  "to-start": () => goTo(root),
  back: () => at.parent && goTo(at.parent),
  forward: () => at.next.length > 0 && goTo(at.next[0]),
  "to-end": () => goTo(endOf(at)),
};

// What stands after a node as the site has lines: a move, and what might stand in its place.
/** @type {(node: TreeNode) => PlainLine} */
const lineOf = (node) => {
  /** @type {PlainLine} */
  const line = [];
  for (let here = node; here.next.length > 0; here = here.next[0]) {
    const [main, ...others] = here.next;
    line.push({ ...plain(main), variations: others.map((one) => [{ ...plain(one), variations: [] }, ...lineOf(one)]) });
  }
  return line;
};
/** @param {PlainMove} node */
const plain = ({ move, glyph, before, comments }) => ({ move, glyph, before, comments });
/** @param {PlainLine} line */
const mainMoves = (line) => line.map(({ move }) => move).join(" ");

// Before its first move nothing can be said of what has become the main line: it is said of that move.
/** @param {TreeNode} parent */
const settle = (parent) => {
  const [main] = parent.next;
  if (main) Object.assign(main, { before: [], comments: [...main.before, ...main.comments] });
};

/** @param {TreeNode} node @param {PlainLine} line */
const grow = (node, line) => {
  let here = node;
  for (const { variations, ...one } of line) {
    const made = nodeOf(one.move, here, plain(one));
    const others = variations.filter((other) => other.length > 0);
    here.next.push(made);
    for (const other of others) grow(here, other);
    here = made;
  }
};

// The address contains the current place, but not a line of thousands of moves.
const address = () => {
  const line = movesTo(at);
  const isGiven = line.every((move, i) => given.line[i]?.move === move);
  const from = source.record ? source : start;
  const place = source.record && isGiven ? { ply: line.length } : { moves: line.length <= MOST_MOVES ? line.join(" ") : "" };
  return `?${new URLSearchParams(Object.entries({ ...from, ...place }).filter(([name, value]) => value || name === "moves").map(([name, value]) => [name, String(value)]))}`;
};

/** @returns {KeptTree[]} */
const keptTrees = () => JSON.parse(sessionStorage.getItem(KEPT) || "[]");

// A reload, or Back from another page, restores the analysis.
const remember = () => {
  try {
    history.replaceState(null, "", address());
    const place = pathTo(at).map((node) => /** @type {TreeNode} */ (node.parent).next.indexOf(node));
    const others = keptTrees().filter((one) => one.id !== id);
    sessionStorage.setItem(KEPT, JSON.stringify([{ id, address: location.search, source, given, comments: root.comments, line: lineOf(root), place }, ...others.slice(0, MOST_KEPT - 1)]));
  } catch { // browsers limit the storage, and how often an address changes
    said.textContent = "The browser cannot keep this analysis for a reload. Save it.";
  }
};

/** @param {StartJson & Partial<TreeJson>} what @param {KeptTree | null} [kept] */
const open = async (what, kept = null) => {
  stop();
  arranged = null;
  const whole = given = { tags: {}, comments: [], line: [], result: "*", termination: "", ...what };
  const made = await table.setGame(what.game);
  if (given !== whole) return; // another one was set up since
  start = { game: given.game, setup: given.setup, position: given.position };
  board = made;
  showCard(board);
  [0, 1].forEach((seat) => byId("bar").style.setProperty(seat === 0 ? "--first-seat" : "--second-seat", board.seats[seat][1]));
  root = at = nodeOf("", null, { comments: (kept || given).comments });
  now = null;
  grow(root, (kept || given).line);
  id = kept?.id || Date.now();
  chooseGame(start.game);
  byId("kept").replaceChildren();
  await goTo((kept?.place || []).reduce((node, which) => node.next[which] || node, root));
};

const setUp = (from = NOWHERE, isGiven = false) => trying(said, async () => {
  await checked;
  const [record, setup] = [byId("record").value.trim(), byId("start-setup").value.trim()];
  if (!record && !setup && arranged && fault) return; // which is said already
  source = from;
  if (record) {
    await open(await ask("/api/read", { text: record }));
  } else {
    await open(await ask("/api/start", { game: gameNow(), setup, position: arranged && setup ? "" : byId("start-position").value.trim(), plain: isGiven }));
  }
  byId("set-up").open = false;
});

const promote = () => {
  for (let node = at; node.parent; node = node.parent) {
    const { next } = node.parent;
    next.unshift(...next.splice(next.indexOf(node), 1));
    settle(node.parent);
  }
  showTree();
  remember();
};

const remove = () => {
  if (at === root) return;
  const parent = /** @type {TreeNode} */ (at.parent);
  parent.next.splice(parent.next.indexOf(at), 1);
  settle(parent);
  goTo(parent);
};

const keep = () => trying(said, async () => {
  byId("kept").replaceChildren();
  const [line, { tags, result, termination }] = [lineOf(root), given];
  const isSame = mainMoves(line) === mainMoves(given.line); // else it did not end so
  showKept(byId("kept"), await ask("/api/keep", { ...start, kind: "analysis", tags, comments: root.comments, line, ...(isSame ? { result, termination } : {}) }));
});

for (const [id, act] of /** @type {[Buttons, () => unknown][]} */ (Object.entries({ promote, remove, keep }))) byId(id).addEventListener("click", act);
listenToSteps(steps);
byId("glyph").addEventListener("change", () => {
  at.glyph = byId("glyph").value;
  showMoves();
  remember();
});
byId("comment").addEventListener("input", () => { // not once it is left: by a click on a move, say
  const text = [byId("comment").value.trim(), ...notesIn(at.comments)].filter(Boolean).join(" ");
  at.comments = text ? [text] : [];
  showMoves();
  remember();
});
byId("think").addEventListener("click", () => {
  byId("think").setAttribute("aria-pressed", String(!isThinking()));
  think();
});
byId("bot").addEventListener("change", () => trying(said, () => offerLevels(byId("bot").value)).then(think));
byId("level").addEventListener("change", think);
onGame(() => arrange());
byId("new").addEventListener("click", () => arrange());
byId("clear").addEventListener("click", () => {
  arranged = (arranged || []).map(() => "");
  showArranged();
});
byId("side").addEventListener("change", showArranged);
byId("start-position").addEventListener("change", () => arrange(byId("start-position").value.trim()));
byId("set-up").addEventListener("toggle", () => {
  if (byId("set-up").open) arrange(byId("text").value);
  else if (arranged) goTo(at);
});
document.addEventListener("visibilitychange", () => (document.hidden ? stop() : think())); // nobody looks
onSubmit(byId("setup"), () => setUp());

const asks = new URLSearchParams(location.search);
fillFrom(asks, ["setup", "position"]);

// Opens a served game at a ply, or the position and moves in the address.
const begin = () => trying(said, async () => {
  const record = asks.get("record") || "";
  if (record) {
    const where = asks.get("where") || "";
    byId("record").value = (await ask(`/api/records/${record}?${new URLSearchParams({ where })}`)).text;
    await setUp({ record, where });
  } else await setUp(NOWHERE, asks.has("moves"));
  const line = (asks.get("moves") || "").split(" ").filter(Boolean);
  const from = Array.from({ length: Number(asks.get("ply")) || 0 }).reduce((/** @type {TreeNode} */ node) => node.next[0] || node, root);
  if (!given) return;
  const end = line.reduce(along, from);
  const shown = !record && asks.has("ply") ? pathTo(end)[Number(asks.get("ply")) - 1] || root : end;
  if (end !== root) await goTo(shown);
});
const goOn = async () => {
  const before = location.search ? keptTrees().find((one) => one.address === location.search) : keptTrees()[0];
  const isOpen = before && await trying(said, async () => {
    source = before.source;
    await open(before.given, before);
  });
  if (!isOpen) await begin();
};
goOn();
trying(said, () => offerLevels(byId("bot").value));
