// Overlays of a position: groups, sight, and the cells where moves put pieces. Cells are numbers.
// This file knows no rules and no drawing.

lath.overlays = {
  // Returns the groups of cells whose top pieces are one of `codes`, as sorted lists of cells.
  groups(shown, neighbours, stacks) {
    const tops = stacks.map((stack) => stack.slice(-1));
    /** @type {Set<number>} */
    const seen = new Set();
    /** @type {number[][]} */
    const found = [];
    tops.forEach((code, cell) => {
      if (code === "" || !shown.codes.includes(code) || seen.has(cell)) return;
      const group = [cell];
      seen.add(cell);
      for (const at of group) {
        for (const near of neighbours[at]) {
          if (tops[near] !== code || seen.has(near)) continue;
          seen.add(near);
          group.push(near);
        }
      }
      found.push(group.sort((a, b) => a - b));
    });
    return found;
  },

  // Returns the cells that each marker sees, as a list per direction: [[cell, [[…], …]], …].
  sight(shown, rays, stacks) {
    /** @param {number} cell */
    const blocks = (cell) => [...shown.blockers].some((code) => stacks[cell].includes(code));
    /** @param {number[]} ray */
    const free = (ray) => ray.slice(0, ray.some(blocks) ? ray.findIndex(blocks) : ray.length);
    const markers = stacks.flatMap((stack, cell) => (stack.includes(shown.marker) ? [cell] : []));
    return markers.map((cell) => [cell, rays[cell].map(free).filter((ray) => ray.length > 0)]);
  },
};

// The removed pieces of a stack that is now `now`; empty if other pieces were added.
lath.without = (old, now) => {
  let left = now;
  let gone = "";
  for (const code of old) {
    if (left.startsWith(code)) left = left.slice(code.length);
    else gone += code;
  }
  return left === "" ? gone : "";
};

// The effects of legal moves in the form of boards. `legal`: {text, changes: [[cell, "+w"], …]} of
// each move; `stacks`: the codes on the cells. Returns `dots`: codes by cell where moves put a
// piece; `kinds`: cells by the code of a piece that a move removes completely; `lines`: the cells
// of each other move that only takes pieces; `turned`: cells that other moves change; `others`:
// texts of moves that change no cell; `all`: each move as {text, kind, cells, codes}. Its `kind` is
// one of these words, and its `codes` are put, taken or left.
lath.effectsOf = (legal, stacks) => {
  /** @type {Effects} */
  const found = { dots: new Map(), kinds: new Map(), lines: [], turned: [], others: [], all: [] };
  const everything = stacks.join("");
  /** @param {string} code */
  const count = (code) => everything.split(code).length - 1;
  for (const { text, changes } of legal) {
    /** @param {number} cell @param {string} what */
    const now = (cell, what) => {
      if (what[0] === "+") return stacks[cell] + what.slice(1);
      return what[0] === "=" ? what.slice(1) : stacks[cell].slice(0, -Number(what.slice(1)));
    };
    const cells = changes.map(([cell]) => cell);
    const gains = changes.filter(([, what]) => what[0] === "+");
    const taken = changes.map(([cell, what]) => lath.without(stacks[cell], now(cell, what)));
    /** @param {DrawnMove["kind"]} kind @param {number[]} at @param {DrawnMove["codes"]} codes */
    const add = (kind, at, codes) => found.all.push({ text, kind, cells: at, codes });
    if (gains.length === 1 && !changes.some(([, what]) => what[0] === "=")) {
      const [[cell, what]] = gains;
      const codes = found.dots.get(cell) || "";
      if (!codes.includes(what[1])) found.dots.set(cell, codes + what[1]);
      add("dots", [cell], what.slice(1));
    } else if (cells.length > 0 && taken.every(Boolean)) {
      const codes = taken.join("");
      const isKind = codes === codes[0].repeat(codes.length) && count(codes[0]) === codes.length;
      if (isKind) found.kinds.set(codes[0], cells);
      else found.lines.push(cells);
      add(isKind ? "kinds" : "lines", cells, taken);
    } else if (cells.length > 0) {
      found.turned.push(...cells.filter((cell) => !found.turned.includes(cell)));
      add("turned", cells, changes.map(([cell, what]) => now(cell, what).slice(-1)));
    } else {
      found.others.push(text);
      add("others", [], "");
    }
  }
  return found;
};
