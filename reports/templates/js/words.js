// Texts about games and plies.

lath.SEATS = ["first", "second"];

lath.winnerOf = (result) => ["1-0", "0-1"].indexOf(result);

// Endings with a thing that a player made or had; other endings are described by the winner or
// loser.
lath.HAPPENED = { made: /^(?:one|two|three|four|five|six|seven|eight|nine) (?:in|with|without) /u, "made a": /^group of /u, had: /^no /u };

lath.BROKE_OFF = { crash: "crashed", time: "ran out of time", "illegal move": "made an illegal move", flood: "exceeded the output limit" };

// The ending of a game, as words and names: "greedy made three in line and lost".
lath.verdictOf = (game) => {
  const winner = lath.winnerOf(game.result);
  /** @param {number} seat */
  const name = (seat) => lath.nameOf([game.first, game.second][seat]);
  /** @param {Child[]} parts */
  const told = (...parts) => (game.ruling ? [...parts, ` (not counted, ${game.ruling})`] : parts);
  const why = game.why && `: ${game.why}`;
  if (winner < 0) return told(game.result === "*" ? "Not finished" : "Drawn", why);
  const broke = lath.BROKE_OFF[game.termination];
  if (broke) return told(name(1 - winner), ` ${broke} at ply ${game.plies + 1} and lost`);
  if (game.termination === "resignation") return told(name(1 - winner), " resigned");
  const [whose, end] = game.isLoss ? [1 - winner, "lost"] : [winner, "won"];
  const verb = Object.keys(lath.HAPPENED).find((word) => lath.HAPPENED[word].test(game.why));
  return told(name(whose), verb ? ` ${verb} ${game.why} and ${end}` : ` ${end}${why}`);
};

// The record describes how a player ended the game before the first move, after name and side.
lath.storyOf = (game) => {
  const { said } = game.notes[0];
  const players = [game.first, game.second].map((name, seat) => `${name} (${lath.SEATS[seat]}): `);
  /** @param {string} text */
  const plain = (text) => text.replace(/\s+/gu, " ");
  return players.some((player) => plain(said).startsWith(plain(player))) ? said : "";
};

