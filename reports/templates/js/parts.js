// The lists of games, and the files beside the page that hold them where there are very many.

lath.data = JSON.parse(lath.byId("data").textContent);

lath.waiting = new Map();

// Called by the files beside the page.
lath.shard = (number, packed) => lath.waiting.get(number)?.(packed);

lath.missing = (file) =>
  `the file ${file} is not there. Its folder belongs beside this page: ask whoever sent the page for it`;

// Classic scripts: pages from a disk may load nothing else.
lath.fetchPart = (number) =>
  new Promise((resolve, reject) => {
    const { file } = lath.data.parts[number];
    const script = document.createElement("script");
    lath.waiting.set(number, resolve);
    script.addEventListener("error", () => reject(new Error(lath.missing(file))));
    script.src = `./${file.split("/").map(encodeURIComponent).join("/")}`;
    document.head.append(script);
  });

// A part: `columns` by name, `families`, `first` (the place of its first game among all), and for
// each game the place within its family. `numberOf` a game is what links and lists call it, and
// `gameOf` a number is that game's place in the part, or -1.
lath.openPart = async (number) => {
  const known = lath.data.parts[number];
  const packed = known.part || (await lath.fetchPart(number));
  const columns = await lath.openColumns(packed.columns, packed.games);
  const counts = packed.families.map(() => 0);
  const familyOf = columns.family.texts.map(Number);
  const places = Uint32Array.from(columns.family.at, (at) => counts[familyOf[at]]++);
  const plies = columns.plies.texts.map(Number);
  const first = lath.firstOf(number);
  const numbers = known.numbers && Float64Array.from(columns.number.at, (at) => Number(columns.number.texts[at]));
  const isThere = (i) => i >= 0 && i < packed.games;
  return {
    number,
    packed,
    columns,
    places,
    games: packed.games,
    families: packed.families,
    first,
    numberOf: (i) => (numbers ? numbers[i] : first + i),
    gameOf: (wanted) => {
      const i = numbers ? numbers.indexOf(wanted) : wanted - first;
      return isThere(i) ? i : -1;
    },
    text: (name, i) => columns[name].texts[columns[name].at[i]],
    familyOf: (i) => familyOf[columns.family.at[i]],
    pliesOf: (i) => plies[columns.plies.at[i]],
    chunks: new Map(),
  };
};

// The boards of all parts.
lath.openBoards = () => {
  lath.boards = lath.boards || lath.inflateJson(lath.data.boards);
  return lath.boards;
};

// The place of a part's first game among all, from 1.
lath.firstOf = (number) => lath.data.parts.slice(0, number).reduce((sum, part) => sum + part.games, 1);

// The place among all, from 1, of the game that is called by a number; 0 if there is no such game.
lath.placeOf = async (wanted, openPart) => {
  for (const [number, { games, numbers }] of lath.data.parts.entries()) {
    const first = lath.firstOf(number);
    const [low, high] = numbers || [first, first + games - 1];
    if (Number.isInteger(wanted) && wanted >= low && wanted <= high) {
      const i = (await openPart(number)).gameOf(wanted);
      if (i >= 0) return first + i;
    }
  }
  return 0;
};

// Where a game is: the part's number and the place in it; null if no game has this place.
lath.whereIs = (place) => {
  let left = place - 1;
  for (const [part, { games }] of lath.data.parts.entries()) {
    if (left >= 0 && left < games) return { part, i: left };
    left -= games;
  }
  return null;
};

// What a list shows of a game.
lath.headOf = (part, i) => {
  const head = { place: part.first + i, number: part.numberOf(i), plies: part.pliesOf(i) };
  for (const name of Object.keys(part.columns)) if (!(name in head)) head[name] = part.text(name, i);
  head.numberTag = part.text("number", i);
  head.family = part.familyOf(i);
  head.title = part.families[head.family].title;
  head.why = head.ending && ["", "rules"].includes(head.termination) ? head.ending : head.termination;
  return head;
};
