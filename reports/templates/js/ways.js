// Continuations of a position: moves as rows and as discs on a board, with their results. The
// page's openings and the explorer of `arena serve` share it. This file knows no rules.

lath.percentOf = (share) => `${(100 * share).toFixed(0)}%`;

// The side that games favour significantly, by the 95% interval of the first player's score: 2
// (clearly) and 1 for the first player, -1 and -2 for the second, 0 for neither.
lath.leanOf = (low, high) => {
  if (low > 0.5) return low > 0.6 ? 2 : 1;
  return high < 0.5 ? -(high < 0.4 ? 2 : 1) : 0;
};

// Colours on boards, which do not follow the theme.
lath.LEANS = { "2": "#e98a45", "1": "#f4bd93", "0": "#fffdf6", "-1": "#aecdea", "-2": "#6aa5dc" };

// The first player's score with its interval, on the colour of the favoured side.
lath.scoreChip = ({ wins, draws, games, low, high }) => {
  const [from, to] = [low, high].map((share) => (100 * share).toFixed(0));
  const made = lath.make("span", `lean lean${lath.leanOf(low, high)}`, lath.percentOf((wins + draws / 2) / games));
  return lath.make("span", "", null, made, lath.make("small", "", ` ${from}–${to}`));
};

// A table of moves, the most frequent first. `heads`: the headings of `cells`. `rows`: each has
// nodes as `head`, its `games` of all `of` as number, bar and share, and more `cells`. `groups`:
// words above several columns each, starting at the bar. `labels`: the labels of values on a card,
// starting at `games`.
lath.waysTable = (caption, heads, rows, of, groups, labels = []) => {
  const { make } = lath;
  /** @param {string} words */
  const headOf = (words) => (words ? Object.assign(make("th", words === "Move" ? "words" : "", words), { scope: "col" }) : make("td", "drawn"));
  /** @param {WayRow} row */
  const rowOf = ({ head, games, cells }) => {
    const bar = lath.drawn("svg", { class: "share", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" });
    bar.append(lath.drawn("path", { d: `M0 0H${Math.round((100 * games) / of)}V1H0Z` }));
    return make("tr", "", null,
      Object.assign(make("th", "", null, ...head), { scope: "row" }),
      make("td", "drawn", null, bar),
      ...[lath.grouped(games), lath.percentOf(games / of), ...cells].map((cell, at) => {
        const made = make("td", "", null, cell);
        if (labels[at]) made.dataset.label = labels[at];
        return made;
      }));
  };
  /** @param {[string, number]} group */
  const groupOf = ([words, columns]) => Object.assign(make(words ? "th" : "td", words ? "" : "drawn", words), words ? { colSpan: columns, scope: "colgroup" } : {});
  const table = make("table", "numbers", null,
    make("thead", "", null, make("tr", "", null, make("td"), ...groups.map(groupOf)), make("tr", "", null, ...["Move", "", "Games", "Share", ...heads].map(headOf))),
    make("tbody", "", null, ...rows.map(rowOf)));
  table.prepend(make("caption", "hidden", caption));
  return table;
};

// Moves that change one cell as discs in the form of a board's `show`. Each move has `cell`,
// `games` of all `of`, `low` and `high`; for several moves on a cell, the first one decides the
// colour.
lath.wayDiscs = (moves, of) => {
  /** @type {Map<number, Way[]>} */
  const cells = new Map();
  for (const move of moves) cells.set(move.cell, [...(cells.get(move.cell) || []), move]);
  /** @param {Way[]} here */
  const sumOf = (here) => here.reduce((sum, { games }) => sum + games, 0);
  const most = Math.max(...[...cells.values()].map(sumOf));
  return [...cells].map(([cell, here]) => {
    const share = sumOf(here) / of;
    return [cell, (share * of) / most, lath.LEANS[lath.leanOf(here[0].low, here[0].high)], share < 0.01 ? "" : (100 * share).toFixed(0)];
  });
};

// The path to the current position; `buttonAt` makes the button that leads back to a step.
lath.wayTo = (steps, buttonAt) =>
  steps.flatMap((words, i) => [i > 0 ? " › " : "", i === steps.length - 1 ? lath.make("strong", "", words) : buttonAt(words, i)]);
