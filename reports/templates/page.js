"use strict";
// Shows what the page's data says. Knows no rules: Python has worked out what each ply changes.
// Texts of records reach the page through textContent, attributes and URLSearchParams only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROWS_A_PAGE = 25;
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const number = new Map([...data.alphabet].map((letter, i) => [letter, i]));
  const numbers = (letters) => [...letters].map((letter) => number.get(letter));
  const words = (joined) => (joined === "" ? [] : joined.split(" "));

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const nameOf = (text) => {
    const made = element("bdi", "name", text);
    made.title = text;
    return made;
  };

  // Unpacking: see reports/packing.py for the lists' places.

  const unpackReplay = (packed, plies) => {
    if (typeof packed === "string") return null;
    const changes = plies === 0 ? [] : packed[2].split(" ");
    return {
      board: packed[0],
      start: numbers(data.texts[packed[1]]),
      changes: changes.map(numbers),
      movers: packed[3],
      ending: data.texts[packed[4]],
      deciding: numbers(packed[5]),
    };
  };

  const unpack = (packed, index) => ({
    number: index + 1,
    id: data.texts[packed[0]],
    players: [data.texts[packed[1]], data.texts[packed[2]]],
    round: data.texts[packed[3]],
    result: data.texts[packed[4]],
    termination: data.texts[packed[5]],
    plies: packed[6],
    title: typeof packed[12] === "string" ? data.texts[packed[0]] : data.boards[packed[12][0]].title,
    ending: typeof packed[12] === "string" ? "" : data.texts[packed[12][4]],
    problem: typeof packed[12] === "string" ? packed[12] : "",
    packed,
  });

  const games = data.games.map(unpack);
  const winnerOf = (game) => ["1-0", "0-1"].indexOf(game.result);
  const whyOf = (game) =>
    game.termination === "rules" && game.ending ? game.ending : game.termination;

  // The replay of one game.

  let shown = null;
  let cells = [];
  let boardShown = -1;

  const moverOf = (replay, ply) =>
    replay.movers === "" ? (ply - 1) % 2 : Number(replay.movers[ply - 1]);

  const svgElement = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const makeCell = (board, i, shape, svg) => {
    const at = `translate(${board.centres[2 * i]} ${board.centres[2 * i + 1]})`;
    const group = svgElement("g", { transform: at });
    const title = svgElement("title", {});
    const ground = svgElement("rect", { x: -43, y: -43, width: 86, height: 86, fill: "#000", opacity: 0 });
    const stack = svgElement("use", {});
    const ring = svgElement("use", {});
    group.append(title, ground, stack, ring);
    svg.append(group);
    return { title, stack, ring, shape, name: board.cells[i] };
  };

  const showBoard = (replay) => {
    if (boardShown === replay.board) return;
    boardShown = replay.board;
    const board = data.boards[replay.board];
    const copy = byId(`board-${replay.board}`).content.cloneNode(true);
    const svg = copy.querySelector("svg");
    cells = board.cells.map((_, i) => makeCell(board, i, svg.dataset.shape, svg));
    byId("board").replaceChildren(copy);
  };

  const showNoBoard = (problem) => {
    boardShown = -1;
    cells = [];
    byId("board").replaceChildren(element("p", "", `No replay of this game: ${problem}`));
  };

  const link = (use, id) => {
    if (id === "") use.removeAttribute("href");
    else if (use.getAttribute("href") !== id) use.setAttribute("href", id);
  };

  const showContents = (replay, ply) => {
    const board = data.boards[replay.board];
    const stacks = replay.start.slice();
    for (const change of replay.changes.slice(0, ply)) {
      for (let i = 0; i < change.length; i += 2) stacks[change[i]] = change[i + 1];
    }
    const moved = new Set((replay.changes[ply - 1] || []).filter((_, i) => i % 2 === 0));
    const deciding = new Set(ply === replay.changes.length ? replay.deciding : []);
    cells.forEach((cell, i) => {
      link(cell.stack, stacks[i] ? `#s${replay.board}-${stacks[i]}` : "");
      const ring = deciding.has(i) ? "deciding" : moved.has(i) ? "moved" : "";
      link(cell.ring, ring && `#${ring}-${cell.shape}`);
      cell.title.textContent = `${cell.name}: ${board.stacks[stacks[i]]}`;
    });
    const told = cells.filter((_, i) => stacks[i]).map((cell) => cell.title.textContent);
    byId("board").querySelector("svg > title").textContent =
      `${board.title}, ${ply === 0 ? "the start" : `after ply ${ply}`}`;
    byId("board").querySelector("svg > desc").textContent = told.join(", ") || "Empty board";
  };

  const chip = (replay, seat) => {
    const made = element("span", "chip");
    made.style.setProperty("--seat", data.boards[replay.board].seats[seat][1]);
    return made;
  };

  const showPlayers = (game, replay) => {
    const lines = game.players.map((name, seat) => {
      const line = element("div", "player");
      if (replay) line.append(chip(replay, seat));
      const colour = replay ? data.boards[replay.board].seats[seat][0] : ["first", "second"][seat];
      const score = { "1-0": "10", "0-1": "01", "1/2-1/2": "½½" }[game.result];
      line.append(nameOf(name), element("span", "rank", colour));
      line.append(element("strong", "", score ? score[seat] : ""));
      return line;
    });
    byId("players").replaceChildren(...lines);
  };

  const showMoves = (game, replay) => {
    const items = words(game.packed[7]).map((move, i) => {
      const button = element("button");
      button.type = "button";
      button.tabIndex = -1;
      button.disabled = !replay;
      button.dataset.ply = i + 1;
      button.append(element("span", "at", `${i + 1}.`));
      if (replay) button.append(chip(replay, moverOf(replay, i + 1)));
      button.append(element("bdi", "", move));
      const item = element("li");
      item.append(button);
      return item;
    });
    byId("moves").replaceChildren(...items);
  };

  // A bar a ply: up is good for first, down for second.
  const showEvals = (game, replay) => {
    const chart = byId("evals");
    const values = replay ? words(game.packed[9]) : [];
    const bars = values.map((value, i) => {
      const height = Math.min(Math.abs(value), 100) * 0.3 + 0.5;
      const up = (moverOf(replay, i + 1) === 0) === value >= 0;
      return svgElement("rect", { x: i + 0.12, y: up ? 30 - height : 30, width: 0.76, height, "data-ply": i + 1 });
    });
    chart.setAttribute("viewBox", `0 0 ${Math.max(values.length, 1)} 60`);
    chart.replaceChildren(...bars.filter((_, i) => values[i] !== ""));
    byId("chart").hidden = bars.length === 0;
  };

  const showTags = (game, replay) => {
    const pairs = [];
    const texts = game.packed[11].map((i) => data.texts[i]);
    for (let i = 0; i < texts.length; i += 2) pairs.push([texts[i], texts[i + 1]]);
    if (replay) pairs.push(["Game by", data.boards[replay.board].credit]);
    const parts = pairs.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]);
    byId("tags").replaceChildren(...parts);
    byId("more").hidden = pairs.length === 0;
  };

  const verdictOf = (game) => {
    const winner = winnerOf(game);
    const why = whyOf(game);
    const who = winner >= 0 ? ["First", "Second"][winner] + " won" : game.result === "*" ? "Not finished" : "Drawn";
    return why ? `${who}: ${why}` : who;
  };

  const toldOf = (game, replay, ply) => {
    if (ply === 0) return "Before the first move.";
    const used = words(game.packed[8])[ply - 1];
    const value = words(game.packed[9])[ply - 1];
    const parts = [`${ply}. ${words(game.packed[7])[ply - 1]}`];
    parts.push(data.boards[replay.board].seats[moverOf(replay, ply)][0]);
    if (value) parts.push(`eval ${value > 0 ? "+" : ""}${(value / 100).toFixed(2)}`);
    if (used) parts.push(`${(used / 1000).toFixed(3)} s`);
    return parts.join(" · ");
  };

  const markMove = (ply) => {
    const list = byId("moves");
    for (const old of list.querySelectorAll("[tabindex='0']")) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const button = list.querySelector(`[data-ply="${Math.max(ply, 1)}"]`);
    if (!button) return;
    for (const bar of byId("evals").children) bar.classList.toggle("current", bar.dataset.ply === String(ply));
    button.tabIndex = 0;
    if (ply > 0) button.setAttribute("aria-current", "step");
    if (list.contains(document.activeElement)) button.focus({ preventScroll: true });
    const top = button.offsetTop - list.clientHeight / 2;
    if (Math.abs(list.scrollTop - top) > list.clientHeight / 3) list.scrollTop = top;
  };

  // Not `disabled`: a button that has the focus would lose it at the end of the game.
  const dim = (ids, isDim) => ids.forEach((id) => byId(id).setAttribute("aria-disabled", isDim));

  const showPly = (ply) => {
    const { game, replay } = shown;
    shown.ply = Math.min(Math.max(ply, 0), replay ? game.plies : 0);
    byId("at").textContent = `${shown.ply} / ${game.plies}`;
    dim(["to-start", "back"], shown.ply === 0);
    dim(["to-end", "forward"], !replay || shown.ply === game.plies);
    byId("note").textContent = game.packed[10][shown.ply] || "";
    byId("told").textContent = replay ? toldOf(game, replay, shown.ply) : "";
    const mover = replay && shown.ply > 0 ? moverOf(replay, shown.ply) : -1;
    [...byId("players").children].forEach((line, seat) => line.classList.toggle("mover", seat === mover));
    if (!replay) return;
    showContents(replay, shown.ply);
    markMove(shown.ply);
  };

  const showGame = (index, ply) => {
    const game = games[index];
    if (!shown || shown.game !== game) {
      const replay = unpackReplay(game.packed[12], game.plies);
      shown = { game, replay, ply: 0 };
      if (replay) showBoard(replay);
      else showNoBoard(game.problem);
      byId("which").textContent =
        `Game ${game.number} of ${games.length} · ${game.title}${game.round && ` · round ${game.round}`}`;
      byId("verdict").textContent = verdictOf(game);
      dim(["game-before"], index === 0);
      dim(["game-after"], index === games.length - 1);
      showPlayers(game, replay);
      showMoves(game, replay);
      showEvals(game, replay);
      showTags(game, replay);
      markRow();
    }
    showPly(ply);
  };

  const remember = () => {
    try {
      history.replaceState(null, "", `#game=${shown.game.number}&ply=${shown.ply}`);
    } catch {
      // A browser that counts these calls has had too many; the page works on without the address.
    }
  };

  const go = (ply) => {
    showPly(ply);
    remember();
  };

  const goGame = (index) => {
    if (index < 0 || index >= games.length) return;
    showGame(index, 0);
    remember();
  };

  const asked = () => {
    const address = new URLSearchParams(location.hash.slice(1));
    const index = Number(address.get("game")) - 1;
    return games[index] ? { index, ply: Math.trunc(Number(address.get("ply"))) || 0 } : null;
  };

  const follow = () => {
    const wanted = asked();
    if (!wanted) return;
    showGame(wanted.index, wanted.ply);
    const current = byId("moves").querySelector("[tabindex='0']");
    (current || byId("replay")).focus({ preventScroll: true });
    byId("replay").scrollIntoView();
  };

  const STEPS = {
    ArrowLeft: () => shown.ply - 1,
    ArrowRight: () => shown.ply + 1,
    Home: () => 0,
    End: () => shown.game.plies,
  };

  const onKey = (event) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const inside = byId("replay").contains(event.target);
    // Elsewhere Home and End scroll, and the arrows belong to the filter and the wide tables.
    if (!inside && (event.target !== document.body || !event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    go(step());
  };

  // The list of games.

  const COLUMNS = [
    ["No.", "number", (game) => game.number],
    ["Game", "", (game) => game.title],
    ["Round", "number", (game) => game.round],
    ["First", "", (game) => game.players[0]],
    ["Second", "", (game) => game.players[1]],
    ["Result", "", (game) => game.result],
    ["Ending", "", whyOf],
    ["Plies", "number", (game) => game.plies],
  ];
  const list = { found: games, page: 0, column: 0, down: false };
  const collator = new Intl.Collator("en", { numeric: true });
  const haystack = new Map(
    games.map((game) => {
      const texts = [game.id, game.termination, ...COLUMNS.map(([, , value]) => value(game))];
      return [game, texts.join(" ").toLowerCase()];
    }),
  );

  const cellOf = (game, column) => {
    const [, className, value] = COLUMNS[column];
    const cell = element("td", className);
    if (column === 0) {
      const anchor = element("a", "", String(game.number));
      anchor.href = `#game=${game.number}`;
      anchor.setAttribute("aria-label", `Replay of game ${game.number}`);
      cell.append(anchor);
    } else if (column === 3 || column === 4) {
      cell.classList.toggle("winner", winnerOf(game) === column - 3);
      cell.append(nameOf(value(game)));
    } else if (column === 6) {
      cell.append(nameOf(value(game) + (game.problem && " · no replay")));
    } else {
      cell.append(element("bdi", "name", String(value(game))));
    }
    return cell;
  };

  const rowOf = (game) => {
    const row = element("tr");
    row.dataset.game = game.number;
    row.append(...COLUMNS.map((_, column) => cellOf(game, column)));
    return row;
  };

  const markRow = () => {
    for (const row of byId("rows").children) {
      if (shown && Number(row.dataset.game) === shown.game.number) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  };

  const showList = () => {
    const pages = Math.max(1, Math.ceil(list.found.length / ROWS_A_PAGE));
    list.page = Math.min(Math.max(list.page, 0), pages - 1);
    const from = list.page * ROWS_A_PAGE;
    byId("rows").replaceChildren(...list.found.slice(from, from + ROWS_A_PAGE).map(rowOf));
    byId("found").textContent = `${list.found.length} of ${games.length} games`;
    byId("page").textContent = `Page ${list.page + 1} of ${pages}`;
    byId("page-before").disabled = list.page === 0;
    byId("page-after").disabled = list.page === pages - 1;
    byId("pager").hidden = pages === 1;
    markRow();
  };

  const findGames = () => {
    const wanted = words(byId("filter").value.toLowerCase().trim());
    const value = COLUMNS[list.column][2];
    const sign = list.down ? -1 : 1;
    list.found = games
      .filter((game) => wanted.every((word) => haystack.get(game).includes(word)))
      .sort((a, b) => sign * collator.compare(value(a), value(b)) || a.number - b.number);
    list.page = 0;
    showList();
  };

  const sortBy = (column) => {
    list.down = list.column === column && !list.down;
    list.column = column;
    [...byId("columns").children].forEach((heading, i) => {
      heading.setAttribute("aria-sort", i !== column ? "none" : list.down ? "descending" : "ascending");
    });
    findGames();
  };

  const makeHeadings = () => {
    const headings = COLUMNS.map(([title, className], column) => {
      const heading = element("th", className);
      heading.scope = "col";
      const button = element("button", "", title);
      button.type = "button";
      button.addEventListener("click", () => sortBy(column));
      heading.append(button);
      return heading;
    });
    byId("columns").replaceChildren(...headings);
  };

  const turnPage = (by) => {
    list.page += by;
    showList();
  };

  const listen = () => {
    byId("to-start").addEventListener("click", () => go(0));
    byId("back").addEventListener("click", () => go(shown.ply - 1));
    byId("forward").addEventListener("click", () => go(shown.ply + 1));
    byId("to-end").addEventListener("click", () => go(shown.game.plies));
    byId("game-before").addEventListener("click", () => goGame(shown.game.number - 2));
    byId("game-after").addEventListener("click", () => goGame(shown.game.number));
    byId("evals").addEventListener("click", (event) => {
      if (event.target.dataset.ply) go(Number(event.target.dataset.ply));
    });
    byId("moves").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) go(Number(button.dataset.ply));
    });
    byId("filter").addEventListener("input", findGames);
    byId("page-before").addEventListener("click", () => turnPage(-1));
    byId("page-after").addEventListener("click", () => turnPage(1));
    document.addEventListener("keydown", onKey);
    window.addEventListener("hashchange", follow);
  };

  if (games.length === 0) return;
  byId("replay-body").hidden = false;
  byId("games-body").hidden = false;
  makeHeadings();
  showList();
  listen();
  if (asked()) follow();
  else {
    const first = games.findIndex((game) => !game.problem);
    showGame(Math.max(first, 0), games[Math.max(first, 0)].plies);
  }
})();
