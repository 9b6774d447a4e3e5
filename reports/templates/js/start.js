// Opens the page at the game in its address, or at the end of the first game.

lath.start = async () => {
  const key = `lath-games ${location.pathname}`;
  const games = await lath.openGames();
  const replay = lath.makeReplay(games, (number) => list.markRow(number));
  const list = lath.makeList(games, replay);

  // The place and ply of the game in the address; null if there is no such game.
  const asked = () => {
    const address = new URLSearchParams(location.hash.slice(1));
    document.documentElement.classList.toggle("embed", address.has("embed"));
    const place = games.gameOf(Number(address.get("embed") ?? address.get("game")));
    return place < 0 ? null : { place, ply: Math.trunc(Number(address.get("ply"))) || 0 };
  };

  // The two bots in the address whose games are listed, for one game type only with `of`; null
  // without two bots.
  const askedPair = () => {
    const address = new URLSearchParams(location.hash.slice(1));
    const [bot, against, of] = ["a", "b", "of"].map((name) => address.get(name) || "");
    const title = games.families.find(({ id }) => id === of)?.title || "";
    return address.has("games") && bot && against ? { bot, against, title } : null;
  };

  // A page that is opened is at its place at once; later, style sheets decide how it moves.
  /** @param {"games" | "replay"} id */
  const show = (id) => lath.byId(id).scrollIntoView({ behavior: lath.readyAt ? "auto" : "instant" });

  /** @param {Only} only */
  const listPair = (only) => {
    list.filter("", only);
    show("games");
    lath.byId(lath.byId("versus").hidden ? "filter" : "versus-title").focus({ preventScroll: true });
  };

  const showFirst = () => {
    /** @param {number} i */
    const isShown = (i) => games.text("problem", i) === "" && games.replayedAt(i) !== undefined;
    let place = 0;
    while (place < games.count && !isShown(place)) place += 1;
    return replay.showGame(place % games.count, Infinity);
  };

  /** @param {Place} wanted */
  const follow = async (wanted) => {
    if (!(await replay.showGame(wanted.place, wanted.ply)) || lath.isEmbedded()) return; // the other page has the focus
    const current = lath.byId("moves").querySelector("[tabindex='0']:enabled");
    (current || lath.byId("replay")).focus({ preventScroll: true });
    show("replay");
  };

  // Going back from the games of two bots restores the former place, to which the browser scrolls.
  // Going back to an address without a game restores the initial state.
  let isBack = false;
  /** @type {Only | null} */
  let wasPair = null;
  const turn = async () => {
    const [wanted, pair, was] = [asked(), askedPair(), wasPair];
    wasPair = pair;
    if (pair) listPair(pair);
    else if (was && isBack) list.filter();
    else if (wanted) await follow(wanted);
    else if (location.hash === "") await showFirst();
  };

  // A reloaded page restores its former state.
  /** @type {() => KeptReport | null} */
  const wasLeft = () => {
    try {
      const [{ type } = {}] = /** @type {Partial<PerformanceNavigationTiming>[]} */ (performance.getEntriesByType("navigation"));
      return type === "reload" ? JSON.parse(/** @type {string} */ (sessionStorage.getItem(key))) : null;
    } catch {
      return null;
    }
  };
  const leave = () => {
    try {
      const { aids, legal, hints } = replay.state;
      sessionStorage.setItem(key, JSON.stringify({ aids, legal, hints, list: list.kept() }));
    } catch {
      // Without storage, the list starts anew; the address still has the game.
    }
  };

  lath.isBusy = () => replay.state.timer !== 0;

  const was = wasLeft();
  list.listen();
  lath.listenToReplay(replay);
  lath.listenToDownloads(list);
  lath.listenToShare(replay);
  window.addEventListener("popstate", ({ state }) => (isBack = state?.isLeft === true));
  window.addEventListener("hashchange", turn);
  window.addEventListener("pagehide", leave);
  list.show();
  if (was) {
    for (const name of /** @type {const} */ (["aids", "legal", "hints"])) if (was[name] !== replay.state[name]) replay.toggle(name);
    list.restore(was.list);
  }
  const wanted = asked();
  if (wanted && was) await replay.showGame(wanted.place, wanted.ply);
  else if (wanted) await follow(wanted);
  else await showFirst();
  wasPair = askedPair();
  if (wasPair && !was) listPair(wasPair);
  lath.readyAt = performance.now();
  if (!lath.isEmbedded()) await lath.playShowpiece(games);
  lath.makeOpenings(games);
};

if (lath.data.games > 0) {
  lath.start().catch((error) => {
    lath.byId("replay-waits").textContent = `The games could not be shown: ${error.message}.`;
  });
}
