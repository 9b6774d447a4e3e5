// Downloads made from the page's data: records, the table of games, standings.

lath.save = (parts, name, type) => {
  const link = lath.make("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: type.startsWith("image/") ? type : `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  lath.byId("saved").textContent = `${name} is ready.`;
};

// A CSV cell. An apostrophe keeps spreadsheets from reading the text as a formula.
lath.csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  const guarded = typeof value === "string" && /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

lath.csv = (rows) => rows.map((row) => `${row.map(lath.csvCell).join(",")}\r\n`).join("");

lath.gamesCsv = (list) => {
  const { found, table } = list.state;
  /** @type {ListName[]} */
  const names = ["number", "id", "round", "first", "second", "result", "termination", "ending", "plies", "setup", "position"];
  const titles = names.map((name) => (name === "id" ? "game" : name));
  const numbers = ["number", "plies"];
  const rows = Array.from(found, (i) =>
    names.map((name) => (numbers.includes(name) ? Number(table.text(name, i)) : table.text(name, i))),
  );
  return lath.csv([titles, ...rows]);
};

// In the order of the games, so that each chunk is opened only once.
lath.recordsText = async ({ games, state }) => {
  const texts = [];
  for (const i of lath.replayedOf(games, state.found).sort((a, b) => a - b)) {
    texts.push((texts.length > 0 ? "\n" : "") + lath.recordOf(await lath.openGame(games, i)));
  }
  return texts;
};

lath.replayedOf = (games, found) => Array.from(found).filter((i) => games.replayedAt(i) !== undefined);

lath.tellDownloads = (list) => {
  const { games, state } = list;
  const all = list.isFiltered() ? `these ${lath.counted(state.found.length, "game")}` : `all ${lath.counted(games.count, "game")}`;
  const there = lath.replayedOf(games, state.found).length;
  const without = there < state.found.length ? ` This page contains the records of ${lath.counted(there, "game")} of them.` : "";
  for (const id of /** @type {const} */ (["save-records", "save-games"])) lath.byId(id).disabled = false;
  lath.byId("downloads-told").textContent = `The records and the game list contain ${all}, as filtered under Games.${without}`;
};

lath.listenToDownloads = (list) => {
  for (const id of /** @type {const} */ (["save-records", "save-games"])) lath.byId(id).disabled = true; // until there is a list
  lath.byId("downloads-body").hidden = false;
  lath.onClick("save-records", async () => {
    lath.byId("saved").textContent = "Preparing the records.";
    lath.save(await lath.recordsText(list), "games.lath", "text/plain");
  });
  lath.onClick("save-games", () => lath.save([lath.gamesCsv(list)], "games.csv", "text/csv"));
  lath.onClick("save-standings-csv", async () => {
    lath.save([(await lath.standings()).csv], "standings.csv", "text/csv");
  });
  lath.onClick("save-standings-json", async () => {
    lath.save([JSON.stringify((await lath.standings()).json, null, 2)], "standings.json", "application/json");
  });
};
