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

// A part: `columns` by name, `families`, `first` (the number of its first game), and for each game
// the place within its family.
lath.openPart = async (number) => {
  const known = lath.data.parts[number];
  const packed = known.part || (await lath.fetchPart(number));
  const columns = await lath.openColumns(packed.columns, packed.games);
  const counts = packed.families.map(() => 0);
  const familyOf = columns.family.texts.map(Number);
  const places = Uint32Array.from(columns.family.at, (at) => counts[familyOf[at]]++);
  const plies = columns.plies.texts.map(Number);
  return {
    number,
    packed,
    columns,
    places,
    games: packed.games,
    families: packed.families,
    first: lath.data.parts.slice(0, number).reduce((sum, part) => sum + part.games, 1),
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

// Where a game is: the part's number and the place in it; null if there is no such game.
lath.whereIs = (number) => {
  let left = number - 1;
  for (const [part, { games }] of lath.data.parts.entries()) {
    if (left >= 0 && left < games) return { part, i: left };
    left -= games;
  }
  return null;
};

// What a list shows of a game.
lath.headOf = (part, i) => {
  const head = { number: part.first + i, plies: part.pliesOf(i) };
  for (const name of Object.keys(part.columns)) if (name !== "plies") head[name] = part.text(name, i);
  head.family = part.familyOf(i);
  head.title = part.families[head.family].title;
  head.why = head.ending && ["", "rules"].includes(head.termination) ? head.ending : head.termination;
  return head;
};
