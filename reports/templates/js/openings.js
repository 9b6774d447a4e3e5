// Openings: the moves of a position on its board and as a list, one click deeper; setups as small
// boards. For each game type, `lath.reports.page.page` embeds `lines` and `setups`. Each of `lines`
// is null or [index of the previous line, move, effect, wins, draws, losses, low, high, example,
// chosen]. Each of `setups`, of `different` in all, is [text, codes on the cells, wins, draws,
// losses, low, high, example], and the state beside the cells in words, which `extras` has for each
// line and the start. This file knows no rules.

lath.openedLines = (lines) => {
  /** @param {number[]} counts */
  const scored = ([wins, draws, losses, low, high]) => ({ wins, draws, losses, low, high, games: wins + draws + losses });
  return lines.map((line) => {
    if (!line) return null;
    const [before, move, effect, ...counts] = line;
    const [played, [example, chosen], others] = [scored(counts), counts.slice(5, 7), counts.slice(7)];
    return { before, move, effect, ...played, example, chosen, reached: others.length > 0 ? scored(others) : played };
  });
};

lath.exampleLink = (number, ply) => lath.linkOf(`#${number}`, `#game=${number}&ply=${ply}`);

// The tree of one game type. `family` and `board` are those of `lath.openGames`.
lath.makeTree = ({ lines: all, extras = [] }, family, board) => {
  const { make } = lath;
  const lines = /** @type {OpenedLine[]} */ (lath.openedLines(all));
  const shapes = new Map(board.pieces.map(([code, , shape]) => [code, shape]));
  /** @type {Map<number, number[]>} */
  const next = new Map();
  lines.forEach((line, place) => line && next.set(line.before, [...(next.get(line.before) || []), place]));
  const view = lath.boardOf(board);
  const element = make("div", "tree");
  const [way, told, list] = [make("p", "way"), make("p", "told"), make("section", "scroll")];
  told.setAttribute("role", "status");
  list.setAttribute("aria-label", `Moves of ${family.title}`);
  list.tabIndex = 0;
  const shown = make("div", "", null, view.element);
  element.append(shown, make("div", "", null, way, told, list));
  let at = -1;
  /** @type {Map<number, number[]>} */
  let cells = new Map();

  /** @type {(place: number) => number[]} */
  const pathTo = (place) => (place < 0 ? [] : [...pathTo(lines[place].before), place]);
  /** @param {number} place */
  const stacksAt = (place) => pathTo(place).reduce((stacks, one) => lath.applied(lines[one].effect, stacks, shapes), family.plain);

  /** @param {string} words @param {number} place @param {string} label */
  const button = (words, place, label = "") => {
    const made = make("button", "move", words);
    made.type = "button";
    made.dataset.place = String(place);
    if (label) made.setAttribute("aria-label", label);
    return made;
  };

  /** @param {number} place */
  const rowOf = (place) => {
    const line = lines[place];
    const move = next.has(place) ? button(line.move, place) : make("span", "move", line.move);
    const chosen = line.chosen > 0 ? make("small", "", line.chosen === line.games ? " by the arena" : ` by the arena in ${line.chosen}`) : "";
    return { head: [move, chosen], games: line.games, cells: [lath.scoreChip(line), lath.grouped(line.reached.games), lath.scoreChip(line.reached), lath.exampleLink(line.example, pathTo(place).length)] };
  };

  // The cells of moves that change a single cell; moves on one cell are added up.
  /** @param {number[]} places @param {string[]} stacks @param {number} games */
  const marked = (places, stacks, games) => {
    cells = new Map();
    const moves = places.flatMap((place) => {
      const moved = lath.movedFrom({ shapes }, stacks, lath.applied(lines[place].effect, stacks, shapes));
      if (moved.length !== 1) return [];
      cells.set(moved[0], [...(cells.get(moved[0]) || []), place]);
      return [{ cell: moved[0], ...lines[place] }];
    });
    return lath.wayDiscs(moves, games);
  };

  /** @param {number} place */
  const show = (place) => {
    at = place;
    const path = pathTo(place);
    const places = next.get(place) || [];
    const sum = places.reduce((count, one) => count + lines[one].games, 0);
    const here = place < 0 ? /** @type {Favour} */ ({ games: sum }) : lines[place].reached;
    const stacks = stacksAt(place);
    const steps = ["Start", ...path.map((one, i) => `${i + 1}. ${lines[one].move}`)];
    way.replaceChildren(...lath.wayTo(steps, (words, i) => button(words, i > 0 ? path[i - 1] : -1)));
    const others = here.games - sum;
    told.replaceChildren(`${lath.counted(here.games, "game")} ${here.games === 1 ? "reaches" : "reach"} this position. `, ...(place < 0 ? [] : ["First player’s score: ", lath.scoreChip(here), ". "]),
      others > 0 ? `${lath.counted(others, "game")} ended here or continued with a rarer move. ` : "",
      places.some((one) => lines[one].chosen > 0) ? "Moves marked “by the arena” come from the openings of the tournament, so they do not show what bots prefer." : "");
    const caption = `Moves in this position of ${family.title}, most frequent first.`;
    /** @type {[string, number][]} */
    const groups = [["", 1], ["Played from here", 3], ["Reached by any move order", 2], ["", 1]];
    const labels = ["Played", "Share", "First player’s score", "Reached", "First player’s score there", "Example"];
    list.replaceChildren(lath.waysTable(caption, ["First player’s score", "Games", "First player’s score", "Example"], places.map(rowOf), here.games, groups, labels));
    list.dispatchEvent(new Event("listed"));
    view.show({
      stacks,
      extras: extras.at(place), // the last one is that of the start
      moved: place < 0 ? [] : lath.movedFrom({ shapes }, stacksAt(lines[place].before), stacks),
      shares: marked(places, stacks, here.games),
      title: `${family.title}: moves ${place < 0 ? "at the start" : `after ${path.map((one) => lines[one].move).join(" ")}`}, in percent of ${lath.counted(here.games, "game")}. The list shows the same moves.`,
    });
  };

  // Going down the tree skips moves that the arena chose in all games.
  /** @type {(place: number) => number} */
  const free = (place) => {
    const [only, ...others] = (next.get(place) || []).filter((one) => next.has(one));
    const isForced = only !== undefined && others.length === 0 && lines[only].chosen === lines[place].reached.games;
    return isForced ? free(only) : place;
  };

  /** @param {number} place @param {boolean} isDown */
  const go = (place, isDown) => {
    show(isDown ? free(place) : place);
    (way.querySelector("button:last-of-type") || list.querySelector("button"))?.focus({ preventScroll: true });
  };

  element.addEventListener("click", (event) => {
    const pressed = event.target.closest("button[data-place]");
    if (pressed) return go(Number(pressed.dataset.place), list.contains(pressed));
    const on = shown.contains(event.target) ? (cells.get(view.cellOf(event)) || []).filter((place) => next.has(place)) : [];
    if (on.length === 1) return go(on[0], true);
    return list.querySelector(`[data-place="${on[0]}"]`)?.focus();
  });
  show(at);
  return element;
};

