// Files made of what the page holds: records, the table of games, standings.

lath.save = (parts, name, type) => {
  const link = lath.make("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  lath.byId("saved").textContent = `${name} is ready.`;
};

// A cell of CSV. An apostrophe keeps sheets from taking it for a formula.
lath.csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  const guarded = typeof value === "string" && /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

lath.csv = (rows) => rows.map((row) => `${row.map(lath.csvCell).join(",")}\r\n`).join("");

lath.gamesCsv = (list) => {
  const { found, table } = list.state;
  const names = ["number", "id", "round", "first", "second", "result", "termination", "ending", "plies", "setup", "position"];
  const titles = names.map((name) => (name === "id" ? "game" : name));
  const numbers = ["number", "plies"];
  const rows = Array.from(found, (i) =>
    names.map((name) => (numbers.includes(name) ? Number(table.text(name, i)) : table.text(name, i))),
  );
  return lath.csv([titles, ...rows]);
};

// In order of the games: each chunk is then inflated once.
lath.recordsText = async (list) => {
  const { part, found } = list.state;
  const order = Array.from(found).sort((a, b) => part.familyOf(a) - part.familyOf(b) || a - b);
  const texts = new Map();
  for (const i of order) texts.set(i, lath.recordOf(await lath.openGame(part, i)));
  return Array.from(found).sort((a, b) => a - b).map((i, at) => (at ? "\n" : "") + texts.get(i));
};

lath.tellDownloads = (list) => {
  const { part, found } = list.state;
  const all = list.isFiltered() ? `these ${lath.counted(found.length, "game")}` : `all ${lath.counted(part.games, "game")}`;
  const { scales, lost } = part.packed;
  const inexact = [...Object.keys(scales), ...lost].map((name) => lath.ANNOTATIONS[name] || name);
  const without = inexact.length > 0 ? ` Records come without ${inexact.join(", ")}, which this page does not have exactly.` : "";
  for (const id of ["save-records", "save-games"]) lath.byId(id).disabled = false;
  lath.byId("downloads-told").textContent = `Records and the table of games are of ${all}, as the filter of the list says.${without}`;
};

lath.listenToDownloads = (list) => {
  const on = (id, act) => lath.byId(id).addEventListener("click", act);
  for (const id of ["save-records", "save-games"]) lath.byId(id).disabled = true; // until there is a list
  lath.byId("downloads-body").hidden = false;
  on("save-records", async () => {
    lath.byId("saved").textContent = "The records are being written.";
    lath.save(await lath.recordsText(list), "games.lath", "text/plain");
  });
  on("save-games", () => lath.save([lath.gamesCsv(list)], "games.csv", "text/csv"));
  on("save-standings-csv", async () => {
    lath.save([(await lath.standings()).csv], "standings.csv", "text/csv");
  });
  on("save-standings-json", async () => {
    lath.save([JSON.stringify((await lath.standings()).json, null, 2)], "standings.json", "application/json");
  });
};
