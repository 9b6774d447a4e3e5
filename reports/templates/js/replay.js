// The replay: one game at a time, with one ply on the board. The list, addresses and keys call
// functions such as `showGame(place, ply)`; places are from 0.

// The delay from the last step to the update of the address.
lath.REMEMBERED_MS = 100;

// Whether the page is embedded and shows the replay only.
lath.isEmbedded = () => document.documentElement.classList.contains("embed");

lath.boardOf = (board) => lath.makeBoard(board, { content: lath.parsed(board.drawn) });

lath.makeReplay = (games, onGame) => {
  const { byId, make, dim } = lath;
  /** @type {ReplayState} */
  // @ts-expect-error - before the first one is shown nothing asks for it
  const state = { game: null, ply: 0, aids: true, legal: false, hints: false, timer: 0, asked: 0, late: 0, better: 0, looked: -1, pointed: "", isPinned: false };
  /** @type {Map<BoardJson, BoardView>} */
  const views = new Map();
  /** @type {BoardView | null} */
  let view = null;

  /** @param {Replayed} game */
  const viewOf = (game) => {
    const known = views.get(game.board) || lath.boardOf(game.board);
    views.set(game.board, known);
    return known;
  };

  /** @param {Game} game */
  const showPlayers = (game) => {
    const score = /** @type {Record<string, string | undefined>} */ ({ "1-0": "10", "0-1": "01", "1/2-1/2": "½½" })[game.result];
    const lines = [game.first, game.second].map((name, seat) => {
      const line = make("div", "player");
      if (game.board) line.append(lath.chip(game.board, seat));
      const colour = game.board ? game.board.seats[seat][0] : lath.SEATS[seat];
      line.append(lath.nameOf(name), make("span", "rank", colour), make("strong", "", score ? score[seat] : ""));
      line.classList.toggle("winner", lath.winnerOf(game.result) === seat);
      return line;
    });
    byId("players").replaceChildren(...lines);
  };

  /** @param {Game} game */
  const showTags = (game) => {
    const shown = ["Game", "Round", "First", "Second", "Result"];
    const pairs = game.tags.filter(([name, value]) => !shown.includes(name) && value !== "");
    if (game.board) pairs.push(["Credit", game.board.credit], ["Rules", game.board.card.replaceAll("-", "\u2060-\u2060")]);
    const parts = pairs.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", null, make("bdi", "", value))]);
    byId("tags").replaceChildren(...parts);
    byId("more").hidden = pairs.length === 0;
  };

  /** @param {Game} game */
  const showBoard = (game) => {
    view = game.board ? viewOf(game) : null;
    const content = view ? view.element : make("p", "", `No replay of this game: ${game.problem}`);
    if (byId("board").firstChild !== content) byId("board").replaceChildren(content);
    byId("aids").hidden = !view || !view.hasAids;
    byId("legal").hidden = !game.legal;
    byId("hints").hidden = game.hints.length === 0;
    dim("copy-position", !view);
  };

  const showContents = () => {
    const { game, ply, better } = /** @type {ReplayState & { game: Replayed }} */ (state);
    const line = better > 0 ? lath.betterAt(game, ply)[better - 1] : null;
    const place = ply === 0 ? "the start" : `after ply ${ply}`;
    const legal = state.legal && !line ? lath.legalAt(game, ply) : null;
    /** @type {Map<string, boolean>} */
    const hints = state.hints && !line ? lath.hintsAt(game, ply) : new Map();
    const hinted = hints.size > 0 ? lath.effectsOf(lath.legalAt(game, ply), game.stacks[ply]).all : [];
    const shown = /** @type {BoardView} */ (view).show({
      stacks: line ? line.stacks : game.stacks[ply],
      extras: game.extrasAt(ply, better),
      moved: line ? lath.movedFrom(game, line.before, line.stacks) : lath.movedAt(game, ply),
      deciding: !line && ply === game.plies ? game.deciding : [],
      isLoss: game.isLoss,
      legal,
      looked: state.looked,
      isKept: state.isPinned,
      hinted: hinted.filter(({ text }) => hints.has(text)).flatMap(({ text, cells }) => cells.map((cell) => /** @type {[number, boolean | undefined]} */ ([cell, hints.get(text)]))),
      aids: state.aids,
      title: `${game.title}, ${line ? lath.betterTold(game, ply, better) : place}`,
    });
    const told = legal ? lath.legalTold(game, shown, state.looked, state.pointed) : "";
    byId("others").textContent = [state.hints && !line ? lath.hintsTold(hints) : "", told].filter(Boolean).join(" ");
  };

  // Sets the cell whose legal moves are shown, whether it stays when the pointer moves, and the
  // move whose line is under the pointer.
  /** @param {number} looked @param {boolean} isPinned @param {string} pointed */
  const look = (looked, isPinned = false, pointed = "") => {
    const isSame = looked === state.looked && isPinned === state.isPinned && pointed === state.pointed;
    if (!view || !state.legal || isSame) return;
    Object.assign(state, { looked, isPinned, pointed });
    showContents();
  };

  /** @type {Replay["lookFrom"]} */
  const lookFrom = (event) => {
    if (!view) return;
    if (state.isPinned) look(state.looked, true, view.moveOf(event));
    else look(view.cellOf(event));
  };

  // A click pins the cell, and another click releases it.
  /** @type {Replay["pin"]} */
  const pin = (event) => {
    const cell = view ? view.cellOf(event) : -1;
    if (cell >= 0) look(cell, !(state.isPinned && cell === state.looked));
  };

  const lookAway = () => {
    if (!state.isPinned) look(-1);
  };

  /** @type {Replay["lookNext"]} */
  const lookNext = (way) => {
    if (!view) return;
    if (way === null) look(-1);
    else if (state.looked < 0) look(Math.floor(/** @type {Replayed} */ (state.game).board.cells.length / 2), true);
    else look(view.nextTo(state.looked, way), true);
  };

  const lengthOfBetter = () => (state.game.better.get(state.ply) || []).length;

  // Shows a ply, or a number of moves of the better line in place of it.
  /** @param {number} ply @param {number} better */
  const showPly = (ply, better = 0) => {
    const { game } = state;
    const last = game.board ? game.plies : 0;
    state.ply = Math.min(Math.max(ply, 0), last);
    state.better = Math.min(Math.max(better, 0), lengthOfBetter());
    byId("at").textContent = `${state.ply} / ${game.plies}`;
    for (const id of /** @type {const} */ (["to-start", "back"])) dim(id, state.ply === 0);
    for (const id of /** @type {const} */ (["to-end", "play"])) dim(id, state.ply === last);
    dim("forward", state.better > 0 ? state.better === lengthOfBetter() : state.ply === last);
    const note = byId("note");
    note.textContent = lath.saidAt(game, state.ply);
    note.classList.toggle("trace", note.textContent.includes("\n  File "));
    const told = game.board ? lath.plyTold(game, state.ply) : "";
    byId("told").textContent = state.better > 0 ? lath.betterTold(/** @type {Replayed} */ (game), state.ply, state.better) : told;
    lath.drawBetter(game, state.ply, state.better);
    byId("seek").value = String(state.ply);
    byId("seek").setAttribute("aria-valuetext", told);
    const mover = state.ply > 0 && game.board ? game.movers[state.ply - 1] : -1;
    [...byId("players").children].forEach((line, seat) => line.classList.toggle("mover", seat === mover));
    lath.markEvals(game, state.ply);
    if (view) showContents();
    lath.markMove(state.ply); // last, because it needs sizes and so a layout, which is then computed only once
  };

  /** @param {Game} game */
  const showWhole = (game) => {
    Object.assign(state, { game, looked: -1, pointed: "", isPinned: false });
    byId("replay-body").hidden = false;
    byId("replay-waits").textContent = "";
    const round = game.round && ` · round ${game.round}`;
    const place = game.number === game.place + 1 ? ` of ${games.count}` : ` (${game.place + 1} of ${games.count})`;
    const opening = lath.openingIn(new Map(game.tags).get("Opening"));
    byId("which").textContent = `Game ${game.number}${place} · ${game.title}${round}${opening && ` · ${opening}`}`;
    byId("verdict").replaceChildren(...lath.verdictOf(game));
    byId("mistake").hidden = !game.board || lath.mistakesOf(game).length === 0;
    byId("seek").max = String(game.board ? game.plies : 0);
    dim("game-before", game.place === 0);
    dim("game-after", game.place === games.count - 1);
    showBoard(game);
    showPlayers(game);
    lath.drawMoves(game);
    lath.drawEvals(game);
    showTags(game);
    byId("whole").href = `${location.href.split("#")[0]}#game=${game.number}`;
    onGame(game.number);
  };

  const pause = () => {
    clearInterval(state.timer);
    state.timer = 0;
    byId("play").setAttribute("aria-pressed", "false");
    byId("play").textContent = "▶";
    byId("told").setAttribute("aria-live", "polite");
  };

  // Each game is opened on request; of several simultaneous requests, the last one wins.
  /** @type {Replay["showGame"]} */
  const showGame = async (place, ply) => {
    pause();
    clearTimeout(state.late);
    const asked = (state.asked += 1);
    if (place < 0 || place >= games.count) return false;
    try {
      if (!state.game || state.game.place !== place) {
        const game = await lath.openGame(games, place);
        if (asked !== state.asked) return false;
        showWhole(game);
      }
    } catch (error) {
      byId("replay-waits").textContent = `The game could not be shown: ${/** @type {Error} */ (error).message}.`;
      return false;
    }
    showPly(ply);
    return true;
  };

  const remember = () => {
    clearTimeout(state.late);
    try {
      history.replaceState(null, "", `#${lath.isEmbedded() ? "embed" : "game"}=${state.game.number}&ply=${state.ply}`);
      parent.postMessage(location.hash, "*");
    } catch {
      // A browser can limit the number of these calls; the page works without the address.
    }
  };

  // Updating the address costs more than drawing the board, so it waits until the stepping stops.
  const rememberSoon = () => {
    const { hash } = location;
    clearTimeout(state.late);
    state.late = setTimeout(() => location.hash === hash && remember(), lath.REMEMBERED_MS);
  };

  /** @param {number} ply */
  const turnTo = (ply) => {
    if (!state.game) return;
    showPly(ply);
    rememberSoon();
  };

  // A ply that the reader asks for ends the play.
  /** @type {Replay["go"]} */
  const go = (ply) => {
    pause();
    turnTo(ply);
  };

  // One move on or back, within the better line or the game. The better line follows the ply that
  // it improves.
  /** @type {Replay["move"]} */
  const move = (by) => {
    if (state.better > 0) goBetter(state.better + by);
    else go(state.ply + by);
  };

  /** @type {Replay["goBetter"]} */
  const goBetter = (better) => {
    pause();
    showPly(state.ply, better);
  };

  // After the last mistake, the first one is next.
  const goMistake = () => {
    const plies = state.game.board ? lath.mistakesOf(state.game) : [];
    if (plies.length > 0) go(plies.find((ply) => ply > state.ply) || plies[0]);
  };

  /** @type {Replay["goGame"]} */
  const goGame = async (place) => {
    if (await showGame(place, 0)) remember();
  };

  const step = () => {
    turnTo(state.ply + 1);
    if (state.ply === state.game.plies) pause();
  };

  const play = () => {
    if (state.timer) return pause();
    if (!view || state.ply === state.game.plies) return undefined;
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").textContent = "❚❚";
    byId("told").setAttribute("aria-live", "off"); // announcing every move is too much
    // With reduced motion, each position stays longer.
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    state.timer = setInterval(step, isCalm ? 2500 : 900);
    return undefined;
  };

  /** @type {Replay["toggle"]} */
  const toggle = (id) => {
    state[id] = !state[id];
    byId(id).setAttribute("aria-pressed", String(state[id]));
    if (view) showContents();
  };

  const copyLink = () => {
    remember();
    lath.copy(location.href, "Link");
  };

  const copyPosition = () => {
    if (!view) return;
    const { game, ply, better } = state;
    const line = lath.betterAt(game, ply).slice(0, better).map(({ text }) => text);
    lath.copy(lath.positionOf(game, better > 0 ? ply - 1 : ply, line), "Position");
  };

  return { state, element: () => /** @type {BoardView} */ (view).element, showGame, lookFrom, lookAway, lookNext, pin, go, move, goBetter, goMistake, goGame, pause, play, toggle, copyLink, copyPosition };
};
