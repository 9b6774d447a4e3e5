// The list of games: filters, sorting and pages. Texts of records enter the table only as text.

lath.makeList = (games, replay) => {
  const { byId, make } = lath;
  /** @type {Record<keyof Only, string>} */
  const SELECTS = { title: "All games", bot: "All bots", against: "All opponents", result: "All results", why: "All endings" };
  /** @type {List["state"]} */
  const state = { table: lath.makeTable(games), found: new Uint32Array(), page: 0, column: "number", isDown: false };

  const names = /** @type {(keyof Only)[]} */ (Object.keys(SELECTS));

  const size = () => Number(byId("page-size").value);
  const pages = () => Math.max(Math.ceil(state.found.length / size()), 1);

  const wanted = () => {
    const only = names.map((name) => [name, byId(`only-${name}`).value]);
    return { words: byId("filter").value, only: Object.fromEntries(only) };
  };

  const isFiltered = () => {
    const { words, only } = wanted();
    return words.trim() !== "" || Object.values(only).some(Boolean);
  };

  /** @param {ListName} name @param {number} i */
  const cellOf = (name, i) => {
    const text = state.table.text(name, i);
    if (name === "number") {
      const link = lath.linkOf(text, `#game=${text}&ply=0`);
      link.prepend(make("span", "thumb"));
      link.setAttribute("aria-label", `Replay of game ${text}`);
      return make("td", "number", null, link);
    }
    if (name === "plies" || name === "round") return make("td", "number", null, make("bdi", "", text));
    const made = lath.nameOf(text);
    const seat = ["first", "second"].indexOf(name);
    if (seat >= 0 && lath.winnerOf(state.table.text("result", i)) === seat) made.classList.add("winner");
    return make("td", "", null, made);
  };

  /** @param {number} i */
  const rowOf = (i) => {
    const row = make("tr", "", null, ...lath.LIST.map((name) => cellOf(name, i)));
    row.dataset.number = String(games.numberOf(i));
    return row;
  };

  const markRow = (number = replay.state.game?.number) => {
    for (const row of /** @type {HTMLCollectionOf<HTMLElement>} */ (byId("rows").children)) {
      if (row.dataset.number === String(number)) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  };

  // Small boards with the final positions, one after the other, once a row is in view and the list
  // has been still for a moment.
  let turned = 0;
  /** @type {Map<BoardJson, BoardView>} */
  const views = new Map();
  /** @param {Element} place @param {number} row */
  const draw = async (place, row) => {
    const game = await lath.openGame(games, row);
    if (!game.board || !place.isConnected) return;
    const view = views.get(game.board) || lath.boardOf(game.board);
    views.set(game.board, view);
    view.element.setAttribute("aria-hidden", "true");
    view.show({ stacks: game.stacks[game.plies], extras: game.extrasAt(game.plies), deciding: game.deciding, isLoss: game.isLoss });
    place.replaceChildren(view.element.cloneNode(true));
  };
  let drawing = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawing = drawing.then(() => draw(target, games.gameOf(Number(/** @type {HTMLElement} */ (target.closest("tr")).dataset.number)))).catch(() => {});
    }
  });
  const drawSoon = () => {
    seen.disconnect();
    clearTimeout(turned);
    turned = setTimeout(() => byId("rows").querySelectorAll(".thumb").forEach((place) => seen.observe(place)), 250);
  };

  const showPage = () => {
    state.page = Math.min(Math.max(state.page, 0), pages() - 1);
    const from = state.page * size();
    const shown = state.found.subarray(from, from + size());
    byId("rows").replaceChildren(...Array.from(shown, rowOf));
    drawSoon();
    byId("page").textContent = `Page ${lath.grouped(state.page + 1)} of ${lath.grouped(pages())}`;
    byId("pager").hidden = games.count <= 10;
    for (const id of /** @type {const} */ (["page-first", "page-before"])) lath.dim(id, state.page === 0);
    for (const id of /** @type {const} */ (["page-last", "page-after"])) lath.dim(id, state.page === pages() - 1);
    markRow();
    byId("rows").closest(".scroll").dispatchEvent(new Event("listed"));
  };

  const showFound = () => {
    const [found, all] = [lath.grouped(state.found.length), lath.counted(games.count, "game")];
    byId("found").textContent = isFiltered() ? `${found} of ${all}` : all;
    byId("clear").hidden = !isFiltered();
    lath.tellDownloads(api);
  };

  const find = () => {
    state.found = state.table.sort(state.table.find(wanted()), state.column, state.isDown);
    state.page = 0;
    showPage();
    showFound();
    lath.showVersus(games, state.table, state.table.pairOf(wanted()));
  };

  const showHeadings = () => {
    const direction = state.isDown ? "descending" : "ascending";
    for (const heading of byId("columns").children) {
      heading.setAttribute("aria-sort", heading.dataset.column === state.column ? direction : "none");
    }
  };

  /** @param {ListName} column */
  const sortBy = (column) => {
    state.isDown = state.column === column && !state.isDown;
    state.column = column;
    showHeadings();
    find();
  };

  /** @param {keyof Only} name @param {ColumnOfList[]} columns */
  const fillSelect = (name, columns) => {
    const select = byId(`only-${name}`);
    const before = select.value;
    const choices = state.table.choices(...columns);
    const options = choices.map(([text, count]) => new Option(`${text || "not stated"} (${lath.grouped(count)})`, text));
    select.replaceChildren(new Option(SELECTS[name], ""), ...options.filter((option) => option.value !== ""));
    if (choices.some(([text]) => text === before)) select.value = before;
    select.closest("label").hidden = choices.length < 2;
  };

  const show = () => {
    byId("games-body").hidden = false;
    byId("replayed").hidden = games.replayed === games.count;
    byId("replayed").textContent = lath.replayedTold(games);
    for (const name of names) fillSelect(name, name === "bot" || name === "against" ? ["first", "second"] : [name]);
    find();
  };

  // Sets the filter to these words and choices only; unknown choices are empty.
  /** @type {List["filter"]} */
  const filter = (words = "", only = {}) => {
    byId("filter").value = words;
    for (const name of names) {
      const select = byId(`only-${name}`);
      select.value = only[name] || "";
      if (select.selectedIndex < 0) select.value = "";
    }
    find();
  };

  /** @param {number} page */
  const turn = (page) => {
    state.page = page;
    showPage();
  };

  const listen = () => {
    byId("filter").addEventListener("input", find);
    for (const name of names) byId(`only-${name}`).addEventListener("change", find);
    byId("page-size").addEventListener("change", () => turn(0));
    byId("clear").addEventListener("click", () => filter());
    for (const { dataset, firstElementChild } of byId("columns").children) {
      firstElementChild.addEventListener("click", () => sortBy(/** @type {ListName} */ (dataset.column)));
    }
    byId("page-first").addEventListener("click", () => turn(0));
    byId("page-before").addEventListener("click", () => turn(state.page - 1));
    byId("page-after").addEventListener("click", () => turn(state.page + 1));
    byId("page-last").addEventListener("click", () => turn(pages() - 1));
  };

  // The state that must survive a reload, as plain values.
  const kept = () => ({ ...wanted(), size: byId("page-size").value, page: state.page, column: state.column, isDown: state.isDown });

  /** @type {List["restore"]} */
  const restore = (was) => {
    byId("page-size").value = was.size;
    if (lath.LIST.includes(was.column)) Object.assign(state, { column: was.column, isDown: was.isDown === true });
    showHeadings();
    filter(was.words, was.only);
    turn(Number(was.page) || 0);
  };

  /** @type {List} */
  const api = { games, state, show, listen, markRow, isFiltered, filter, kept, restore };
  return api;
};
