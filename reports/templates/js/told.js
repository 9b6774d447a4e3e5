// What is said of games and plies, in words.

lath.SEATS = ["first", "second"];

lath.winnerOf = (result) => ["1-0", "0-1"].indexOf(result);

lath.verdictOf = (game) => {
  const winner = lath.winnerOf(game.result);
  const other = game.result === "*" ? "Not finished" : "Drawn";
  const who = winner < 0 ? other : `${["First", "Second"][winner]} won`;
  return game.why ? `${who}: ${game.why}` : who;
};

lath.secondsIn = (value, isExact) => {
  if (isExact) return `${value.toFixed(3)} s`;
  return value < 0.01 ? `about ${Math.round(value * 1000)} ms` : `about ${Number(value.toPrecision(2))} s`;
};

lath.signed = (value, digits = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

lath.colourOf = (game, ply) => (game.board ? game.board.seats[game.movers[ply - 1]][0] : "");

lath.plyTold = (game, ply, scales) => {
  if (ply === 0) return "Before the first move";
  const { glyph, numbers } = game.notes[ply];
  const parts = [`${ply}. ${game.moves[ply - 1]}${glyph}`, lath.colourOf(game, ply)];
  if (numbers.eval !== undefined) parts.push(`eval ${lath.signed(numbers.eval)}`);
  if (numbers.emt !== undefined) parts.push(lath.secondsIn(numbers.emt, !scales.emt));
  return parts.filter(Boolean).join(" · ");
};

lath.ANNOTATIONS = { emt: "thinking times", eval: "evaluations", clk: "clocks" };

// How exactly a part tells what bots said, if not all of it is told.
lath.detailTold = (packed) => {
  const { scales, lost, legal } = packed;
  const told = [];
  if (scales.emt) told.push(`thinking times to within ${Math.round((Math.sqrt(scales.emt.ratio) - 1) * 100)} %`);
  if (scales.eval) told.push(`evaluations to within ${(1 / scales.eval.steps / 2).toFixed(2)}`);
  const left = lost.map((name) => lath.ANNOTATIONS[name] || name);
  if (!legal) left.push("legal moves");
  const sentences = [];
  if (told.length > 0) sentences.push(`Rounded in this page: ${told.join(", ")}.`);
  if (left.length > 0) sentences.push(`Left out, for the page to stay small: ${left.join(", ")}.`);
  return sentences.join(" ");
};
