// The graph beside the board: evaluations of both bots and of an analysis, from the first player's
// view, and times.

// The points of an annotation at the plies of some sides.
lath.evalPoints = (game, name, seats) =>
  game.moves.flatMap((_, i) => {
    const value = lath.numberIn(game.notes[i + 1], name);
    if (value === undefined || !seats.includes(game.movers[i])) return [];
    const bounded = Math.min(Math.max(value, -1), 1) * (game.movers[i] === 0 ? 1 : -1);
    return [[((i + 1) * 100) / game.plies, 36 - 32 * bounded]];
  });

// The class, name and points of each line. An analysis moves the bots' evaluations to `said`.
lath.evalLines = (game) => {
  if (!game.board) return [];
  const name = game.analysis ? "said" : "eval";
  /** @type {ReturnType<Lath["evalLines"]>} */
  const lines = [game.first, game.second].map((bot, seat) => [`eval-${seat}`, bot, lath.evalPoints(game, name, [seat])]);
  if (game.analysis) lines.push(["eval-analysis", "the analysis", lath.evalPoints(game, "eval", [0, 1])]);
  return lines.filter(([, , points]) => points.length > 0);
};

lath.timeBars = (game) => {
  const times = game.notes.map((note) => lath.numberIn(note, "emt"));
  const most = Math.max(...times.filter((time) => time !== undefined), 0);
  if (most === 0) return [];
  return game.moves.flatMap((_, i) => {
    const time = times[i + 1];
    if (time === undefined) return [];
    const height = Math.max((26 * time) / most, 0.6);
    const width = Math.min(60 / game.plies, 2.2); // half of the bar fits beside the last ply
    const x = ((i + 1) * 100) / game.plies - width / 2;
    return [lath.drawn("rect", { class: `time-${game.movers[i]}`, x, y: 100 - height, width, height })];
  });
};

lath.drawEvals = (game) => {
  const svg = lath.byId("evals");
  const lines = lath.evalLines(game);
  const bars = game.board ? lath.timeBars(game) : [];
  const hasEvals = lines.length > 0;
  const drawn = lines.map(([kind, , points]) => {
    // A single point is a line from itself to itself, which round ends make a dot.
    const path = `M${[...points, points[points.length - 1]].map((point) => point.join(" ")).join("L")}`;
    return lath.drawn("path", { class: kind, d: path });
  });
  const level = hasEvals ? [lath.drawn("path", { class: "level", d: "M0 36H100" })] : [];
  const now = hasEvals || bars.length > 0 ? [lath.drawn("path", { class: "now", d: "M0 0V100" })] : [];
  svg.replaceChildren(...level, ...bars, ...drawn, ...now); // styles hide the graph if it is empty
  const told = hasEvals
    ? ["First player’s expected score (up favours the first player): ", ...lines.flatMap(([kind, who], i) => [lath.sample(kind), ` ${who}${i < lines.length - 1 ? ", " : "."}`])]
    : [];
  if (bars.length > 0) told.push(" Bars show thinking time.");
  lath.byId("evals-told").replaceChildren(...told);
};

lath.markEvals = (game, ply) => {
  const now = lath.byId("evals").querySelector(".now");
  const x = game.plies === 0 ? 0 : (ply * 100) / game.plies;
  if (now) now.setAttribute("d", `M${x} 0V100`);
};

// Half the width of a slider's knob: the inset of graph and slider.
lath.KNOB = 8;

lath.plyAt = (game, event) => {
  const { left, width } = lath.byId("seek").getBoundingClientRect();
  return Math.round(((event.clientX - left - lath.KNOB) / (width - 2 * lath.KNOB)) * game.plies);
};
