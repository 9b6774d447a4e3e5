// Games as text for all tools of the notation: moves, tags, result and comments.

lath.quoted = (value) => `"${value.replace(/[\r\n]+/gu, " ").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

lath.LINE_WIDTH = 100;

// Joins pieces of movetext into lines; pieces that end with a line end keep it.
lath.linesOf = (pieces) => {
  let text = "";
  let width = 0;
  for (const piece of pieces) {
    const begins = text === "" || text.endsWith("\n");
    const breaks = !begins && width + 1 + piece.length > lath.LINE_WIDTH;
    text += begins ? piece : (breaks ? "\n" : " ") + piece;
    width = begins || breaks ? piece.length : width + 1 + piece.length;
  }
  return text;
};

// The record of a game, or of its first plies with an open result.
lath.recordOf = (game, plies = game.plies) => {
  const isWhole = plies === game.plies;
  const left = isWhole ? [] : ["Result", "Termination"];
  const tags = game.tags.filter(([name]) => !left.includes(name));
  const lines = tags.map(([name, value]) => `[${name} ${lath.quoted(value)}]\n`);
  const moves = game.moves.slice(0, plies).map((move, i) => {
    const note = game.notes[i + 1];
    return `${i + 1}. ${move}${note.glyph}${note.words && ` ${note.words}`}`;
  });
  const before = game.notes[0].words;
  const pieces = [...(before ? [`${before.trimEnd()}\n`] : []), ...moves, isWhole ? game.result : "*"];
  return `${lines.join("")}\n${lath.linesOf(pieces)}\n`;
};

// The text of a position: a record that ends there, without comments; `line` has moves after it.
lath.positionOf = (game, ply, line = []) => {
  const kept = ["Game", "Setup", "Position"];
  const tags = game.tags.filter(([name, value]) => kept.includes(name) && value !== "");
  const moves = [...game.moves.slice(0, ply), ...line].map((move, i) => `${i + 1}. ${move}`);
  const lines = tags.map(([name, value]) => `[${name} ${lath.quoted(value)}]\n`);
  return `${lines.join("")}\n${lath.linesOf([...moves, "*"])}\n`;
};
