// What the page embeds of the records, as `lath.reports.page.pack` describes it: the list of all
// games, and those that it replays, chunk by chunk.

lath.data = JSON.parse(lath.byId("data").textContent);

// A JSON value out of letters.
lath.unpacked = async (letters) => {
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // `from` takes ten times as long
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
};

// A chunk. The first one stands before the script; the others are there once the page is whole.
lath.lettersOf = async (number) => {
  if (number > 0 && document.readyState === "loading") {
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  }
  return document.getElementsByClassName("chunk")[number].textContent;
};

// All games, each by its place from 0. `numberOf` a game is what links and lists call it, `gameOf` a
// number is that game's place or -1, and `replayedAt` says which one of those it is that the page
// replays; undefined where it does not.
lath.openGames = async () => {
  // Side by side with the first chunk, for list and replay to be drawn at once. If something is
  // wrong with that one, it is told when a game of it is asked for.
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

// Chunks that are kept open: going from game to game seldom leaves one.
lath.CHUNKS_KEPT = 3;

lath.chunkOf = (games, number) => {
  const known = games.chunks.get(number) || /** @type {Promise<Chunk>} */ (lath.lettersOf(number).then(lath.unpacked));
  games.chunks.delete(number);
  games.chunks.set(number, known); // the last one used is the last one to go
  if (games.chunks.size > lath.CHUNKS_KEPT) games.chunks.delete(/** @type {number} */ (games.chunks.keys().next().value));
  return known;
};

// What a list shows of a game.
lath.headOf = (games, i) => {
  const names = /** @type {ColumnName[]} */ (Object.keys(games.columns)).filter((name) => name !== "family");
  const head = /** @type {Record<ColumnName, string>} */ (Object.fromEntries(names.map((name) => [name, games.text(name, i)])));
  const why = head.ending && ["", "rules"].includes(head.termination) ? head.ending : head.termination;
  const { title } = games.familyOf(i);
  return { ...head, why, title, place: i, number: games.numberOf(i), plies: Number(head.plies) };
};
