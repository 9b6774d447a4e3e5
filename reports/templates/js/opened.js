// One opened game: moves, positions, comments, tags, legal moves. This file knows no rules.

// The comments on one ply: `glyph`, `words` as movetext, `said` for people, `better`, an analysis's
// line in place of the move, and the annotations as texts by name. `take` returns the next digit
// for each 1 of the form.
lath.noteOf = (form, take) => {
  const text = form.replaceAll("1", take);
  const space = text.indexOf(" ");
  const words = space < 0 ? "" : text.slice(space + 1);
  return { glyph: space < 0 ? text : text.slice(0, space), words, ...lath.readWords(words) };
};

// Movetext without annotations and brackets of comments, and the first annotation of each name
// outside variations.
lath.readWords = (words) => {
  /** @type {Note["annotations"]} */
  const annotations = new Map();
  let [said, better, isMain] = ["", "", true];
  for (let at = 0; at < words.length; ) {
    if (words.startsWith("({[%by ", at)) { // a variation of an analysis, which has moves without comments
      const [from, to] = [words.indexOf("}", at), words.indexOf(")", words.indexOf("}", at))];
      if (from >= 0 && to >= 0) {
        better = words.slice(from + 1, to).trim();
        at = to + 1;
        continue;
      }
    }
    const closing = /** @type {Record<string, string | undefined>} */ ({ "{": "}", ";": "\n" })[words[at]];
    if (!closing) {
      isMain = isMain && words[at] !== "(";
      said += words[at];
      at += 1;
      continue;
    }
    const end = words.indexOf(closing, at);
    const stop = end < 0 ? words.length : end;
    said += words.slice(at + 1, stop).replace(/\[%([^\]\s]*)([^\]]*)\]/gu, (_, name, value) => {
      if (isMain && !annotations.has(name)) annotations.set(name, value.trim());
      return "";
    });
    at = stop + 1;
  }
  return { said: said.replace(/\s+/gu, " ").trim(), better, annotations };
};

// An annotation as a number; undefined if it is not a number.
lath.numberIn = (note, name) => {
  const text = note.annotations.get(name) || "";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
};

// The side that decides on each ply and on the next: the turn passes, except at the plies in
// `repeats`.
lath.moversOf = (length, repeats) => {
  const again = new Set(repeats);
  let mover = 1;
  return Array.from({ length }, (_, i) => (mover = again.has(i) ? mover : 1 - mover));
};

