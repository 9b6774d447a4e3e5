// Crosstables by keyboard: one stop of Tab each, arrow keys from cell to cell, Escape puts the
// bubble away. Without it every cell of a small table is a stop. Large tables and those of one game
// get their bubbles when somebody comes to them.
(() => {
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  const nextCell = (rows, row, column, [down, right]) => {
    for (let at = 1; at <= Math.max(rows.length, rows[0].length); at += 1) {
      const found = (rows[row + at * down] || [])[column + at * right];
      if (!found) return null;
      if (found.tabIndex >= -1 && found.hasAttribute("tabindex")) return found;
    }
    return null;
  };

  const points = (value) => `${value === 0.5 ? "" : Math.trunc(value).toLocaleString("en")}${value % 1 ? "½" : ""}`;

  const likely = (rate) => {
    if (rate > 0.999) return "over\u00a099.9\u00a0%";
    return rate < 0.001 ? "under\u00a00.1\u00a0%" : `${(100 * rate).toFixed(1)}\u00a0%`;
  };

  const shortened = (name) => (name.length <= 26 ? name : `${name.slice(0, 25).trimEnd()}…`);

  const told = (cell, row, column) => {
    const score = [cell.wins, cell.draws, cell.losses].map((games) => games.toLocaleString("en")).join("–");
    const games = `${cell.games.toLocaleString("en")} ${cell.games === 1 ? "point" : "points"}`;
    const stronger = cell.superiority === null ? "" : `\nStronger: ${likely(cell.superiority)}`;
    return `${shortened(row.name)} – ${shortened(column.name)}\n${points(cell.points)} of ${games}: ${score}${stronger}`;
  };

  const addBubbles = async (table) => {
    const standings = (await lath.standings()).json;
    const wanted = table.dataset.of;
    const { rows, crosstable } = [standings.overall, ...standings.per_game].find(({ game }) => (game || "all") === wanted);
    [...table.tBodies[0].rows].forEach((line, i) => {
      crosstable[i].forEach((cell, j) => {
        if (cell.games > 0) line.cells[j + 1].append(lath.make("span", "", told(cell, rows[i], rows[j])));
      });
    });
  };

  const enliven = (table) => {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
    const cells = [...table.querySelectorAll("td[class^='h']")];
    if (cells.length === 0) return;
    let current = cells[0];
    cells.forEach((cell) => { cell.tabIndex = cell === current ? 0 : -1; });
    if (table.dataset.of) {
      const add = () => {
        for (const name of ["focusin", "pointerover"]) table.removeEventListener(name, add);
        addBubbles(table);
      };
      for (const name of ["focusin", "pointerover"]) table.addEventListener(name, add);
    }
    table.addEventListener("focusin", ({ target }) => {
      if (target.tagName !== "TD") return;
      current.tabIndex = -1;
      current = target;
      current.tabIndex = 0;
      table.classList.remove("tips-away");
    });
    table.addEventListener("pointerover", () => table.classList.remove("tips-away"));
    table.addEventListener("keydown", (event) => {
      if (event.key === "Escape") table.classList.add("tips-away");
      const step = STEPS[event.key];
      if (!step || event.target.tagName !== "TD" || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const row = rows.findIndex((cells) => cells.includes(event.target));
      const next = nextCell(rows, row, rows[row].indexOf(event.target), step);
      if (next) next.focus();
    });
  };

  document.querySelectorAll(".crosstable").forEach(enliven);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") document.querySelectorAll(".crosstable").forEach((one) => one.classList.add("tips-away"));
  });
})();
