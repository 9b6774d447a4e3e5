// Boards. `lath.makeBoard(data, template)` takes `data` from `lath.games.drawing.board.to_json` and
// a <template> with the drawing from `lath.games.drawing.board.template`. This file knows no rules.

lath.withArticle = (name) => `${/^[aeiou]/iu.test(name) ? "an" : "a"} ${name}`;

// A move without its escapes, unless the text is not printable.
lath.plainMove = (move) => [decodeURIComponent(move)].find((text) => !/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", ""))) ?? move;

lath.makeBoard = (data, template) => {
  const element = template.content.querySelector("svg").cloneNode(true);
  const [title, desc] = [element.querySelector("title"), element.querySelector("desc")];
  const geometry = lath.boardGeometry(data);
  const pieces = new Map(data.pieces.map(([code, name, shape, colour]) => [code, { name, shape, colour }]));
  const { shown: overlays, neighbours, rays } = data.overlays;
  const { has, copy, written } = lath.takeSprites(element);
  const extrasLine = element.querySelector(".extras");
  const size = Number(extrasLine?.dataset.size);
  const { drawn: make, placed } = lath;
  /** @param {SVGElement} made @param {number} cell */
  const at = (made, cell) => placed(made, ...geometry.centres[cell]);

  // The cells with their titles. Pieces do not hide them from a pointer.
  const cells = data.cells.map((name, i) => {
    const told = make("title");
    const node = at(make("g", { class: "cell" }, told, copy("cell"), ...(has("name") ? [written("name", name)] : [])), i);
    element.append(node);
    return { node, told, stack: at(make("g"), i), content: /** @type {string | null} */ (null) };
  });
  const below = make("g", { class: "below" });
  const marks = make("g", { class: "marks" });
  element.append(below, make("g", { class: "stacks" }, ...cells.map((cell) => cell.stack)), marks);

  /** @param {string} code */
  const nameOf = (code) => pieces.get(code)?.name || code;
  /** @param {string} stack */
  const wordsOf = (stack) => [...stack].reverse().map(nameOf).join(" on ") || "empty";
  /** @param {number[]} list */
  const namesOf = (list) => list.map((i) => data.cells[i]).join(" ");

  /** @param {string} stack */
  const drawStack = (stack) => {
    let hasTile = false;
    const known = [...stack].filter((code) => pieces.has(code));
    const drawn = known.map((code) => {
      const { shape } = /** @type {{ shape: string }} */ (pieces.get(code));
      const made = copy(`${hasTile && shape === "disc" ? "ring" : "piece"}-${code}`);
      hasTile = hasTile || shape === "tile";
      return made;
    });
    const strange = [...stack].filter((code) => !pieces.has(code)).join("");
    return strange ? [...drawn, written("strange", strange)] : drawn;
  };

  /** @param {string[]} stacks */
  const showStacks = (stacks) => {
    stacks.forEach((stack, i) => {
      const cell = cells[i];
      if (cell.content === stack) return;
      cell.content = stack;
      cell.told.textContent = `${data.cells[i]}: ${wordsOf(stack)}`;
      cell.stack.replaceChildren(...drawStack(stack));
    });
  };

  // Groups of pieces: bars below that join them, their sizes above, and words.
  /** @param {GroupsOverlay} shown @param {string[]} stacks */
  const groupsShown = (shown, stacks) => {
    const groups = lath.overlays.groups(shown, neighbours, stacks);
    /** @param {number[]} group */
    const codeOf = (group) => stacks[group[0]].slice(-1);
    /** @type {Map<string, string>} */
    const bars = new Map();
    for (const group of groups) {
      bars.set(codeOf(group), (bars.get(codeOf(group)) || "") + geometry.bars(group, neighbours));
    }
    const joined = [...bars].filter(([, path]) => path);
    const several = groups.filter((group) => group.length > 1);
    return {
      below: joined.map(([code, path]) => copy(`links-${code}`, path)),
      above: groups.map((group) => at(written(`size-${codeOf(group)}`, String(group.length)), geometry.middle(group))),
      words: several.map((group) => `Group of ${group.length}, ${nameOf(codeOf(group))}: ${namesOf(group)}`),
    };
  };

  // The view of a marker: cells and lines, and words.
  /** @param {SightOverlay} shown @param {string[]} stacks */
  const sightShown = (shown, stacks) => {
    const sights = lath.overlays.sight(shown, rays, stacks);
    /** @param {number[][]} seen */
    const listed = (seen) => namesOf(seen.flat().sort((a, b) => a - b)) || "nothing";
    return {
      below: sights.flatMap(([marker, seen]) => [
        copy("seen", geometry.outlines(seen.flat())),
        ...seen.map((ray) => copy("sight", ...geometry.view(marker, ray[ray.length - 1]))),
      ]),
      above: [],
      words: sights.map(([, seen]) => `The ${nameOf(shown.marker)} sees ${listed(seen)}`),
    };
  };

  /** @param {number[]} deciding */
  const veilAround = (deciding) => copy("veil", geometry.outlines(data.cells.map((_, i) => i).filter((i) => !deciding.includes(i))));

  /** @param {string} path @param {string} colour */
  const dot = (path, colour) => {
    const made = copy("dot", path);
    /** @type {Element} */ (made.firstElementChild).setAttribute("fill", colour);
    return made;
  };
  // The effects of legal moves: crosses, dots and arrows, in this order.
  /** @param {SVGElement} made @param {number} cell @param {Point} way */
  const beside = (made, cell, [right, down]) => {
    const [x, y] = geometry.centres[cell];
    return placed(made, x + 33 * right, y + 33 * down);
  };
  /** @param {number} cell @param {string} codes @param {string[]} stacks @param {boolean} isHinted */
  const dotAt = (cell, codes, stacks, isHinted) => {
    const paths = geometry.sectors(codes.length);
    const parts = [...codes].map((code, i) => dot(paths[i], pieces.get(code)?.colour || "#808080"));
    const made = make("g", { class: "dot" }, ...(stacks[cell] || isHinted ? [] : [copy("halo")]), ...parts);
    return stacks[cell] ? beside(made, cell, [1, 1]) : at(made, cell);
  };
  // Stars on cells that win, triangles on cells that lose.
  /** @param {[number, boolean | undefined][]} hinted @param {string[]} stacks */
  const hintsShown = (hinted, stacks) =>
    hinted.map(([cell, isWin]) => {
      const made = copy(isWin ? "win" : "loss");
      return stacks[cell] ? beside(made, cell, [1, 1]) : at(made, cell);
    });

  // The shares of moves at cells as areas of discs, from a dot (or the size of a number) to the
  // whole cell.
  /** @param {Share[]} shares */
  const sharesShown = (shares) =>
    shares.map(([cell, part, colour, words]) => {
      const made = at(written("share", words), cell);
      const disc = made.querySelector("circle");
      const radius = Math.sqrt(11 ** 2 + part * (44 ** 2 - 11 ** 2));
      disc.setAttribute("r", String(Math.round(Math.max(radius, words ? 19 : 0))));
      disc.setAttribute("fill", colour);
      return made;
    });

  /** @param {Effects} effects @param {string[]} stacks @param {[number, boolean | undefined][]} hinted */
  const legalShown = ({ dots, kinds, lines, turned }, stacks, hinted) => [
    ...[...kinds.values(), ...lines.filter((on) => on.length === 1)].flat().map((cell) => beside(copy("cross"), cell, [-1, 1])),
    ...[...dots].map(([cell, codes]) => dotAt(cell, codes, stacks, hinted.some(([on]) => on === cell))),
    ...turned.map((cell) => beside(copy("turn"), cell, [1, -1])),
  ];

  // Pieces that are put on a cell, in words. A marker moves there, because a game has only one.
  /** @param {string} codes */
  const putTold = (codes) => {
    const [under, ...on] = [...codes].map((code) => (pieces.get(code)?.shape === "marker" ? `the ${nameOf(code)}` : lath.withArticle(nameOf(code))));
    return [`puts ${under} there`, ...on.map((name) => `and ${name} on it`)].join(", ");
  };

  /** @type {ShownBoard["words"]} */
  const wordsOfMove = ({ text, kind, cells: on, codes }) => {
    /** @param {(cell: string, name: string) => string} told */
    const listed = (told) => on.map((cell, i) => told(data.cells[cell], codes[i] && wordsOf(codes[i]))).join(", ");
    const told = {
      dots: () => putTold(/** @type {string} */ (codes)),
      kinds: () => `takes every ${nameOf(codes[0][0])}`,
      lines: () => `takes ${listed((cell, name) => `${name} ${cell}`)}`,
      turned: () => `makes ${listed((cell, name) => `${cell} ${name ? lath.withArticle(name) : "empty"}`)}`,
      others: () => "",
    }[kind]();
    return [lath.plainMove(text), told].filter(Boolean).join(" ");
  };

  // The moves that affect a cell, and the cells that they take: lines beside each other, with the
  // cells outlined. A pointer on a line shows its words.
  /** @param {number} looked @param {Effects} effects */
  const lookedShown = (looked, { all }) => {
    const here = all.filter(({ cells: on }) => on.includes(looked));
    /** @type {Map<number, number>} */
    const used = new Map();
    const drawn = here.filter(({ kind }) => kind === "lines").map((move) => {
      const key = geometry.heading(move.cells);
      const turn = used.get(key) || 0;
      used.set(key, turn + 1);
      const line = copy("line", geometry.through(move.cells, [0, 15, -15, 30, -30][turn % 5]));
      line.setAttribute("class", "line");
      line.dataset.move = move.text;
      const told = make("title");
      told.textContent = wordsOfMove(move);
      line.prepend(told);
      return line;
    });
    const rounds = here.filter(({ kind }) => kind === "kinds").map((move) => copy("line", geometry.outlines(move.cells)));
    return [at(copy("moved"), looked), ...rounds, ...drawn];
  };

  // Shows a position. `stacks`: the codes on each cell, from the bottom up. `extras`: the state
  // beside the cells in words. `moved`, `deciding`:
  // cells; with `isLoss`, the loser made or had the deciding ones. `legal`: null, or a list of
  // {text, changes: [[cell, "+w"], …]}. `looked`: the cell whose legal moves are shown, or -1; with
  // `isKept`, a pointer can select its lines. `shares`: of moves at cells, [cell, share in 0..1,
  // colour, label]. `hinted`: cells where a move wins or loses immediately, as [cell, whether it
  // wins]. `ghost`: cells with their stacks after a move, drawn faintly; a smaller stack gets a
  // cross. `cursor`: the cell with the keyboard focus, or -1. `aids`: whether overlays are on.
  // `title`: the accessible name. Returns {effects, words}: the effects from `lath.effectsOf`, and
  // a function that returns a legal move in words.
  /** @type {BoardView["show"]} */
  const show = ({ stacks, extras = "", moved = [], deciding = [], isLoss = false, legal = null, looked = -1, isKept = false, hinted = [], shares = [], ghost = [], cursor = -1, aids = false, title: told = data.title }) => {
    const effects = lath.effectsOf(legal || [], stacks);
    const shown = (aids ? overlays : []).map((one) => (one.kind === "groups" ? groupsShown(one, stacks) : sightShown(one, stacks)));
      /** @param {"below" | "above"} part */
    const all = (part) => shown.flatMap((one) => one[part]);
    const isLooked = legal !== null && looked >= 0;
    const net = isLooked ? "" : effects.lines.filter((on) => on.length > 1).map((on) => geometry.through(on)).join("");
    element.classList.toggle("kept", isKept);
    const covered = new Set(shares.map(([cell]) => cell));
    cells.forEach(({ node }, i) => node.classList.toggle("covered", covered.has(i)));
    showStacks(stacks);
    if (extrasLine) extrasLine.textContent = extras;
    extrasLine?.setAttribute("font-size", String(Math.min(1, 46 / extras.length) * size));
    const isDecided = deciding.length > 0;
    below.replaceChildren(...all("below"), ...(net ? [copy("net", net)] : []), ...(isDecided ? [veilAround(deciding)] : []));
    marks.replaceChildren(
      ...(isDecided ? [copy(isLoss ? "losing" : "deciding", geometry.contour(deciding))] : []),
      ...moved.map((cell) => at(copy("moved"), cell)),
      ...all("above"),
      ...hintsShown(hinted, stacks),
      ...sharesShown(shares),
      ...legalShown(isLooked ? { ...effects, kinds: new Map(), lines: [] } : effects, stacks, hinted),
      ...(isLooked ? lookedShown(looked, effects) : []),
      ...ghost.map(([cell, stack]) => (stack.length < stacks[cell].length ? beside(copy("cross"), cell, [-1, 1]) : at(make("g", { class: "ghost" }, ...drawStack(stack)), cell))),
      ...(cursor < 0 ? [] : [make("g", { class: "cursor" }, at(copy("moved"), cursor))]),
    );
    const lying = stacks.flatMap((stack, i) => (stack ? [`${data.cells[i]} ${wordsOf(stack)}`] : []));
    title.textContent = told;
    desc.textContent = `${[lying.join(", ") || "Empty board", ...(extras ? [extras] : []), ...shown.flatMap((one) => one.words)].join(". ")}.`;
    return { effects, words: wordsOfMove };
  };

  // The cell under a pointer event, or -1, and the text of the move whose line is there, or "".
  /** @type {BoardView["cellOf"]} */
  const cellOf = (event) => cells.findIndex(({ node }) => node.contains(event.target));
  /** @type {BoardView["moveOf"]} */
  const moveOf = (event) => event.target.closest?.("[data-move]")?.dataset.move || "";

  return { element, show, cellOf, moveOf, nextTo: geometry.nextTo, hasAids: overlays.length > 0 };
};