// The name in a tag `Opening`, which is empty for random moves and unnamed entries of a book.
lath.openingIn = (text = "") => /^(?!random:)(?:.* #[0-9]+(?:: |$))?(.*)$/su.exec(text)?.[1] || "";

// The tags and moves of a replayed game, without replaying it.
lath.readGame = async (games, i) => {
  const [at, size] = [/** @type {number} */ (games.replayedAt(i)), lath.data.chunk];
  const { tags, kinds } = await lath.chunkOf(games, Math.floor(at / size));
  const known = games.familyOf(i).kinds;
  return { tags: new Map(tags[at % size]), moves: kinds[at % size].map((kind) => known[kind][0]) };
};

lath.openGame = async (games, i) => {
  const head = lath.headOf(games, i);
  const at = games.replayedAt(i);
  if (at === undefined) {
    const note = lath.noteOf("", String);
    return /** @type {Game} */ (/** @type {unknown} */ ({ ...head, problem: `this page contains only ${lath.grouped(games.replayed)} of ${lath.counted(games.count, "game")}`, board: null, moves: [], tags: [], notes: [note], legal: null, hints: [], better: new Map(), analysis: "" }));
  }
  const size = lath.data.chunk;
  const chunk = await lath.chunkOf(games, Math.floor(at / size));
  const family = games.familyOf(i);
  /** @type {<K extends Exclude<keyof Chunk, "forms" | "extras" | "words">>(name: K) => Chunk[K][number]} */
  const of = (name) => chunk[name][at % size];
  const digits = of("digits");
  let next = 0;
  const take = () => digits[next++];
  const board = family.board === null ? null : games.boards[family.board];
  const [plies, lines] = chunk.extras?.[at % size] || [[], {}];
  const game = /** @type {Game} */ ({
    ...head,
    board,
    family,
    kinds: of("kinds"),
    moves: of("kinds").map((kind) => family.kinds[kind][0]),
    movers: lath.moversOf(head.plies + 1, of("repeats")),
    tags: of("tags"),
    notes: of("said").map((form) => lath.noteOf(chunk.forms[form], take)),
    deciding: of("deciding").filter((cell) => cell >= 0),
    isLoss: of("deciding").includes(-1),
    legal: board && of("legal"),
    extrasAt: (ply, better = 0) => chunk.words?.[(better > 0 ? lines[ply]?.[better - 1] : plies[ply]) ?? -1],
    hints: board ? of("hints") : [],
    better: new Map(of("better").map(([ply, ...moves]) => [ply, moves])),
    analysis: new Map(of("tags")).get("Analysis") || "",
  });
  if (game.board) lath.playThrough(game, of("starts"));
  return game;
};

// Adds the codes on each cell after each ply; `start` has the changes to the plain board.
lath.playThrough = (game, start) => {
  game.shapes = new Map(game.board.pieces.map(([code, , shape]) => [code, shape]));
  game.stacks = [lath.applied(start, game.family.plain, game.shapes)];
  game.kinds.forEach((kind, ply) => {
    const effect = game.family.kinds[kind][1 + game.movers[ply]];
    game.stacks.push(lath.applied(effect, game.stacks[ply], game.shapes));
  });
};

// The better line at a ply: the text, the side, and the codes on the cells before and after each
// move; empty without a line.
lath.betterAt = (game, ply) => {
  let stacks = game.stacks?.[ply - 1];
  return (game.better.get(ply) || []).map((move) => {
    const seat = move % 2;
    const [text, ...effects] = game.family.kinds[(move - seat) / 2];
    const before = stacks;
    stacks = lath.applied(effects[seat], before, game.shapes);
    return { text, seat, before, stacks };
  });
};

lath.movedAt = (game, ply) => lath.movedFrom(game, game.stacks[ply - 1] || game.stacks[ply], game.stacks[ply]);

// The changed cells, without those that only a marker left, if others changed too.
lath.movedFrom = (game, before, stacks) => {
  const changed = stacks.flatMap((stack, i) => (stack === before[i] ? [] : [i]));
  /** @param {string} stack */
  const bare = (stack) => [...stack].filter((code) => game.shapes.get(code) !== "marker").join("");
  const meant = changed.filter((i) => stacks[i] !== bare(before[i]));
  return meant.length > 0 ? meant : changed;
};

// Numbers from the distance of each to the previous one.
lath.summed = (distances = [], sum = 0) => distances.map((distance) => (sum += distance));

// The legal moves after a ply, in the form of boards.
lath.legalAt = (game, ply) => {
  if (ply >= game.legal.length) return []; // the game is over
  const { family } = game;
  const legal = new Set(family.legal);
  for (let i = 0; i <= ply; i += 1) {
    const played = game.kinds[i - 1];
    for (const kind of [played, ...lath.summed(family.ends[played])]) legal.delete(kind);
    for (const kind of lath.summed(family.begins[played])) legal.add(kind);
    for (const kind of lath.summed(game.legal[i])) if (!legal.delete(kind)) legal.add(kind);
  }
  const before = game.stacks[ply];
  return [...legal].map((kind) => {
    const [text, ...effects] = family.kinds[kind];
    const after = lath.applied(effects[game.movers[ply]], before, game.shapes);
    return { text, changes: lath.changesOf(before, after) };
  });
};

// The moves after a ply that win or lose immediately, as [text, whether it wins].
lath.hintsAt = (game, ply) => {
  if (ply >= game.hints.length) return new Map();
  const { kinds } = game.family;
  const first = new Map(/** @type {[string, number][]} */ (kinds.map(([text], kind) => [text, kind]).reverse()));
  /** @type {Set<number>} */
  const found = new Set();
  for (let i = 0; i <= ply; i += 1) {
    const played = i > 0 ? 2 * /** @type {number} */ (first.get(game.moves[i - 1])) : -2;
    for (const one of [played, played + 1]) found.delete(one);
    const changed = i % 2 === ply % 2 ? lath.summed(game.hints[i]) : [];
    for (const one of changed) if (!found.delete(one)) found.add(one);
  }
  return new Map([...found].map((one) => [kinds[Math.floor(one / 2)][0], one % 2 === 0]));
};
