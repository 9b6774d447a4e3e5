// Crosstables by keyboard: one Tab stop per table, arrow keys from cell to cell, Escape closes the
// bubble. Without this script, every cell of a small table is a stop. Large tables and those of one
// game type get their bubbles when the reader reaches them.
(() => {
  /** @type {Record<string, number[]>} */
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  /** @param {HTMLElement[][]} rows @param {number} row @param {number} column @param {number[]} step */
  const nextCell = (rows, row, column, [down, right]) => {
    for (let at = 1; at <= Math.max(rows.length, rows[0].length); at += 1) {
      const found = (rows[row + at * down] || [])[column + at * right];
      if (!found) return null;
      if (found.tabIndex >= -1 && found.hasAttribute("tabindex")) return found;
    }
    return null;
  };

  /** @param {HTMLTableRowElement} row */
  const nameOf = (row) => row.cells[0].querySelector("bdi").textContent;

  // Opens the list of the games of a cell's two bots; the current address is marked as left.
  /** @param {Crosstable} table @param {HTMLTableCellElement} cell */
  const open = (table, cell) => {
    const [a, b] = [/** @type {HTMLTableRowElement} */ (cell.parentElement), table.tBodies[0].rows[cell.cellIndex - 1]].map(nameOf);
    /** @type {Record<string, string>} */
    const of = table.dataset.of && table.dataset.of !== "all" ? { of: table.dataset.of } : {};
    lath.goTo(`games&${new URLSearchParams({ a, b, ...of })}`);
  };

  /** @param {Meeting} cell @param {StandingsRow} row @param {StandingsRow} column */
  const told = (cell, row, column) => {
    const score = [cell.wins, cell.draws, cell.losses].map((games) => games.toLocaleString("en")).join("–");
    const games = `${cell.games.toLocaleString("en")} ${cell.games === 1 ? "point" : "points"}`;
    const alone = cell.head_to_head === null ? "" : `, by these games alone ${lath.likely(cell.head_to_head)}`;
    const stronger = cell.superiority === null ? "" : `\nProbability of being stronger: ${lath.likely(cell.superiority)}${alone}`;
    return `${lath.shortened(row.name)} – ${lath.shortened(column.name)}\n${lath.pointsTold(cell.points)} of ${games}: ${score}${stronger}`;
  };

  /** @param {Crosstable} table */
  const addBubbles = async (table) => {
    const standings = (await lath.standings()).json;
    const wanted = table.dataset.of;
    const { rows, crosstable } = /** @type {StandingsTable} */ ([standings.overall, ...standings.per_game].find(({ game }) => (game || "all") === wanted));
    [...table.tBodies[0].rows].forEach((line, i) => {
      crosstable[i].forEach((cell, j) => {
        if (cell.games > 0) line.cells[j + 1].append(lath.make("span", "", told(cell, rows[i], rows[j])));
      });
    });
  };

  /** @param {Crosstable} table */
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
    table.addEventListener("click", ({ target }) => {
      const cell = /** @type {HTMLTableCellElement | null} */ (target.closest("td[tabindex]"));
      if (cell) open(table, cell);
    });
    table.addEventListener("keydown", (event) => {
      const target = /** @type {HTMLTableCellElement} */ (event.target);
      if (event.key === "Enter" && target.tagName === "TD") open(table, target);
      if (event.key === "Escape") table.classList.add("tips-away");
      const step = STEPS[event.key];
      if (!step || target.tagName !== "TD" || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const row = rows.findIndex((cells) => cells.includes(target));
      const next = nextCell(rows, row, rows[row].indexOf(target), step);
      if (next) next.focus();
    });
  };

  document.querySelectorAll(".crosstable").forEach(enliven);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") document.querySelectorAll(".crosstable").forEach((one) => one.classList.add("tips-away"));
  });
})();