// The lines of a traceback, which a record has in a single line.
lath.inLines = (text) => text.replace("; standard error: ", "\n")
  .replace(/ *(File "[^"]*", line \d+(?:, in \S+)?) */gu, "\n  $1\n    ")
  .replace(/ +(?=Traceback \(|During handling of |The above exception |[\w.]*(?:Error|Exception|Interrupt)\b|at \S+[(:]|note: |stack backtrace:)/gu, "\n")
  .replace(/\n+/gu, "\n");

// The comments at a ply; a description of the ending is shown after the last ply.
lath.saidAt = (game, ply) => {
  const story = lath.storyOf(game);
  const lines = ply === 0 && story ? [] : [game.notes[ply].said];
  if (story && ply === (game.board ? game.plies : 0)) lines.push(`Ply ${game.plies + 1}: ${lath.inLines(story)}`);
  return lines.filter(Boolean).join("\n");
};

lath.signed = (value, digits = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

lath.GLYPHS = { "!!": "brilliant", "!": "good move", "!?": "interesting", "?!": "doubtful", "?": "mistake", "??": "blunder" };
lath.PROVEN = { "!": "the only move", "?": "proven loss", "??": "threw away a proven result" };

// The meaning of a mark; a mark of an analysis means a proof.
lath.provenTold = ({ glyph, annotations }) => (annotations.has("by") && lath.PROVEN[glyph]) || "";
lath.glyphTold = (note) => lath.provenTold(note) || lath.GLYPHS[note.glyph] || "";

lath.mistakesOf = (game) => game.notes.flatMap(({ glyph }, ply) => (["?", "??"].includes(glyph) ? [ply] : []));

lath.colourOf = (game, ply) => (game.board ? game.board.seats[game.movers[ply - 1]][0] : "");

lath.plyTold = (game, ply) => {
  if (ply === 0) return "Before the first move";
  const note = game.notes[ply];
  const [value, used, said] = ["eval", "emt", "said"].map((name) => lath.numberIn(note, name));
  const parts = [`${ply}. ${lath.plainMove(game.moves[ply - 1])}${note.glyph}`, lath.colourOf(game, ply)];
  parts.splice(1, 0, lath.provenTold(note));
  /** @param {string} name @param {number} number */
  const evalTold = (name, number) => `${lath.signed(number, lath.decimalsOf(/** @type {string} */ (note.annotations.get(name))))}`;
  if (game.analysis && said !== undefined) parts.push(`eval ${evalTold("said", said)}`);
  if (value !== undefined) parts.push(`${game.analysis ? "analysis" : "eval"} ${evalTold("eval", value)}`);
  if (used !== undefined) parts.push(`${used.toFixed(3)} s`);
  return [...parts, ...lath.annotationsTold(game, note)].filter(Boolean).join(" · ");
};

// A move of the better line in place of a ply.
lath.betterTold = (game, ply, at) => {
  const { text, seat } = lath.betterAt(game, ply)[at - 1];
  return `Better at ply ${ply} · ${ply + at - 1}. ${lath.plainMove(text)} · ${game.board.seats[seat][0]}`;
};

// As many decimals as the text has, at least two.
lath.decimalsOf = (text) => Math.max(2, (/\.([0-9]+)$/u.exec(text)?.[1] || "").length);

lath.replayedTold = (games) =>
  `This page can replay ${lath.grouped(games.replayed)} of ${lath.counted(games.count, "game")}: the games in its tables and the latest games of each pairing and ending.`;

lath.ANNOTATIONS = { clk: "clock", pv: "line" };

// The other annotations of a bot, such as its clock, as words.
lath.annotationsTold = (game, { annotations }) => {
  const shown = ["eval", "emt", ...(game.analysis ? ["said", "by"] : [])];
  const others = [...annotations].filter(([name]) => !shown.includes(name));
  return others.map(([name, value]) => `${lath.ANNOTATIONS[name] || name} ${value}${name === "clk" ? " s" : ""}`);
};

// The legal moves of a position in words: those at the selected cell, the one under the pointer, or
// the meaning of their marks. `shown` is the value that a board's `show` returns.
lath.legalTold = (game, { effects, words }, looked, pointed) => {
  const order = ["dots", "turned", "kinds", "lines"];
  const at = effects.all
    .filter(({ text, cells }) => (pointed ? text === pointed : cells.includes(looked)))
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.text < b.text ? -1 : 1));
  if (pointed) return `${at.map(words).join("")}.`;
  if (looked >= 0) return `${game.board.cells[looked]}: ${at.map(words).join(" · ") || "no legal move"}.`;
  const { dots, kinds, lines, turned, others } = effects;
  /** @type {[count: number, meaning: string][]} */
  const counts = [
    [dots.size, "Dots: cells for a new piece"],
    [kinds.size, "Crosses: kinds of pieces to capture"],
    [lines.length, "Lines: pieces to capture together"],
    [turned.length, "Arrows: pieces to change"],
  ];
  const told = counts.filter(([count]) => count > 0).map(([count, meaning]) => `${meaning} (${count}).`);
  const left = others.length > 0 ? `Not shown: ${others.join(" ")}.` : "";
  if (effects.all.length === 0) return "No legal moves: the game is over.";
  return [...told, left, "Point at a cell, or press Shift with an arrow key, to see its moves."].filter(Boolean).join(" ");
};

lath.hintsTold = (hints) => {
  /** @param {boolean} wins */
  const moves = (wins) => [...hints].filter(([, isWin]) => isWin === wins).map(([text]) => text).join(" ");
  const told = [["Stars win immediately", moves(true)], ["Triangles lose immediately", moves(false)]];
  const found = told.filter(([, texts]) => texts).map(([words, texts]) => `${words}: ${texts}.`);
  return found.join(" ") || "No move wins or loses immediately.";
};

lath.pointsTold = (value) => `${value === 0.5 ? "" : lath.grouped(Math.trunc(value))}${value % 1 ? "½" : ""}`;

// A likelihood, which is never shown as 0 or 100%.
lath.likely = (rate) => {
  if (rate > 0.999) return "over\u00a099.9%";
  return rate < 0.001 ? "under\u00a00.1%" : `${(100 * rate).toFixed(1)}%`;
};

lath.shortened = (name) => (name.length <= 26 ? name : `${name.slice(0, 25).trimEnd()}…`);
