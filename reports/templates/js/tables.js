// Tables: a table that is too wide becomes cards. Standings do so on phones only, where a button
// shows all columns, and crosstables never: they are tightened, then scroll. Headings sort, and the caption names the sorted column. The index page uses this file
// without the others.
(() => {
  /** @type {Record<string, number>} */
  const UNITS = { ms: 1e-3, min: 60, h: 3600, k: 1e3, M: 1e6, G: 1e9 };

  // The number at the start of a cell, such as −63 ±168, 12½, 1,204 or 250 ms; NaN without one.
  /** @param {string} text */
  const valueOf = (text) => {
    const [, sign, digits, half, unit] = /** @type {RegExpExecArray} */ (/^[<≤▲±\s]*([▼−-]?)\s*([\d.,]*)(½?)\s*([a-zM]*)/iu.exec(text.trim()));
    if (digits === "" && half === "") return NaN;
    return (Number(digits.replaceAll(",", "")) + (half ? 0.5 : 0)) * (sign ? -1 : 1) * (UNITS[unit] || 1);
  };

  // Cells without a value come last in both directions.
  /** @param {string | number} one @param {string | number} other */
  const compared = (one, other) => {
    if (typeof one === "string") return one.localeCompare(/** @type {string} */ (other));
    return one - /** @type {number} */ (other);
  };

  /** @param {Crosstable} table */
  const headsOf = (table) => [...table.tHead.rows[0].cells];

  /** @param {Crosstable} table @param {HTMLTableCellElement} head */
  const sortBy = (table, head) => {
    const at = head.cellIndex;
    const isText = head.matches(".words");
    const was = head.getAttribute("aria-sort");
    const isDown = was ? was === "ascending" : !isText;
    for (const other of headsOf(table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    /** @param {HTMLTableRowElement} row */
    const keyOf = ({ cells }) => (isText ? cells[at].textContent.trim() : valueOf(cells[at].textContent));
    for (const body of table.tBodies) {
      /** @type {[string | number, HTMLTableRowElement][]} */
      const keyed = [...body.rows].filter((row) => !row.matches(".group")).map((row) => [keyOf(row), row]);
      const known = keyed.filter(([key]) => !Number.isNaN(key));
      known.sort(([one], [other]) => (isDown ? -1 : 1) * compared(one, other));
      body.append(...[...known, ...keyed.filter(([key]) => Number.isNaN(key))].map(([, row]) => row));
    }
    const way = isText ? ["from A to Z", "from Z to A"] : ["lowest first", "highest first"];
    table.querySelector(".sorted").textContent = `Sorted by ${nameOf(head)}, ${way[Number(isDown)]}.`;
  };

  /** @param {HTMLElement} head */
  const nameOf = (head) => (head.matches(".drawn, .rank, .games *") ? "" : head.textContent.trim().replace(/\s*±$/u, "").replace(/^./u, (first) => first.toUpperCase()));

  /** @param {HTMLElement} head */
  const labelOf = (head) => head.dataset.short || nameOf(head);

  /** @param {Crosstable} table */
  const addButtons = (table) => {
    for (const head of headsOf(table)) {
      if (head.matches(".drawn, .rank")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(table, head));
    }
  };

  // On a card, each value is shown with the heading of its column; those of further columns are
  // marked.
  /** @param {Crosstable} table */
  const label = (table) => {
    const heads = headsOf(table);
    const names = heads.map(labelOf);
    for (const { cells } of [...table.tBodies].flatMap((body) => [...body.rows])) {
      if (cells.length < names.length) continue;
      [...cells].forEach((cell, at) => {
        if (names[at] && cell.matches("td")) cell.dataset.label = names[at];
        if (heads[at].matches(".further")) cell.classList.add("further");
      });
    }
    if (table.querySelector(".further")) addSwitch(table);
  };

  // The button above standings on a phone.
  /** @param {Crosstable} table */
  const addSwitch = (table) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "whole";
    button.textContent = "All columns";
    button.setAttribute("aria-pressed", "false");
    const room = /** @type {HTMLElement} */ (table.parentElement);
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(table.classList.toggle("all")));
      fit(room);
    });
    room.before(button);
  };

  const phone = matchMedia("(max-width: 699.98px)");

  const fit = (place = document.querySelector("main")) => {
    const rooms = place.matches(".scroll") ? [place] : [...place.querySelectorAll(".scroll")];
    const some = rooms.map((room) => [room, room.querySelector(":scope > table")]);
    const seen = /** @type {[HTMLElement, Crosstable][]} */ (some.filter(([room, table]) => table && !/** @type {HTMLElement} */ (room).closest("details:not([open]), [hidden]")));
    for (const [room, table] of seen) {
      room.classList.remove("fits", "over");
      table.classList.remove("stacked", "tight");
    }
    /** @param {[HTMLElement, Crosstable]} pair */
    const isWide = ([room]) => room.scrollWidth > room.clientWidth + 1;
    for (const [, table] of seen.filter(isWide)) table.classList.toggle("tight", table.matches(".crosstable"));
    const wide = seen.map(isWide);
    seen.forEach(([room, table], at) => {
      const scrolls = wide[at] && table.matches(phone.matches ? ".crosstable, .all" : ".standings, .crosstable");
      const stacks = wide[at] && !scrolls;
      if (stacks && !table.querySelector("[data-label]")) label(table);
      table.classList.toggle("stacked", stacks);
      room.classList.add(scrolls ? "over" : "fits");
      if (scrolls) room.tabIndex = 0;
      else room.removeAttribute("tabindex");
    });
  };

  document.querySelectorAll(".sortable").forEach(addButtons);
  fit();
  addEventListener("resize", () => fit());
  for (const name of ["listed", "toggle"]) document.addEventListener(name, ({ target }) => fit(/** @type {HTMLElement} */ (target)), true);
})();