lath.makeSetups = ({ setups: all, different }, board) => {
  const { make } = lath;
  const figures = all.map(([text, stacks, wins, draws, losses, low, high, example, extras]) => {
    const view = lath.boardOf(board);
    const title = `Setup: ${lath.setupTold(text)}`;
    view.show({ stacks, extras, title });
    const games = wins + draws + losses;
    const told = make("p", "", null, `${lath.counted(games, "game")}, first `, lath.scoreChip({ wins, draws, games, low, high }), " ", lath.exampleLink(example, 0));
    return make("figure", "setup", null, view.element, make("figcaption", "", null, lath.nameOf(title), told));
  });
  const more = different > all.length ? `The ${all.length} most frequent of ${lath.counted(different, "setup")}.` : "";
  return make("div", "", null, make("p", "remark", more), make("div", "setups", null, ...figures));
};

// The part of each game type is built when the reader opens it.
lath.makeOpenings = (games) => {
  const opened = async () => lath.unpacked(lath.byId("openings-data").textContent);
  /** @type {Promise<Begun[]> | null} */
  let all = null;
  /** @param {HTMLElement} place */
  const fill = async (place) => {
    all = all || opened();
    const found = (await all).find(({ game }) => game === place.dataset.game);
    const family = games.families.find(({ id, board }) => id === place.dataset.game && board !== null);
    if (!found || !family || place.firstChild) return;
    const board = games.boards[/** @type {number} */ (family.board)];
    if (found.lines.some(Boolean)) place.append(lath.makeTree(found, family, board));
    if (found.setups.length > 0) place.append(lath.makeSetups(found, board));
    lath.byId("leans").hidden = false;
    place.dispatchEvent(new Event("listed"));
  };
  for (const place of document.querySelectorAll(".explorer")) {
    const details = place.closest("details");
    if (details.open) fill(place);
    else details.addEventListener("toggle", () => fill(place), { once: true });
  }
};
