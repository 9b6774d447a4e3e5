// What is worked out of a position to be drawn over it: groups, sight, where moves put pieces.
// Cells are numbers; knows no rules, nor what anything looks like.

lath.overlays = {
  // Return the groups of cells whose top pieces are of one of `codes`, as lists of cells in order.
  groups(shown, neighbours, stacks) {
    const tops = stacks.map((stack) => stack.slice(-1));
    const seen = new Set();
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
    const blocks = (cell) => [...shown.blockers].some((code) => stacks[cell].includes(code));
    const free = (ray) => ray.slice(0, ray.some(blocks) ? ray.findIndex(blocks) : ray.length);
    const markers = stacks.flatMap((stack, cell) => (stack.includes(shown.marker) ? [cell] : []));
    return markers.map((cell) => [cell, rays[cell].map(free).filter((ray) => ray.length > 0)]);
  },
};

// The moves that put one piece on one cell, as codes by cell, and the texts of all others.
lath.dotsOf = (legal) => {
  const dots = new Map();
  const others = [];
  for (const { text, changes } of legal) {
    const gains = changes.filter(([, what]) => what.startsWith("+"));
    if (gains.length !== 1 || changes.some(([, what]) => what.startsWith("="))) {
      others.push(text);
      continue;
    }
    const [[cell, what]] = gains;
    const codes = dots.get(cell) || "";
    if (!codes.includes(what[1])) dots.set(cell, codes + what[1]);
  }
  return { dots, others };
};
