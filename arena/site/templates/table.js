// A board at which one moves: by pointer, finger, keyboard or typed text. What may be played comes
// from the site; of moves this knows what they change, and so where they can be pointed at.

/* global lath */
import { ask, boardOf, buttonOf } from "./common.js";

const { byId, make } = lath;

/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const TAKES = "-";
const MOST_BUTTONS = 4;

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

/** @param {(text: string) => unknown} onMove */
export const makeTable = (onMove) => {
  /** @type {TableState} */
  // @ts-expect-error - there is no board before `setGame`, nor anything to do
  const state = { view: null, game: null, now: null, effects: null, isMine: false, cursor: -1, chosen: [], at: -1, over: "", take: "", hinted: "", onCell: null, shares: [], legal: false, threats: false, aids: true };

  // Where a move is pointed at, and what a click must mean for it.
  /** @param {DrawnMove} move */
  const takeOf = ({ kind, codes }) => (kind === "dots" ? codes[0] : TAKES);
  /** @param {DrawnMove} move */
  const isDirect = ({ kind }) => kind === "turned" || kind === "others";

  /** @param {DrawnMove} move */
  const wordsOf = (move) => state.words(move);

  const draw = () => {
    const { now, view, game } = state;
    if (!now) return; // no position of this game has come yet
    const isChoosing = state.chosen.length > 0;
    const all = state.effects.all;
    const shown = isChoosing ? state.chosen.map(({ text }) => text).filter((text) => !state.over || text === state.over) : null;
    const legal = isChoosing || (state.legal && !now.is_over) ? state.legalMoves.filter(({ text }) => !shown || shown.includes(text)) : null;
    const wins = state.threats ? [...now.wins, ...now.loses] : [];
    /** @param {string[]} texts */
    const cellsOf = (texts) => all.filter(({ text }) => texts.includes(text)).flatMap(({ text, cells }) => cells.map((cell) => /** @type {[number, boolean]} */ ([cell, now.wins.includes(text) || text === state.hinted])));
    const threatened = state.threats ? all.filter(({ text }) => now.threats.includes(text)) : [];
    view.show({
      stacks: now.stacks, moved: now.moved, deciding: now.deciding, isLoss: now.is_loss, legal,
      looked: isChoosing ? state.at : -1, isKept: isChoosing,
      hinted: cellsOf([...wins, state.hinted]),
      shares: [...(isChoosing ? [] : state.shares), ...threatened.flatMap(({ cells }) => cells.map((cell) => /** @type {Share} */ ([cell, 0.2, game.seats[1 - now.to_move][1], "!"])))],
      cursor: state.cursor, aids: state.aids, title: `${game.title}, ${game.seats[now.to_move][0]} to move`,
    });
  };

  /** @param {number} seat */
  const colour = (seat) => state.game.seats[seat][0];

  const tellThreats = () => {
    const { now } = state;
    if (!now) return;
    /** @type {[words: string, texts: string[]][]} */
    const parts = [["Stars win immediately", now.wins], ["Triangles lose immediately", now.loses], [`${colour(1 - now.to_move)} threatens (!)`, now.threats]];
    const told = parts.filter(([, texts]) => texts.length > 0).map(([words, texts]) => `${words}: ${texts.join(" ")}.`);
    byId("threats-told").textContent = state.threats ? told.join(" ") || "No move wins or loses immediately." : "";
  };

  const forget = () => {
    Object.assign(state, { chosen: [], at: -1, over: "" });
    byId("choices").hidden = true;
  };

  /** @param {string} words */
  const tell = (words) => {
    byId("cell").textContent = words;
  };

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

  // What may be played at a cell: what a click means; else whatever there is; else what a piece does
  // that leaves the cell.
  /** @param {number} cell */
  const movesAt = (cell) => {
    const here = state.effects.all.filter((move) => move.kind !== "others" && move.cells.includes(cell));
    const meant = here.filter((move) => !isDirect(move) && takeOf(move) === state.take);
    if (meant.length > 0) return meant;
    const placed = here.filter(({ kind }) => kind === "dots");
    return [placed, here, changes(cell)].find((moves) => moves.length > 0) || [];
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

  /** @param {number} cell @param {boolean} hasFocus */
  const choose = (cell, hasFocus) => {
    if (state.onCell && cell >= 0) {
      state.onCell(cell);
      tell(`${state.game.cells[cell]}: ${stackTold(cell)}`);
      return;
    }
    if (!state.isMine || cell < 0) return;
    const narrowed = state.chosen.filter((move) => cell !== state.at && changes(cell).includes(move));
    const moves = narrowed.length > 0 ? narrowed : movesAt(cell);
    const isThere = narrowed.length > 0 || moves.some(({ cells }) => cells.includes(cell));
    forget();
    if (moves.length === 1 && isThere) {
      play(moves[0].text);
      return;
    }
    const name = state.game.cells[cell];
    tell(moves.length === 0 ? `${name}: ${stackTold(cell)}. No legal move there.` : `${name}: choose a move.`);
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
    const kinds = [...new Set(all.filter((move) => !isDirect(move)).map(takeOf))];
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
    const direct = state.isMine ? all.filter(isDirect) : [];
    if (direct.length > MOST_BUTTONS) direct.splice(0, Infinity, ...all.filter(({ kind }) => kind === "others")); // the rest have cells
    byId("direct").hidden = direct.length === 0;
    byId("direct").replaceChildren(...direct.map((move) => buttonOf(wordsOf(move), () => play(move.text))));
  };

  /** @param {string} id */
  const setGame = async (id) => {
    const asked = state.asked = {};
    const { game, ...view } = await boardOf(id);
    if (state.asked !== asked) return game; // another one was asked for since
    hold();
    Object.assign(state, { view, game, now: null, cursor: -1, onCell: null });
    byId("board").replaceChildren(view.element);
    byId("aids").hidden = !view.hasAids;
    return game;
  };

  // Shows a position; with `isMine` it is whoever sits here who moves. `shares` are discs as boards show them.
  // Where a position is set up, `onCell` takes the cells that are pointed at.
  /** @param {PositionJson} now @param {boolean} isMine @param {Share[]} shares @param {TableState["onCell"]} onCell */
  const show = (now, isMine, shares = [], onCell = null) => {
    forget();
    tell("");
    Object.assign(state, { now, shares, onCell, isMine: isMine && !now.is_over, hinted: "", legalMoves: legalOf(now), effects: lath.effectsOf(legalOf(now), now.stacks) });
    state.words = state.view.show({ stacks: now.stacks }).words;
    byId("board").classList.toggle("mine", state.isMine || Boolean(onCell));
    showPalette();
    tellThreats();
    draw();
  };

  /** @param {string} text */
  const hint = (text) => {
    state.hinted = text;
    draw();
  };

  const typed = () => {
    const input = byId("typed-move");
    const text = input.value.replace(/\s/gu, "");
    if (!state.isMine || !text) return;
    const texts = /** @type {PositionJson} */ (state.now).legal.map(([one]) => one);
    const meant = texts.filter((one) => one.toLowerCase() === text.toLowerCase());
    const found = texts.includes(text) ? text : meant.length === 1 && meant[0];
    if (!found) {
      tell(`${text} is not a legal move. Legal moves include ${texts.slice(0, 3).join(", ")}.`);
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
      state.cursor = state.cursor < 0 ? middle : state.view.nextTo(state.cursor, way);
      const moves = movesAt(state.cursor).map(wordsOf).join(", or ");
      tell(`${state.game.cells[state.cursor]}: ${stackTold(state.cursor)}${state.isMine && moves ? `; ${moves}` : ""}`);
      draw();
    } else if (event.key === "Enter" || event.key === " ") choose(state.cursor, true);
    else if (event.key === "Escape") back();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  for (const id of /** @type {const} */ (["legal", "threats", "aids"])) {
    byId(id).setAttribute("aria-pressed", String(state[id]));
    byId(id).addEventListener("click", () => {
      state[id] = !state[id];
      byId(id).setAttribute("aria-pressed", String(state[id]));
      tellThreats();
      draw();
    });
  }
  byId("board").addEventListener("click", (event) => {
    const text = state.view?.moveOf(event);
    if (text && state.chosen.some((move) => move.text === text)) play(text);
    else if (state.view) choose(state.view.cellOf(event), false);
  });
  byId("board").addEventListener("keydown", step);
  byId("choices").addEventListener("keydown", (event) => event.key === "Escape" && back());
  byId("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    typed();
  });

  return { setGame, show, hold, hint };
};
