// A board at which one moves: by pointer, finger, keyboard or typed text. What may be played comes
// from the site; of moves this knows what they change, and so where they can be pointed at.

/* global lath */
import { ask, boardOf, onSubmit } from "./common.js";

const { byId, make, buttonOf } = lath;

/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const TAKES = "-";
const MOST_GLIDING = 8; // cells: a step changes no more, unlike a jump
const DIAMOND = "M0-43L43 0L0 43L-43 0z";

// Legal moves as boards show them.
/** @type {(now: Pick<PositionJson, "legal" | "stacks">) => LegalMove[]} */
export const legalOf = ({ legal, stacks }) =>
  legal.map(([text, cells]) => {
    const after = stacks.slice();
    for (const [cell, stack] of cells) after[cell] = stack;
    return { text, changes: lath.changesOf(stacks, after) };
  });

// What lies where after the moves of a line, and what may be played: see `position_json`.
/** @type {(start: StartJson, moves: string[]) => Promise<PositionJson>} */
export const lookAt = (start, moves) => ask("/api/position", { ...start, moves, threats: true });

// New pieces glide from the cell that they left, or grow where they are put.
/** @param {BoardView} view @param {BoardJson} board @param {string[]} before @param {string[]} stacks */
const glide = (view, { centres }, before, stacks) => {
  const changed = stacks.flatMap((stack, cell) => (stack === before[cell] ? [] : [cell]));
  if (changed.length > MOST_GLIDING || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const nodes = view.element.querySelectorAll(".stacks > g");
  for (const cell of changed) {
    [...stacks[cell]].forEach((code, i) => {
      if (before[cell].includes(code)) return;
      const from = changed.find((one) => before[one].includes(code) && !stacks[one].includes(code));
      const start = from === undefined ? "scale(.4)" : `translate(${[0, 1].map((axis) => `${centres[2 * from + axis] - centres[2 * cell + axis]}px`)})`;
      nodes[cell].children[i]?.animate([{ transform: start }, { transform: "none" }], { duration: 180, easing: "ease-out" });
    });
  }
};

/** @param {(text: string) => unknown} onMove */
export const makeTable = (onMove) => {
  /** @type {TableState} */
  // @ts-expect-error - there is no board before `setGame`, nor anything to do
  const state = { view: null, game: null, now: null, effects: null, isMine: false, cursor: -1, hover: -1, pointed: "", chosen: [], at: -1, over: "", take: "", hinted: "", onCell: null, shares: [], legal: false, threats: false, aids: true, flipped: false };

  // Where a move is pointed at, and what a click must mean for it.
  /** @param {DrawnMove} move */
  const takeOf = ({ kind, codes }) => ({ dots: codes[0], turned: "" })[/** @type {string} */ (kind)] ?? TAKES;
  // What a move does that no cell stands for, such as a swap, which has a button.
  /** @param {string} [text] */
  const directOf = (text) => state.now?.direct.find(([one]) => one === text)?.[1];

  /** @param {DrawnMove} move */
  const wordsOf = (move) => (directOf(move.text) ? `${lath.plainMove(move.text)} ${directOf(move.text)}` : state.words(move));

  const draw = () => {
    const { now, view, game } = state;
    if (!now) return; // no position of this game has come yet
    const isChoosing = state.chosen.length > 0;
    const all = state.effects.all;
    const shown = isChoosing ? state.chosen.map(({ text }) => text).filter((text) => !state.over || text === state.over) : null;
    const legal = isChoosing || (state.legal && !now.is_over) ? state.legalMoves.filter(({ text }) => !shown || shown.includes(text)) : null;
    /** @param {string[]} texts */
    const cellsOf = (texts) => all.filter(({ text }) => texts.includes(text)).flatMap(({ text, cells }) => cells.map((cell) => /** @type {[number, boolean]} */ ([cell, now.wins.includes(text)])));
    const threatened = state.threats ? all.filter(({ text }) => now.threats.includes(text)) : [];
    view.show({
      stacks: now.stacks, extras: now.extras, moved: now.moved, deciding: now.deciding, isLoss: now.is_loss, legal,
      looked: isChoosing ? state.at : -1, isKept: isChoosing,
      hinted: cellsOf(state.threats ? [...now.wins, ...now.loses] : []), ghost: ghost(),
      shares: [...(isChoosing ? [] : state.shares), ...threatened.flatMap(({ cells }) => cells.map((cell) => /** @type {Share} */ ([cell, 0.2, game.seats[1 - now.to_move][1], "!"])))],
      cursor: state.cursor, aids: state.aids, title: `${game.title}, ${game.seats[now.to_move][0]} to move`,
    });
    for (const [cell] of cellsOf([state.hinted])) {
      const mark = lath.drawn("g", { class: "hint" }, ...[0, 1].map(() => lath.drawn("path", { d: DIAMOND })));
      view.element.querySelector(".marks")?.append(lath.placed(mark, state.board.centres[2 * cell], state.board.centres[2 * cell + 1]));
    }
  };

  // The legend: the marks that are shown, and the moves that have them.
  const tellMarks = () => {
    const { now } = state;
    if (!now) return;
    /** @type {[sign: string, words: string, texts: string[]][]} */
    const signs = [["★", "Stars win immediately", now.wins], ["▲", "Triangles lose immediately", now.loses], ["!", `${state.game.seats[1 - now.to_move][0]} threatens`, now.threats]];
    const shown = state.threats ? signs.filter(([, , texts]) => texts.length > 0) : [];
    byId("threats-told").textContent = state.threats && shown.length === 0 ? "No move wins or loses immediately." : "";
    if (state.hinted) shown.push(["◇", "The diamond is the hint", [state.hinted]]);
    byId("threats-told").append(...shown.map(([sign, words, texts]) => make("p", "", null, make("span", "sign", sign), `${words}: ${texts.join(" ")}`)));
  };

  const forget = () => {
    Object.assign(state, { chosen: [], at: -1, over: "", pointed: "" });
    byId("choices").hidden = true;
  };

  const tell = lath.teller("cell");

  // Nobody moves until the next position is shown.
  const hold = () => {
    state.isMine = false;
    byId("board").classList.remove("mine");
  };

  /** @param {string} text */
  const play = (text) => {
    if (["choices", "direct"].some((id) => byId(/** @type {"choices" | "direct"} */ (id)).contains(document.activeElement))) byId("board").focus({ preventScroll: true });
    forget();
    tell("");
    hold();
    onMove(text);
  };

  /** @param {number} cell */
  const stackTold = (cell) => {
    const names = new Map(state.game.pieces.map(([code, name]) => [code, name]));
    return [.../** @type {PositionJson} */ (state.now).stacks[cell]].reverse().map((code) => names.get(code) || code).join(" on ") || "empty";
  };

  /** @param {number} cell */
  const changes = (cell) => {
    const touched = /** @type {PositionJson} */ (state.now).legal.filter(([, cells]) => cells.some(([at]) => at === cell)).map(([text]) => text);
    return state.effects.all.filter(({ text }) => touched.includes(text));
  };

  // A move with the name of a column or row is meant on each of its cells.
  /** @param {string} text @param {number} cell */
  const isNamed = (text, cell) => Boolean(state.game.cells[cell].match(/[a-z]+|\d+/gu)?.includes(text));

  // What may be played at a cell: what a click means; else whatever there is; else what a piece does
  // that leaves the cell; else the move of its column or row.
  /** @param {number} cell */
  const movesAt = (cell) => {
    const here = state.effects.all.filter((move) => move.kind !== "others" && move.cells.includes(cell));
    const meant = here.filter((move) => !directOf(move.text) && ["", state.take].includes(takeOf(move)));
    if (meant.length > 0) return meant;
    const placed = here.filter(({ kind }) => kind === "dots");
    const named = state.effects.all.filter(({ text }) => isNamed(text, cell));
    return [placed, here, changes(cell), named].find((moves) => moves.length > 0) || [];
  };

  // A button for one of the moves at a cell; while it is looked at the board shows that move alone.
  /** @param {DrawnMove} move */
  const choiceOf = (move) => {
    const made = buttonOf(wordsOf(move), () => play(move.text));
    /** @param {string} over */
    const look = (over) => () => {
      if (state.chosen.length === 0) return;
      state.over = over;
      draw();
    };
    for (const event of ["pointerenter", "focus"]) made.addEventListener(event, look(move.text));
    for (const event of ["pointerleave", "blur"]) made.addEventListener(event, look(""));
    return made;
  };

  // What a click at a cell means: a move that it plays, or those among which one chooses.
  /** @param {number} cell */
  const meantAt = (cell) => {
    const narrowed = state.chosen.filter((move) => cell !== state.at && changes(cell).includes(move));
    const moves = narrowed.length > 0 ? narrowed : movesAt(cell);
    const isThere = narrowed.length > 0 || moves.some(({ cells, text }) => cells.includes(cell) || isNamed(text, cell));
    return { moves, played: moves.length === 1 && isThere ? moves[0].text : "" };
  };

  // The cells that the next click or Enter changes, with what is on them then.
  const ghost = () => {
    if (!state.isMine) return [];
    const cell = state.hover >= 0 ? state.hover : state.cursor;
    const text = state.over || state.pointed || (cell >= 0 && meantAt(cell).played);
    return /** @type {PositionJson} */ (state.now).legal.find(([one]) => one === text)?.[1] || [];
  };

  /** @param {number} cell @param {boolean} hasFocus */
  const choose = (cell, hasFocus) => {
    if (state.onCell && cell >= 0) {
      state.onCell(cell);
      tell(`${state.game.cells[cell]}: ${stackTold(cell)}`);
      return;
    }
    if (!state.isMine || cell < 0) return;
    const { moves, played } = meantAt(cell);
    forget();
    if (played) {
      play(played);
      return;
    }
    const name = state.game.cells[cell];
    const more = moves.some(({ cells }) => cells.length > 1) ? ", or click on another of its cells" : "";
    tell(moves.length === 0 ? `${name}: ${stackTold(cell)}. No legal move there. The button Legal moves marks the cells of all moves.` : `${name}: choose a move${more}.`);
    if (moves.length > 0) {
      Object.assign(state, { chosen: moves, at: cell });
      byId("choices").hidden = false;
      byId("choices").replaceChildren(...moves.map(choiceOf), buttonOf("Cancel", () => back()));
      if (hasFocus) byId("choices").firstChild.focus();
    }
    draw();
  };

  const back = () => {
    forget();
    tell("");
    draw();
    byId("board").focus({ preventScroll: true });
  };

  const showPalette = () => {
    const { all } = state.effects;
    const place = byId("palette");
    const named = new Map(state.game.pieces.map(([code, name, , shade]) => [code, { name, shade }]));
    const kinds = [...new Set(all.filter(({ text }) => !directOf(text)).map(takeOf).filter(Boolean))];
    const own = kinds.find((code) => named.get(code)?.shade === state.game.seats[/** @type {PositionJson} */ (state.now).to_move][1]);
    state.take = own || kinds.find((code) => code !== TAKES) || kinds[0] || "";
    place.hidden = kinds.length < 2 || !state.isMine;
    const radios = kinds.map((code) => {
      const [label, radio] = [make("label"), make("input")];
      Object.assign(radio, { type: "radio", name: "palette", value: code, checked: code === state.take });
      radio.addEventListener("change", () => {
        state.take = code;
        if (state.chosen.length > 0) back();
      });
      label.append(radio, code === TAKES ? "removes pieces" : `puts ${lath.withArticle(named.get(code)?.name || code)}`);
      return label;
    });
    place.replaceChildren(/** @type {Element} */ (place.firstElementChild), ...radios);
    const direct = state.isMine ? all.filter(({ text }) => directOf(text)) : [];
    byId("direct").hidden = direct.length === 0;
    byId("direct").replaceChildren(...direct.map((move) => buttonOf(wordsOf(move), () => play(move.text))));
  };

  /** @param {Awaited<ReturnType<typeof boardOf>>} made */
  const lay = ({ game, board, ...view }) => {
    Object.assign(state, { view, game, board, hover: -1, pointed: "" });
    byId("board").replaceChildren(view.element);
  };

  /** @param {string} id */
  const setGame = async (id) => {
    const asked = state.asked = {};
    const made = await boardOf(id, state.flipped);
    if (state.asked !== asked) return made.game; // another one was asked for since
    hold();
    lay(made);
    Object.assign(state, { now: null, cursor: -1, onCell: null });
    byId("aids").hidden = !made.hasAids;
    return made.game;
  };

  // Turns the board round; the game goes on.
  const flip = async () => {
    state.flipped = !state.flipped;
    byId("flip").setAttribute("aria-pressed", String(state.flipped));
    const made = state.game && await boardOf(state.game.id, state.flipped);
    if (made?.game !== state.game || !made) return;
    lay(made);
    draw();
  };

  // Shows a position; with `isMine` it is whoever sits here who moves. `shares` are discs as boards show them.
  // Where a position is set up, `onCell` takes the cells that are pointed at.
  /** @param {PositionJson} now @param {boolean} isMine @param {Share[]} shares @param {TableState["onCell"]} onCell */
  const show = (now, isMine, shares = [], onCell = null) => {
    forget();
    tell("");
    const before = state.now?.stacks;
    Object.assign(state, { now, shares, onCell, isMine: isMine && !now.is_over, hinted: "", legalMoves: legalOf(now), effects: lath.effectsOf(legalOf(now), now.stacks) });
    state.words = state.view.show({ stacks: now.stacks }).words;
    byId("board").classList.toggle("mine", state.isMine || Boolean(onCell));
    showPalette();
    tellMarks();
    draw();
    if (before) glide(state.view, state.board, before, now.stacks);
  };

  /** @param {string} text */
  const hint = (text) => {
    state.hinted = text;
    tellMarks();
    draw();
  };

  const typed = () => {
    const input = byId("typed-move");
    const text = input.value.replace(/\s/gu, "");
    if (!state.isMine || !text) return;
    const texts = /** @type {PositionJson} */ (state.now).legal.map(([one]) => one);
    const spelled = texts.map((one) => ({ one, words: [one, lath.plainMove(one).replace(/\s/gu, "")] }));
    const meant = spelled.filter(({ words }) => words.some((word) => word.toLowerCase() === text.toLowerCase()));
    const found = [spelled.filter(({ words }) => words.includes(text)), meant].find((list) => list.length === 1)?.[0].one;
    if (!found) {
      tell(`${text} is not a legal move. Legal moves include ${texts.slice(0, 3).map(lath.plainMove).join(", ")}.`);
      return;
    }
    input.value = "";
    play(found);
  };

  /** @param {KeyboardEvent} event */
  const step = (event) => {
    if (!state.now || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ARROWS[event.key];
    if (way) {
      const middle = Math.floor(state.game.cells.length / 2);
      state.hover = -1;
      state.cursor = state.cursor < 0 ? middle : state.view.nextTo(state.cursor, way);
      const moves = movesAt(state.cursor).map(wordsOf).join(", or ");
      tell(`${state.game.cells[state.cursor]}: ${stackTold(state.cursor)}${state.isMine && moves ? `; ${moves}` : ""}`);
      draw();
    } else if (event.key === "Enter" || event.key === " ") choose(state.cursor, true);
    else if (event.key === "Escape") back();
    else if (event.key.toLowerCase() === "f") flip();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  for (const id of /** @type {const} */ (["legal", "threats", "aids"])) {
    byId(id).setAttribute("aria-pressed", String(state[id]));
    byId(id).addEventListener("click", () => {
      state[id] = !state[id];
      byId(id).setAttribute("aria-pressed", String(state[id]));
      tellMarks();
      draw();
    });
  }
  byId("flip").addEventListener("click", flip);
  /** @param {PointerEvent & OnElement} event */
  const point = (event) => {
    if (!state.view || event.pointerType === "touch") return;
    const [hover, text] = [state.view.cellOf(event), state.view.moveOf(event)];
    const pointed = state.chosen.some((move) => move.text === text) ? text : "";
    if (hover === state.hover && pointed === state.pointed) return;
    Object.assign(state, { hover, pointed });
    if (state.isMine) draw();
  };
  for (const kind of /** @type {const} */ (["pointermove", "pointerleave"])) byId("board").addEventListener(kind, point);
  byId("board").addEventListener("click", (event) => {
    const text = state.view?.moveOf(event);
    if (text && state.chosen.some((move) => move.text === text)) play(text);
    else if (state.view) choose(state.view.cellOf(event), false);
  });
  byId("board").addEventListener("keydown", step);
  byId("choices").addEventListener("keydown", (event) => event.key === "Escape" && back());
  onSubmit(byId("typed"), typed);

  // A move with what it does on the board shown, where that cannot be seen.
  /** @param {string} [text] */
  const didOf = (text) => text && directOf(text) && `${lath.plainMove(text)}, which ${directOf(text)}`;

  return { setGame, show, hold, hint, didOf };
};
