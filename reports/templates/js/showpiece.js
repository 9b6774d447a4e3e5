// The game of the first screen plays in a loop while it is visible; a click opens its replay. With
// reduced motion, it shows the end and can be started.

lath.playShowpiece = async (games) => {
  const { byId } = lath;
  const figure = byId("showpiece");
  if (!figure) return;
  const game = await lath.openGame(games, games.gameOf(Number(figure.dataset.number)));
  if (!game.board) return;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const step_ms = isCalm ? 2500 : Math.min(Math.max(16000 / game.plies, 400), 1000); // a game takes about 16 s
  const linger_ms = 5000; // the duration of the final position
  const view = lath.boardOf(game.board);
  const state = { ply: isCalm ? game.plies : 0, isOn: !isCalm, isSeen: false, timer: 0 };

  lath.showpiece = state;

  const show = () => {
    const isLast = state.ply === game.plies;
    const deciding = isLast ? game.deciding : [];
    view.show({ stacks: game.stacks[state.ply], extras: game.extrasAt(state.ply), moved: lath.movedAt(game, state.ply), deciding, isLoss: game.isLoss, title: `${game.title}, ply ${state.ply}` });
    byId("showpiece-at").textContent = `${state.ply} / ${game.plies}`;
    figure.classList.toggle("at-end", isLast);
  };

  const wait = () => {
    clearTimeout(state.timer);
    state.timer = 0;
    if (!state.isOn || !state.isSeen || document.hidden) return;
    state.timer = setTimeout(() => {
      state.ply = state.ply < game.plies ? state.ply + 1 : 0;
      show();
      wait();
    }, state.ply === game.plies ? linger_ms : step_ms);
  };

  const tellButton = () => {
    const button = byId("showpiece-play");
    button.hidden = false;
    button.textContent = state.isOn ? "❚❚" : "▶";
    button.setAttribute("aria-label", state.isOn ? "Pause the game" : "Play the game");
  };

  byId("showpiece-play").addEventListener("click", () => {
    state.isOn = !state.isOn;
    if (state.isOn && state.ply === game.plies) state.ply = 0;
    tellButton();
    show();
    wait();
  });
  document.addEventListener("visibilitychange", wait);
  byId("showpiece-board").addEventListener("click", () => lath.goTo(`game=${game.number}&ply=${state.ply}`));
  new IntersectionObserver((entries) => {
    state.isSeen = entries[entries.length - 1].isIntersecting;
    wait();
  }, { threshold: 0.3 }).observe(byId("showpiece-board"));
  figure.querySelectorAll(".seats p").forEach((line, seat) => {
    const [word, colour] = game.board.seats[seat];
    line.querySelector(".chip").style.setProperty("--seat", colour);
    line.querySelector("small").textContent = word;
  });
  byId("showpiece-told").replaceChildren(...lath.verdictOf(game), ".");
  byId("showpiece-board").replaceChildren(view.element);
  tellButton();
  show();
};
