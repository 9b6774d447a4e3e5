// The comparison of two bots above the list of their games: results by game type and side, the
// likelihood that one is stronger, and openings. Results are counted from the list; ratings come
// from the standings.

lath.POINTS = { "1-0": 1, "1/2-1/2": 0.5, "0-1": 0 };

// The first player's score in a game; undefined if the game does not count.
lath.pointsAt = (table, i) => {
  const [result, termination, ruling] = /** @type {ListName[]} */ (["result", "termination", "ruling"]).map((name) => table.text(name, i));
  return ruling || ["void", "unterminated"].includes(termination) ? undefined : lath.POINTS[result];
};

lath.score = () => ({ games: 0, wins: 0, draws: 0, losses: 0, points: 0 });

lath.addPoints = (score, points) => {
  score.games += 1;
  score.points += points;
  score[points === 1 ? "wins" : points === 0 ? "losses" : "draws"] += 1;
};

// Wilson's 95% interval of a share in this many independent games.
lath.wilson = (share, games) => {
  const z2 = 1.959964 ** 2;
  const middle = (share + z2 / (2 * games)) / (1 + z2 / games);
  const half = (Math.sqrt(z2) / (1 + z2 / games)) * Math.sqrt((share * (1 - share)) / games + z2 / (4 * games ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
};

lath.scoreTold = ({ games, wins, draws, losses }) => (games > 0 ? `${wins}–${draws}–${losses}` : "–");

lath.intervalTold = ({ games, points }) => {
  if (games === 0) return "–";
  const [low, high] = lath.wilson(points / games, games).map((share) => (100 * share).toFixed(0));
  return `${lath.percentOf(points / games)} (${low}–${high})`;
};

// A setup that names no cell.
lath.setupTold = (text) => (/\w/u.test(text) ? text : "empty board");

// The openings of two bots' games, with the first bot's results: the opening that the arena chose,
// according to the record, or the first two moves.
lath.beginnings = async (games, table, found, a) => {
  /** @type {Map<string, Beginning>} */
  const counts = new Map();
  for (const i of found) {
    const { tags, moves } = await lath.readGame(games, i);
    const [, drawn] = /^random:[0-9]+ (.+)$/u.exec(tags.get("Opening") || "") || [];
    const ways = [[drawn, "random line"], [tags.get("Opening"), "from a book"], [tags.get("Setup"), "setup"], [tags.get("Position"), "position"]];
    const [text, kind] = /** @type {string[] | undefined} */ (ways.find(([words]) => words)) || [moves.slice(0, 2).join(" ") || "no move", ""];
    const title = table.text("title", i);
    const key = [title, text].join(": ");
    const begun = counts.get(key) || { title, text, kind, example: games.numberOf(i), score: lath.score() };
    counts.set(key, begun);
    const points = /** @type {number} */ (lath.pointsAt(table, i));
    lath.addPoints(begun.score, lath.isOf(table.text("first", i), a) ? points : 1 - points);
  }
  return [...counts.values()].sort((one, other) => other.score.games - one.score.games || (one.text < other.text ? -1 : 1));
};

lath.showVersus = (() => {
  const { make, byId } = lath;
  const BEGUN = 8; // openings shown
  const OPENED = 2000; // games opened for the openings
  let [asked, shown] = [0, ""];

  /** @param {"td" | "th"} tag @param {Child[]} cells */
  const rowOf = (tag, ...cells) => make("tr", "", null, ...cells.map((text, at) => {
    const cell = make(at === 0 ? "th" : tag, "", null, ...(text instanceof Node ? [text] : [make("span", "", text)]));
    if (at === 0 || tag === "th") cell.scope = tag === "th" ? "col" : "row";
    return cell;
  }));

  /** @param {string} caption @param {string[]} heads @param {HTMLElement[]} rows */
  const tableOf = (caption, heads, rows) => {
    const made = make("table", "numbers", null, make("caption", "", caption));
    made.append(make("thead", "", null, rowOf("th", ...heads)), make("tbody", "", null, ...rows));
    made.querySelector("th").className = "words";
    const scroll = make("section", "scroll", null, made);
    scroll.setAttribute("aria-label", caption.split(/[:,.]/u)[0]);
    scroll.tabIndex = 0;
    return scroll;
  };

  // The comparison of two bots by the ratings over all games.
  /** @param {string} a @param {string} b */
  const ahead = async (a, b) => {
    const { json: { overall: { rows, crosstable } } } = await lath.standings();
    const [one, other] = [a, b].map((name) => rows.findIndex((row) => row.name === name));
    if (one < 0 || other < 0) return "";
    const { superiority, difference: value, difference_low: low, difference_high: high } = crosstable[one][other];
    if (superiority === null || value === null) return "No games connect these bots, so their ratings are not comparable.";
    /** @param {number} number */
    const signed = (number) => `${number > 0 ? "+" : number < 0 ? "−" : ""}${Math.abs(Math.round(number))}`;
    const [better, rate] = superiority >= 0.5 ? [a, superiority] : [b, 1 - superiority];
    const end = high === null ? `at least ${signed(/** @type {number} */ (low))}` : `at most ${signed(high)}`;
    const apart = low === null && high === null ? "unknown"
      : low === null || high === null ? end : `${signed(value)} ±${Math.round(high - value)}`;
    return `Elo lead of ${a}, estimated from all games of all bots: ${apart}. ${better} is stronger with a probability of ${lath.likely(rate)}.`;
  };

  /** @param {Table} table @param {number[]} found @param {string[]} pair */
  const results = (table, found, [a, b]) => {
    /** @type {Map<string, Score[]>} */
    const lines = new Map();
    const all = [lath.score(), lath.score(), lath.score()];
    for (const i of found) {
      const title = table.text("title", i);
      if (!lines.has(title)) lines.set(title, [lath.score(), lath.score(), lath.score()]);
      const seat = lath.isOf(table.text("first", i), a) ? 0 : 1;
      const scored = /** @type {number} */ (lath.pointsAt(table, i));
      const points = seat === 0 ? scored : 1 - scored;
      for (const scores of [/** @type {Score[]} */ (lines.get(title)), all]) for (const at of [seat, 2]) lath.addPoints(scores[at], points);
    }
    if (lines.size > 1) lines.set("All games", all);
    const rows = [...lines].map(([title, [first, second, both]]) =>
      rowOf("td", title, lath.intervalTold(both), lath.scoreTold(both), lath.scoreTold(first), lath.scoreTold(second)));
    const caption = `Results of ${a} against ${b}: wins–draws–losses and score with its 95% interval.`;
    return { all: all[2], table: tableOf(caption, ["Game", "Score", "Result", "As first player", "As second player"], rows) };
  };

  /** @param {Beginning[]} lines @param {number} count @param {string[]} pair */
  const begun = (lines, count, [a, b]) => {
    const rows = lines.slice(0, BEGUN).map(({ title, text, kind, example, score }) => {
      const link = make("a", "moves", null, lath.nameOf(lath.setupTold(text)));
      link.href = `#game=${example}&ply=0`;
      const began = make("span", "", null, link, make("small", "", ` ${[kind, title].filter(Boolean).join(", ")}`));
      return rowOf("td", began, String(score.games), lath.scoreTold(score));
    });
    const more = lines.length > BEGUN ? ` (the ${BEGUN} most frequent of ${lines.length} openings)` : "";
    const caption = `Openings of ${a} against ${b} in ${lath.counted(count, "game")}${more}, as wins–draws–losses.`;
    return tableOf(caption, ["Opening", "Games", "Result"], rows);
  };

  /** @param {string} words @param {string[]} pair */
  const linkTo = (words, [a, b]) => {
    const made = make("a", "", words);
    made.href = `#games&${new URLSearchParams({ a, b })}`;
    return made;
  };

  return async (games, table, pair) => {
    const panel = byId("versus");
    panel.hidden = pair === null;
    if (pair === null || shown === JSON.stringify(pair)) return;
    const turn = (asked += 1);
    shown = JSON.stringify(pair);
    const found = Array.from(table.find({ words: "", only: { bot: pair[0], against: pair[1] } }))
      .filter((i) => lath.pointsAt(table, i) !== undefined);
    const heading = make("h3", "", null, lath.nameOf(pair[0]), " against ", lath.nameOf(pair[1]));
    Object.assign(heading, { id: "versus-title", tabIndex: -1 });
    const links = make("p", "links", null, linkTo("Link to this comparison", pair), " ", linkTo("Swap the bots", [...pair].reverse()));
    const [told, tables] = [make("p", "told", found.length > 0 ? "" : "These bots have no counted games against each other."), make("div", "halves")];
    told.setAttribute("role", "status");
    panel.replaceChildren(heading, links, told, tables);
    if (found.length === 0) return;
    const { all, table: scores } = results(table, found, pair);
    tables.append(scores);
    const score = `${pair[0]} scored ${lath.pointsTold(all.points)} of ${lath.counted(all.games, "point")}.`;
    told.textContent = score;
    const rated = await ahead(pair[0], pair[1]);
    if (turn !== asked) return;
    told.textContent = [score, rated].filter(Boolean).join(" ");
    const opened = lath.replayedOf(games, found).slice(0, OPENED);
    if (opened.length === 0) return;
    const lines = await lath.beginnings(games, table, opened, pair[0]);
    if (turn === asked) tables.append(begun(lines, opened.length, pair));
    tables.dispatchEvent(new Event("listed"));
  };
})();
