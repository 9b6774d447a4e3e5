// The graph under the board: what both bots expected, from first's point of view, and times.

lath.evalPoints = (game, seat) =>
  game.moves.flatMap((_, i) => {
    const value = lath.numberIn(game.notes[i + 1], "eval");
    if (value === undefined || game.movers[i] !== seat) return [];
    const bounded = Math.min(Math.max(value, -1), 1) * (seat === 0 ? 1 : -1);
    return [[((i + 1) * 100) / game.plies, 36 - 32 * bounded]];
  });

lath.timeBars = (game) => {
  const times = game.notes.map((note) => lath.numberIn(note, "emt"));
  const most = Math.max(...times.filter((time) => time !== undefined), 0);
  if (most === 0) return [];
  return game.moves.flatMap((_, i) => {
    if (times[i + 1] === undefined) return [];
    const height = Math.max((26 * times[i + 1]) / most, 0.6);
    const width = Math.min(60 / game.plies, 2.2); // half of it has room beside the last ply
    const x = ((i + 1) * 100) / game.plies - width / 2;
    return [lath.drawn("rect", { class: `time-${game.movers[i]}`, x, y: 100 - height, width, height })];
  });
};

lath.drawEvals = (game) => {
  const svg = lath.byId("evals");
  const lines = game.board ? [0, 1].map((seat) => lath.evalPoints(game, seat)) : [[], []];
  const bars = game.board ? lath.timeBars(game) : [];
  const hasEvals = lines.some((points) => points.length > 0);
  const drawn = lines.flatMap((points, seat) => {
    if (points.length === 0) return [];
    // A single point is a line to itself, which round ends make a dot.
    const path = `M${[...points, points[points.length - 1]].map((point) => point.join(" ")).join("L")}`;
    return [lath.drawn("path", { class: `eval-${seat}`, d: path })];
  });
  const level = hasEvals ? [lath.drawn("path", { class: "level", d: "M0 36H100" })] : [];
  const now = hasEvals || bars.length > 0 ? [lath.drawn("path", { class: "now", d: "M0 0V100" })] : [];
  svg.replaceChildren(...level, ...bars, ...drawn, ...now); // styles hide it when it is empty
  const told = hasEvals
    ? ["Expected score from first’s point of view, up is good for first: ", lath.sample(0), ` ${game.first}, `, lath.sample(1), ` ${game.second}.`]
    : [];
  if (bars.length > 0) told.push(" Bars: thinking time.");
  lath.byId("evals-told").replaceChildren(...told);
};

lath.sample = (seat) =>
  lath.drawn("svg", { class: "sample", viewBox: "0 0 24 8", "aria-hidden": "true" }, lath.drawn("path", { class: `eval-${seat}`, d: "M1 4H23" }));

lath.markEvals = (game, ply) => {
  const now = lath.byId("evals").querySelector(".now");
  const x = game.plies === 0 ? 0 : (ply * 100) / game.plies;
  if (now) now.setAttribute("d", `M${x} 0V100`);
};

// Half the width of a slider's knob, by which graph and slider begin after the edge.
lath.KNOB = 8;

lath.plyAt = (game, event) => {
  const { left, width } = lath.byId("seek").getBoundingClientRect();
  return Math.round(((event.clientX - left - lath.KNOB) / (width - 2 * lath.KNOB)) * game.plies);
};
