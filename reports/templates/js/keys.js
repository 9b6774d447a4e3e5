// Keys and buttons of the replay.

lath.listenToReplay = (replay) => {
  const { byId } = lath;
  const { state, go, goGame } = replay;
  const on = (id, kind, act) => byId(id).addEventListener(kind, act);
  const moveTo = (ply) => {
    replay.pause();
    go(ply);
  };

  on("to-start", "click", () => moveTo(0));
  on("back", "click", () => moveTo(state.ply - 1));
  on("play", "click", replay.play);
  on("forward", "click", () => moveTo(state.ply + 1));
  on("to-end", "click", () => moveTo(state.game.plies));
  on("game-before", "click", () => goGame(state.game.place - 1));
  on("game-after", "click", () => goGame(state.game.place + 1));
  on("aids", "click", () => replay.toggle("aids"));
  on("legal", "click", () => replay.toggle("legal"));
  on("copy-position", "click", replay.copyPosition);
  on("copy-link", "click", replay.copyLink);
  on("keys-open", "click", () => byId("keys").showModal());
  on("keys-close", "click", () => byId("keys").close());
  on("seek", "input", () => moveTo(Number(byId("seek").value)));
  on("evals", "click", (event) => moveTo(lath.plyAt(state.game, event)));
  on("moves", "click", (event) => {
    const button = event.target.closest("button");
    if (button) moveTo(Number(button.dataset.ply));
  });

  const STEPS = {
    ArrowLeft: () => state.ply - 1,
    ArrowRight: () => state.ply + 1,
    PageUp: () => state.ply - 10,
    PageDown: () => state.ply + 10,
    Home: () => 0,
    End: () => state.game.plies,
  };
  const ACTS = {
    " ": replay.play,
    n: () => goGame(state.game.place + 1),
    p: () => goGame(state.game.place - 1),
    "?": () => byId("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (!state.game || event.altKey || event.ctrlKey || event.metaKey || byId("keys").open) return;
    const { key, target } = event;
    const isInside = byId("replay").contains(target) && !target.matches("input:not([type='range']), textarea");
    const isFree = target === document.body && key.startsWith("Arrow");
    // Elsewhere keys scroll, or belong to fields and wide tables; on a button space presses it.
    if (!isInside && !isFree) return;
    const isMove = byId("moves").contains(target); // Enter chooses that one
    const presses = key === " " && !isMove && target.matches("button, summary, a");
    if (STEPS[key] && !event.shiftKey) moveTo(STEPS[key]());
    else if (ACTS[key] && !presses) ACTS[key]();
    else return;
    event.preventDefault();
  });
};
