// What happens when the page opens: the game of the address, or the end of the first one.

lath.start = async () => {
  const parts = new Map();
  const key = `lath-games ${location.pathname}`;

  const openPart = (number) => {
    if (!parts.has(number)) {
      const opened = lath.openPart(number);
      // A part can be large: only the last one stays. One that did not come may be asked for again.
      parts.clear();
      parts.set(number, opened);
      opened.catch(() => parts.delete(number));
    }
    return parts.get(number);
  };

  const replay = lath.makeReplay(openPart, (number) => list.markRow(number));
  const list = lath.makeList(replay);

  // The game of the address, by its place, and the ply; null where it leads nowhere.
  const asked = async () => {
    const address = new URLSearchParams(location.hash.slice(1));
    const place = await lath.placeOf(Number(address.get("game")), openPart);
    return place ? { place, ply: Math.trunc(Number(address.get("ply"))) || 0 } : null;
  };

  const tell = (what, error) => {
    lath.byId("replay-waits").textContent = `${what} cannot be shown: ${error.message}.`;
  };

  const showFirst = async (part) => replay.showGame(part.first + firstShown(part), Infinity);

  const follow = async (wanted) => {
    if (!wanted || !(await replay.showGame(wanted.place, wanted.ply))) return;
    const current = lath.byId("moves").querySelector("[tabindex='0']:enabled");
    (current || lath.byId("replay")).focus({ preventScroll: true });
    lath.byId("replay").scrollIntoView();
  };

  // Back to the address without a game: what the page began with.
  const turn = async () => {
    const { hash } = location;
    try {
      const part = hash === "" ? await openPart(0) : null;
      const wanted = await asked();
      if (location.hash !== hash) return;
      await (part ? showFirst(part) : follow(wanted));
    } catch (error) {
      tell("The game", error);
    }
  };

  const showList = async (number) => list.showPart(await openPart(number));

  // A page that is loaded again, by its reader or by itself, comes back as it was left.
  const wasLeft = () => {
    try {
      const [{ type } = {}] = performance.getEntriesByType("navigation");
      return type === "reload" ? JSON.parse(sessionStorage.getItem(key)) : null;
    } catch {
      return null;
    }
  };
  const leave = () => {
    try {
      const { aids, legal } = replay.state;
      sessionStorage.setItem(key, JSON.stringify({ aids, legal, list: list.kept() }));
    } catch {
      // Without storage the list begins anew; the address still has the game.
    }
  };

  const firstShown = (part) => {
    for (let i = 0; i < part.games; i += 1) if (part.text("problem", i) === "") return i;
    return 0;
  };

  lath.isBusy = () => replay.state.timer !== 0;

  if (lath.data.games === 0) return;
  const was = wasLeft();
  list.makeParts(showList);
  list.listen();
  lath.listenToReplay(replay);
  lath.listenToDownloads(list);
  window.addEventListener("hashchange", turn);
  window.addEventListener("pagehide", leave);
  try {
    const wanted = await asked();
    const part = await openPart(wanted ? lath.whereIs(wanted.place).part : 0);
    list.showPart(part);
    if (was) {
      for (const name of ["aids", "legal"]) if (was[name] !== replay.state[name]) replay.toggle(name);
      list.restore(was.list);
    }
    if (wanted && was) await replay.showGame(wanted.place, wanted.ply);
    else if (wanted) await follow(wanted);
    else await showFirst(part);
    lath.byId("replay-waits").textContent = "";
  } catch (error) {
    tell("The games", error);
  }
};

lath.start();
