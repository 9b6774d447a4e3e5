// Keys and buttons of the replay.

lath.listenToReplay = (replay) => {
  const { byId } = lath;
  const { state, go, move, goGame, goMistake } = replay;
  /** @type {<K extends keyof HTMLElementEventMap>(id: Exclude<keyof Ids, "showpiece">, kind: K, act: Hears<HTMLElementEventMap[K]>) => void} */
  const on = (id, kind, act) => /** @type {HTMLElement} */ (byId(id)).addEventListener(kind, act);
  on("to-start", "click", () => go(0));
  on("back", "click", () => move(-1));
  on("play", "click", replay.play);
  on("forward", "click", () => move(1));
  on("to-end", "click", () => go(state.game.plies));
  on("game-before", "click", () => goGame(state.game.place - 1));
  on("game-after", "click", () => goGame(state.game.place + 1));
  on("mistake", "click", goMistake);
  on("better", "click", (event) => {
    const button = event.target.closest("button");
    if (button) replay.goBetter(Number(button.dataset.at));
  });
  on("aids", "click", () => replay.toggle("aids"));
  on("legal", "click", () => replay.toggle("legal"));
  on("hints", "click", () => replay.toggle("hints"));
  on("copy-position", "click", replay.copyPosition);
  on("copy-link", "click", replay.copyLink);
  on("keys-open", "click", () => byId("keys").showModal());
  on("keys-close", "click", () => byId("keys").close());
  on("seek", "input", () => go(Number(byId("seek").value)));
  on("evals", "click", (event) => go(lath.plyAt(state.game, event)));
  on("moves", "click", (event) => {
    const button = event.target.closest("button");
    if (button) go(Number(button.dataset.ply));
  });

  on("board", "pointermove", replay.lookFrom);
  on("board", "pointerleave", replay.lookAway);
  on("board", "click", replay.pin);

  /** @type {Record<string, Point | null>} */
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Escape: null };
  /** @type {Record<string, () => number>} */
  const STEPS = {
    PageUp: () => state.ply - 10,
    PageDown: () => state.ply + 10,
    Home: () => 0,
    End: () => state.game.plies,
  };
  /** @type {Record<string, () => void>} */
  const ACTS = {
    m: goMistake,
    b: () => replay.goBetter(state.better > 0 ? 0 : 1),
    " ": replay.play,
    n: () => goGame(state.game.place + 1),
    p: () => goGame(state.game.place - 1),
    "?": () => byId("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (!state.game || event.altKey || event.ctrlKey || event.metaKey || byId("keys").open || byId("share").open) return;
    const { key, target } = event;
    const isInside = byId("replay").contains(target) && !target.matches("input:not([type='range']), textarea");
    const isFree = target === document.body && key.startsWith("Arrow");
    // Outside the replay, keys scroll or belong to fields and wide tables; on a button, the space
    // key presses it.
    if (!isInside && !isFree) return;
    const isMove = byId("moves").contains(target); // Enter selects the focused move
    const presses = key === " " && !isMove && target.matches("button, summary, a");
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const looks = state.legal && isInside && (key === "Escape" ? state.looked >= 0 : event.shiftKey && key in WAYS);
    if (looks) replay.lookNext(WAYS[key]);
    else if (by && !event.shiftKey) move(by);
    else if (STEPS[key] && !event.shiftKey) go(STEPS[key]());
    else if (ACTS[key] && !presses) ACTS[key]();
    else return;
    event.preventDefault();
  });
};
