// What is worked out of a position to be drawn over it: groups, sight, where moves put pieces.
// Cells are numbers; knows no rules, nor what anything looks like.

lath.overlays = {
  // Return the groups of cells whose top pieces are of one of `codes`, as lists of cells in order.
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

  // Return for each cell with the marker what it sees, a list a direction: [[cell, [[…], …]], …].
  sight(shown, rays, stacks) {
    /** @param {number} cell */
    const blocks = (cell) => [...shown.blockers].some((code) => stacks[cell].includes(code));
    /** @param {number[]} ray */
    const free = (ray) => ray.slice(0, ray.some(blocks) ? ray.findIndex(blocks) : ray.length);
    const markers = stacks.flatMap((stack, cell) => (stack.includes(shown.marker) ? [cell] : []));
    return markers.map((cell) => [cell, rays[cell].map(free).filter((ray) => ray.length > 0)]);
  },
};

// The pieces that are gone where `now` lies; empty if that is not what others left.
lath.without = (old, now) => {
  let left = now;
  let gone = "";
  for (const code of old) {
    if (left.startsWith(code)) left = left.slice(code.length);
    else gone += code;
  }
  return left === "" ? gone : "";
};

// What legal moves do, as boards show it. `legal`: {text, changes: [[cell, "+w"], …]} of each; `stacks`:
// what lies on the cells. Returns `dots`: codes by cell where moves put a piece; `kinds`: cells by the
// code of a piece of which a move takes all; `lines`: of each other move that only takes the cells;
// `turned`: cells that any other move changes; `others`: texts of moves that change no cell; `all`:
// each move as {text, kind, cells, codes}, `kind` being one of these words, `codes` what is put, taken or left.
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
