// The rules in a minute: the lessons of a game type, which a board plays one after the other, once.

/* global lath */
import { boardOf } from "./common.js";
import { legalOf } from "./table.js";

const { make, buttonOf } = lath;
const STEP_MS = 1100;
const LAST_MS = 3000;

// Returns the elements to show, none without lessons, and functions that begin and stop the play.
/** @param {string} id */
export const makeLessons = async (id) => {
  const { game, element, show } = await boardOf(id);
  const { lessons } = game;
  let [lesson, step, timer] = [0, 0, 0];
  const last = () => lessons[lesson].steps.length - 1;
  const isAtEnd = () => lesson === lessons.length - 1 && step === last();

  const draw = () => {
    const { steps, legal, title, words } = lessons[lesson];
    const [now, end] = [steps[step], steps[last()]];
    const isLast = step === last();
    const hinted = end.winner !== null && step === last() - 1 ? end.moved.map((cell) => /** @type {[number, boolean]} */ ([cell, !end.is_loss])) : [];
    show({ hinted, stacks: now.stacks, extras: now.extras, moved: now.moved, deciding: now.deciding, isLoss: now.is_loss, aids: true, legal: legal && isLast ? legalOf({ legal, stacks: now.stacks }) : null, title: `${game.title}: ${title}` });
    [head.textContent, said.textContent, told.textContent, at.textContent] = [title, words, now.told, `${step} / ${last()}`];
    said.style.visibility = isLast ? "" : "hidden"; // it tells how the moves end
    [...list.children].forEach(({ firstElementChild: one }, i) => one?.setAttribute("aria-current", String(i === lesson)));
    back.setAttribute("aria-disabled", String(step + lesson === 0));
    forward.setAttribute("aria-disabled", String(isAtEnd()));
  };
  /** @param {number} by */
  const move = (by) => {
    if (by > 0 && step === last() && !isAtEnd()) [lesson, step] = [lesson + 1, 0];
    else if (by < 0 && step === 0 && lesson > 0) step = lessons[lesson -= 1].steps.length - 1;
    else step = Math.min(Math.max(step + by, 0), last());
    draw();
  };
  const wait = () => setTimeout(() => {
    move(1);
    if (isAtEnd() || document.hidden || !element.isConnected) run(false);
    else timer = wait();
  }, step === last() ? LAST_MS : STEP_MS);
  /** @param {boolean} isRunning */
  const run = (isRunning) => {
    clearTimeout(timer);
    timer = isRunning ? wait() : 0;
    play.textContent = isRunning ? "❚❚" : "▶";
    play.setAttribute("aria-pressed", String(isRunning));
    told.setAttribute("aria-live", isRunning ? "off" : "polite"); // announcing every move is too much
  };
  // With reduced motion nothing moves by itself: a lesson shows what it comes to.
  const open = (which = 0) => {
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    [lesson, step] = [which, 0];
    if (isCalm) step = last();
    draw();
    run(!isCalm);
  };

  /** @param {string} sign @param {string} label @param {() => unknown} act */
  const control = (sign, label, act) => Object.assign(buttonOf(sign, act), { ariaLabel: label });
  /** @param {number} by */
  const stepBy = (by) => () => {
    run(false);
    move(by);
  };
  const [head, said, told, at] = [make("h2"), make("p"), make("p"), make("output")];
  const [back, forward] = [control("←", "Previous step", stepBy(-1)), control("→", "Next step", stepBy(1))];
  const play = control("▶", "Play the lessons", () => (isAtEnd() ? open() : run(!timer)));
  const list = make("ol", "", null, ...lessons.map(({ title }, i) => make("li", "", null, buttonOf(title, () => open(i)))));
  const side = make("div", "", null, head, said, told, make("div", "controls", null, back, play, at, forward), list);
  const parts = lessons.length > 0 ? [make("div", "lessons", null, make("div", "", null, element), side)] : [];
  return { parts, begin: () => parts.length > 0 && open(), stop: () => run(false) };
};
