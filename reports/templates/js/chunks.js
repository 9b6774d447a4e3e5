// Games inflated together: what `reports/page/chunks.py` made.

// Numbers by the key of their slot, a list for each game: differences to the one two before.
lath.openValues = async (packed, counts) => {
  const bytes = await Promise.all(Object.values(packed).map(lath.inflate));
  const readers = Object.keys(packed).map((key, i) => [key, new lath.Reader(bytes[i])]);
  // Clocks are foretold by times, which must come before.
  readers.sort(([a], [b]) => Number(a.endsWith("clk")) - Number(b.endsWith("clk")));
  return counts.map((count) => {
    const values = {};
    for (const [key, reader] of readers) {
      const spent = key.slice(1) === "clk" ? values[`${key[0]}emt`] || [] : [];
      const read = [];
      for (let i = 0; i < (count.get(key) || 0); i += 1) {
        const drop = spent.length === count.get(key) ? spent[i] : 0;
        read.push(reader.signed() + (i < 2 ? 0 : read[i - 2]) - drop);
      }
      values[key] = read;
    }
    return values;
  });
};

// How often each key has a number in a game.
lath.countKeys = (forms, numbers) => {
  const counts = new Map();
  for (const number of numbers) {
    for (const piece of forms[number]) {
      if (typeof piece !== "string") counts.set(piece[0], (counts.get(piece[0]) || 0) + 1);
    }
  }
  return counts;
};

lath.openChunk = async (packed, lengths) => {
  const inflated = ["plies", "deciding", "before", "noted"].map((name) => lath.inflate(packed[name]));
  const [plies, deciding, before, noted] = await Promise.all(inflated);
  const columns = { ...packed.tags, " starts": packed.starts, " repeats": packed.repeats, " schemas": packed.schemas };
  const tags = {};
  const openTag = async ([name, column]) => {
    // Not every game has every tag: a column that is not all one text says itself how long it is.
    tags[name] = await lath.openColumn(column, name.startsWith(" ") ? packed.games : packed.tagged[name]);
  };
  const [forms] = await Promise.all([
    lath.inflateJson(packed.forms),
    ...Object.entries(columns).map(openTag),
  ]);
  const readers = [plies, deciding, before, noted].map((bytes) => new lath.Reader(bytes));
  const games = lengths.map((length) => ({
    kinds: Array.from({ length }, () => readers[0].kind()),
    deciding: readers[1].line(),
    forms: [readers[2].next(), ...readers[3].list(length)],
  }));
  const values = await lath.openValues(
    packed.values,
    games.map((game) => lath.countKeys(forms, game.forms)),
  );
  const seen = {};
  games.forEach((game, i) => {
    const text = (name, at) => tags[name].texts[tags[name].at[at]];
    game.values = values[i];
    game.start = text(" starts", i);
    game.repeats = text(" repeats", i).split(",").filter(Boolean).map(Number);
    game.schema = text(" schemas", i).split("\n").filter(Boolean);
    game.tags = {};
    for (const name of game.schema) {
      if (!(name in packed.tags)) continue;
      seen[name] = seen[name] ?? -1;
      seen[name] += 1;
      game.tags[name] = text(name, seen[name]);
    }
  });
  return { games, forms, legal: packed.legal ? lath.openLegal(await lath.inflate(packed.legal), lengths) : null };
};

// Where the legal moves of each game begin, and which are foretold for its first position.
lath.openLegal = (bytes, lengths) => {
  const reader = new lath.Reader(bytes);
  let foretold = new Set();
  return lengths.map((length) => {
    const game = { bytes, at: reader.at, foretold };
    foretold = lath.toggled(foretold, reader);
    for (let i = 0; i < length; i += 1) lath.toggled(new Set(), reader);
    return game;
  });
};

// The set with some numbers more and some fewer, which the reader tells.
lath.toggled = (numbers, reader) => {
  const toggled = new Set(numbers);
  let number = 0;
  for (let left = reader.next(); left > 0; left -= 1) {
    number += reader.next();
    if (!toggled.delete(number)) toggled.add(number);
  }
  return toggled;
};

// Chunks that are kept inflated: going from game to game seldom leaves one.
lath.CHUNKS_KEPT = 3;

lath.chunkOf = (part, familyNumber, place) => {
  const family = part.families[familyNumber];
  const size = family.chunks[0].games;
  const number = Math.floor(place / size);
  const key = `${familyNumber} ${number}`;
  const known = part.chunks.get(key) || lath.openChunk(family.chunks[number], lath.lengthsOf(part, familyNumber, number * size, family.chunks[number].games));
  part.chunks.delete(key);
  part.chunks.set(key, known); // the last one used is the last one to go
  if (part.chunks.size > lath.CHUNKS_KEPT) part.chunks.delete(part.chunks.keys().next().value);
  return known;
};

// How many plies the games of a family have, from one place on.
lath.lengthsOf = (part, family, from, count) => {
  const lengths = [];
  for (let i = 0; i < part.games && lengths.length < count; i += 1) {
    if (part.familyOf(i) === family && part.places[i] >= from) lengths.push(part.pliesOf(i));
  }
  return lengths;
};

// For each kind of move of a family its text and what it does, by who plays it.
lath.kindsOf = (family) => {
  family.opened = family.opened || lath.inflateJson(family.kinds);
  return family.opened;
};
