// One game, opened: moves, positions, what is said, tags, legal moves. Knows no rules.

// A whole number of `decimals` more digits, as it is written.
lath.decimal = (whole, decimals) => {
  const digits = String(Math.abs(whole)).padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  return `${whole < 0 ? "-" : ""}${digits.slice(0, cut)}${decimals ? `.${digits.slice(cut)}` : ""}`;
};

// What a step of a scale stands for: see `reports/page/detail.py`.
lath.unscaled = (step, scale) => {
  if (scale.steps) return step / scale.steps;
  return step === 0 ? 0 : scale.ratio ** (step - 1) / 1000;
};

// The numbers in what is said about one ply, each used once and in order.
lath.takeValues = (form, values, used, scales) =>
  form.filter((piece) => typeof piece !== "string").map(([key]) => {
    const at = used.get(key) || 0;
    used.set(key, at + 1);
    const [decimals, name, whole] = [Number(key[0]), key.slice(1), values[key][at]];
    const scale = scales[name];
    return {
      name,
      value: scale ? lath.unscaled(whole, scale) : whole / 10 ** decimals,
      text: scale ? null : lath.decimal(whole, decimals),
    };
  });

// What is said about one ply: `glyph`, `words` as movetext (numbers that are not exact left out),
// `said` for people, and the numbers by name.
lath.noteOf = (form, taken) => {
  let i = 0;
  let text = "";
  const parts = form.map((piece) => (typeof piece === "string" ? piece : taken[i++]));
  parts.forEach((part, at) => {
    if (typeof part === "string") text += part;
    else if (part.text !== null) text += part.text;
    else {
      text = text.slice(0, -`[%${part.name} `.length);
      parts[at + 1] = parts[at + 1].slice(1);
    }
  });
  const space = text.indexOf(" ");
  const hasHoles = taken.some((number) => number.text === null);
  const words = space < 0 ? "" : lath.tidied(text.slice(space + 1), hasHoles);
  const numbers = {};
  for (const { name, value } of taken) if (!(name in numbers)) numbers[name] = value;
  return { glyph: space < 0 ? text : text.slice(0, space), words, said: lath.saidIn(words), numbers };
};

// Movetext whose line ends stand by themselves; with holes, without comments that say nothing.
lath.tidied = (words, hasHoles) => {
  const lines = words.replace(/ *\n */gu, "\n");
  if (!hasHoles) return lines;
  const closed = lines.replace(/\{ +/gu, "{").replace(/ +\}/gu, "}").replace(/\{\}/gu, "");
  return closed.replace(/ {2,}/gu, " ").trim();
};

// Movetext as people read it: without annotations and the brackets of comments.
lath.saidIn = (words) => {
  let said = "";
  for (let at = 0; at < words.length; ) {
    const closing = { "{": "}", ";": "\n" }[words[at]];
    if (!closing) {
      said += words[at];
      at += 1;
      continue;
    }
    const end = words.indexOf(closing, at);
    const stop = end < 0 ? words.length : end;
    said += words.slice(at + 1, stop).replace(/\[%[^\]]*\]/gu, "");
    at = stop + 1;
  }
  return said.replace(/\s+/gu, " ").trim();
};

// What lies on the board before the first move: see `start_told` in `reports/page/chunks.py`.
lath.startOf = (told, family, board, setup) => {
  const stacks = family.plain.slice();
  if (told === "rows") {
    const codes = [...setup.replaceAll("/", "")];
    board.rows.forEach((cell, i) => (stacks[cell] = codes[i]));
    return stacks;
  }
  for (const text of told.split(" ").filter(Boolean)) {
    const at = text.indexOf("=");
    stacks[Number(text.slice(0, at))] = text.slice(at + 1);
  }
  return stacks;
};

// Who decided on each ply, and would on the next: the turn passes, but where `repeats` says.
lath.moversOf = (length, repeats) => {
  const again = new Set(repeats);
  let mover = 1;
  return Array.from({ length }, (_, i) => (mover = again.has(i) ? mover : 1 - mover));
};

lath.tagsOf = (head, game, id) => {
  const known = { Game: id, First: head.first, Second: head.second, Round: head.round, Setup: head.setup };
  Object.assign(known, { Position: head.position, Termination: head.termination, Number: head.numberTag, Result: head.result }, game.tags);
  return game.schema.map((name) => {
    const at = name.indexOf("=");
    return at < 0 ? [name, known[name]] : [name.slice(0, at), name.slice(at + 1)];
  });
};

lath.openGame = async (part, i) => {
  const head = lath.headOf(part, i);
  const family = part.families[head.family];
  const [chunk, kinds, boards] = await Promise.all([
    lath.chunkOf(part, head.family, part.places[i]),
    lath.kindsOf(family),
    lath.openBoards(),
  ]);
  const place = part.places[i] % family.chunks[0].games;
  const game = chunk.games[place];
  const board = family.board === null ? null : boards[family.board];
  const used = new Map();
  const scales = part.packed.scales;
  const notes = game.forms.map((number) => {
    const form = chunk.forms[number];
    return lath.noteOf(form, lath.takeValues(form, game.values, used, scales));
  });
  const opened = {
    ...head,
    board,
    boardNumber: family.board,
    moves: game.kinds.map((kind) => kinds[kind][0]),
    movers: lath.moversOf(head.plies + 1, game.repeats),
    tags: lath.tagsOf(head, game, family.id),
    notes,
    deciding: game.deciding,
    stacks: [],
    legal: chunk.legal ? chunk.legal[place] : null,
    kinds: game.kinds,
    effects: kinds,
  };
  if (board) lath.playThrough(opened, lath.startOf(game.start, family, board, head.setup));
  return opened;
};

// Fills in what lies on the board after each ply.
lath.playThrough = (game, start) => {
  game.shapes = new Map(game.board.pieces.map(([code, , shape]) => [code, shape]));
  game.stacks = [start];
  game.kinds.forEach((kind, ply) => {
    const effect = game.effects[kind][1 + game.movers[ply]];
    game.stacks.push(lath.applied(effect, game.stacks[ply], game.shapes));
  });
};

// The cells that a ply changed; a cell that only a marker left is not meant, if there are others.
lath.movedAt = (game, ply) => {
  const stacks = game.stacks[ply];
  const before = game.stacks[ply - 1] || stacks;
  const changed = stacks.flatMap((stack, i) => (stack === before[i] ? [] : [i]));
  const bare = (stack) => [...stack].filter((code) => game.shapes.get(code) !== "marker").join("");
  const meant = changed.filter((i) => stacks[i] !== bare(before[i]));
  return meant.length > 0 ? meant : changed;
};

// The legal moves after a ply, as boards want them; null where they are not told.
lath.legalAt = (game, ply) => {
  if (!game.legal) return null;
  const reader = new lath.Reader(game.legal.bytes, game.legal.at);
  let legal = lath.toggled(game.legal.foretold, reader);
  for (let i = 0; i < ply; i += 1) {
    legal.delete(game.kinds[i]);
    legal = lath.toggled(legal, reader);
  }
  const before = game.stacks[ply];
  return [...legal].map((kind) => {
    const effect = game.effects[kind][1 + game.movers[ply]];
    const after = lath.applied(effect, before, game.shapes);
    return { text: game.effects[kind][0], changes: lath.changesOf(before, after) };
  });
};
