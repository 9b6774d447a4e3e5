// What is said of games and plies, in words.

lath.SEATS = ["first", "second"];

lath.winnerOf = (result) => ["1-0", "0-1"].indexOf(result);

lath.verdictOf = (game) => {
  const winner = lath.winnerOf(game.result);
  const other = game.result === "*" ? "Not finished" : "Drawn";
  const who = winner < 0 ? other : `${["First", "Second"][winner]} won`;
  const said = game.why ? `${who}: ${game.why}` : who;
  return game.ruling ? `${said}; it counts for nothing: ${game.ruling}` : said;
};

// How a player ended the game stands in the record before the first move, after name and side.
lath.storyOf = (game) => {
  const { said } = game.notes[0];
  const players = [game.first, game.second].map((name, seat) => `${name} (${lath.SEATS[seat]}): `);
  const plain = (text) => text.replace(/\s+/gu, " ");
  return players.some((player) => plain(said).startsWith(plain(player))) ? said : "";
};

// What is said at a ply; that story is told where it happened, after the last one.
lath.saidAt = (game, ply) => {
  const story = lath.storyOf(game);
  const lines = ply === 0 && story ? [] : [game.notes[ply].said];
  if (story && ply === (game.board ? game.plies : 0)) lines.push(`Ply ${game.plies + 1}: ${story}`);
  return lines.filter(Boolean).join("\n");
};

lath.signed = (value, digits = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

lath.colourOf = (game, ply) => (game.board ? game.board.seats[game.movers[ply - 1]][0] : "");

lath.plyTold = (game, ply) => {
  if (ply === 0) return "Before the first move";
  const note = game.notes[ply];
  const [value, used] = ["eval", "emt"].map((name) => lath.numberIn(note, name));
  const parts = [`${ply}. ${game.moves[ply - 1]}${note.glyph}`, lath.colourOf(game, ply)];
  if (value !== undefined) parts.push(`eval ${lath.signed(value, lath.decimalsOf(note.annotations.get("eval")))}`);
  if (used !== undefined) parts.push(`${used.toFixed(3)} s`);
  return [...parts, ...lath.annotationsTold(note)].filter(Boolean).join(" · ");
};

// As many as are written, at least two.
lath.decimalsOf = (text) => Math.max(2, (/\.([0-9]+)$/u.exec(text)?.[1] || "").length);

lath.replayedTold = (games) =>
  `The page replays ${lath.grouped(games.replayed)} of ${lath.counted(games.count, "game")}: those that its tables link to, then the last of each pairing and ending. The records have them all.`;

lath.ANNOTATIONS = { clk: "clock", pv: "line" };

// What else a bot said in annotations, such as its clock, as words.
lath.annotationsTold = ({ annotations }) => {
  const others = [...annotations].filter(([name]) => name !== "eval" && name !== "emt");
  return others.map(([name, value]) => `${lath.ANNOTATIONS[name] || name} ${value}${name === "clk" ? " s" : ""}`);
};
