// The games embedded in the page, in the format of `lath.reports.page.pack`: the list of all games,
// and the replayed ones, chunk by chunk.

lath.data = JSON.parse(lath.byId("data").textContent);

// Decodes a JSON value from letters.
lath.unpacked = async (letters) => {
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // `from` takes ten times as long
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
};

// A chunk. The first one precedes the script; the others exist after the page has loaded.
lath.lettersOf = async (number) => {
  if (number > 0 && document.readyState === "loading") {
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  }
  return document.getElementsByClassName("chunk")[number].textContent;
};

// All games, by place from 0. `numberOf` a game is its number in links and lists, `gameOf` a number
// is the game's place or -1, and `replayedAt` is its index among the replayed games, or undefined.
lath.openGames = async () => {
  // In parallel with the first chunk, so that list and replay appear at once. An error in that
  // chunk is reported when a game of it is opened.
  const first = /** @type {Promise<Chunk>} */ (lath.lettersOf(0).then(lath.unpacked));
  /** @type {EmbeddedHead} */
  const { columns, numbers, replayed, boards, families } = await lath.unpacked(lath.data.head);
  await first.catch(() => {});
  const count = lath.data.games;
  /** @type {Games["text"]} */
  const text = (name, i) => columns[name].texts[columns[name].at[i]];
  const places = replayed && new Map(replayed.map((place, at) => [place, at]));
  return {
    count,
    columns,
    families,
    boards,
    text,
    replayed: replayed ? replayed.length : count,
    familyOf: (i) => families[Number(text("family", i))],
    numberOf: (i) => (numbers ? numbers[i] : i + 1),
    gameOf: (number) => {
      const i = numbers ? numbers.indexOf(number) : number - 1;
      return Number.isInteger(i) && i >= 0 && i < count ? i : -1;
    },
    replayedAt: (i) => (places ? places.get(i) : i),
    chunks: new Map([[0, first]]),
  };
};

// The number of open chunks: consecutive games are usually in one chunk.
lath.CHUNKS_KEPT = 3;

lath.chunkOf = (games, number) => {
  const known = games.chunks.get(number) || /** @type {Promise<Chunk>} */ (lath.lettersOf(number).then(lath.unpacked));
  games.chunks.delete(number);
  games.chunks.set(number, known); // the chunk used last is removed last
  if (games.chunks.size > lath.CHUNKS_KEPT) games.chunks.delete(/** @type {number} */ (games.chunks.keys().next().value));
  return known;
};

// The fields of a game in a list.
lath.headOf = (games, i) => {
  const names = /** @type {ColumnName[]} */ (Object.keys(games.columns)).filter((name) => name !== "family");
  const head = /** @type {Record<ColumnName, string>} */ (Object.fromEntries(names.map((name) => [name, games.text(name, i)])));
  const why = head.ending && ["", "rules"].includes(head.termination) ? head.ending : head.termination;
  const { title } = games.familyOf(i);
  return { ...head, why, title, place: i, number: games.numberOf(i), plies: Number(head.plies) };
};
