// Puzzles: a position in which one move alone is right, and the line that shows it. The address
// `/puzzles?game=ID&puzzle=KEY` opens a puzzle, with `&grade=N` among those of one difficulty.

/* global lath */
import { ROOT, ask, showCard, showLine, trying } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId } = lath;
const said = byId("said");
const SOLVED = "lath-solved";
const TRIED = "lath-tried"; // what was tried or shown before
const FOUND = "lath-found"; // what was solved at any attempt
const CHOSEN = "lath-puzzles"; // the game and the difficulty
const NTH = ["first", "second", "third", "fourth"];
const STEP_MS = 900;

let all = /** @type {PuzzleJson[]} */ ([]);
let place = 0;
let shown = /** @type {string[]} */ ([]); // the moves on the board
let isOver = true;
let wrong = 0; // tries of the puzzle that is shown
let looks = 0; // of the positions that are asked for the last one counts
let choices = 0; // and of the games

const game = () => byId("game").value;
const puzzle = () => all[place];
const start = () => ({ game: game(), setup: "", position: puzzle().position });

/** @param {string} name @returns {Record<string, (string | number)[]>} */
const notes = (name) => JSON.parse(localStorage.getItem(name) || "{}");
/** @param {string} name @param {PuzzleJson} one */
const isNoted = (name, { key, number }) => (notes(name)[game()] || []).some((noted) => noted === key || noted === number); // earlier sites kept numbers
/** @param {string} name */
const note = (name) => localStorage.setItem(name, JSON.stringify({ ...notes(name), [game()]: [...new Set([...(notes(name)[game()] || []), puzzle().key])] }));
/** @param {PuzzleJson} one */
const isSolved = (one) => isNoted(FOUND, one) || isNoted(SOLVED, one);

const showScore = () => {
  const mine = all.filter(isSolved).length;
  byId("score").textContent = `${mine} of ${all.length} solved, ${all.filter((one) => isNoted(SOLVED, one)).length} at the first attempt`;
  byId("progress").value = all.length ? mine / all.length : 0;
  lath.dim("before", place === 0);
  lath.dim("after", place >= all.length - 1);
};

/** @param {string[]} moves */
const show = async (moves) => {
  shown = moves;
  table.hold();
  const number = looks += 1;
  const seen = await lookAt(start(), moves);
  if (looks !== number) return null;
  table.show(seen, !isOver && moves.length === 0);
  [...byId("line").children].forEach((one, i) => one.setAttribute("aria-current", String(i + 1 === moves.length)));
  return seen;
};

// Shows a line with a button for each move, and plays its first moves, one after the other. Returns
// the position after them, unless another one is shown by then.
/** @param {string[]} line @param {number} count */
const playLine = async (line, count) => {
  showLine(byId("line"), line, 1, (to) => trying(said, () => show(line.slice(0, to))));
  for (let at = matchMedia("(prefers-reduced-motion: reduce)").matches ? count : 1; ; at += 1) {
    const seen = await show(line.slice(0, at));
    if (!seen || at >= count) return seen;
    const number = looks;
    await new Promise((done) => setTimeout(done, STEP_MS));
    if (looks !== number) return null;
  }
};

/** @param {string} words */
const reveal = async (words) => {
  isOver = true;
  note(TRIED);
  byId("told").textContent = words;
  byId("retry").hidden = true;
  byId("after").classList.add("main");
  lath.dim("answer", true);
  showScore();
  const { line } = puzzle();
  const end = await playLine(line, line.length);
  if (end?.is_over) byId("told").textContent = `${words} The line ends with ${line.at(-1)}: ${end.told}.`;
};

// Takes a wrong move back.
const retry = () => trying(said, async () => {
  if (!await show([])) return;
  byId("retry").hidden = true;
  byId("line").replaceChildren();
  byId("told").textContent = byId("told").dataset.task || "";
  if (wrong > 0 && document.activeElement === document.body) byId("board").focus({ preventScroll: true });
});

/** @param {number} next @param {boolean} isNew */
const open = (next, isNew = true) => trying(said, async () => {
  if (next < 0 || next >= all.length) return;
  [place, isOver, wrong] = [next, false, 0];
  const { question, grade, position, number, key } = puzzle();
  const address = `?${new URLSearchParams({ game: game(), puzzle: key, grade: byId("grade").value })}`.replace(/&grade=$/u, "");
  if (location.search !== address) history[isNew ? "pushState" : "replaceState"](null, "", address);
  document.title = `Puzzle ${number} of ${byId("game").selectedOptions[0].text} - Lath Arena`;
  byId("question").textContent = `${question[0].toUpperCase()}${question.slice(1)}`;
  byId("told").dataset.task = `Puzzle ${place + 1} of ${all.length}, difficulty ${grade} of 5. Find the only move.`;
  byId("further").href = `${ROOT}/analyse?${new URLSearchParams({ game: game(), position })}`;
  byId("after").classList.remove("main");
  lath.dim("answer", false);
  showScore();
  await retry();
});

const table = makeTable((text) => trying(said, async () => {
  const { line, words, key } = puzzle();
  const isRight = text === line[0];
  if (isRight) {
    const isNth = NTH[wrong] && (wrong > 0 || !isNoted(TRIED, puzzle()));
    if (!isNoted(TRIED, puzzle())) note(SOLVED);
    note(FOUND);
    byId("question").textContent = isNth ? `Solved at the ${NTH[wrong]} attempt` : "Solved";
    return reveal(`Correct: ${text} ${words}.`);
  }
  note(TRIED);
  wrong += 1;
  const isNot = `${text} is not the solution.`;
  byId("told").textContent = `${isNot} Searching for the best answer.`;
  byId("retry").hidden = false;
  /** @type {[PositionJson | null, RefutationJson]} */
  const [seen, refutation] = await Promise.all([show([text]), ask("/api/refute", { game: game(), puzzle: key, move: text })]).catch((error) => {
    if (shown[0] === text) byId("told").textContent = isNot;
    throw error;
  });
  if (!seen || shown[0] !== text) return undefined; // taken back since
  byId("told").textContent = `${isNot} ${refutation.words}`;
  return playLine(refutation.line, Math.min(2, refutation.line.length));
}));

// Lets one of the grades be chosen that there are, and returns which is.
/** @param {PuzzleJson[]} found @param {string} wanted */
const offerGrades = (found, wanted) => {
  const select = byId("grade");
  const grades = [...new Set(found.map(({ grade }) => grade))].sort();
  select.replaceChildren(new Option("any", ""), ...grades.map((grade) => new Option(`${grade} (${found.filter((one) => one.grade === grade).length})`, String(grade))));
  select.value = grades.map(String).includes(wanted) ? wanted : "";
  return select.value;
};

/** @param {{ puzzle?: string | null, grade?: string | null }} from @param {boolean} isNew */
const choose = ({ puzzle: key = null, grade: wanted = byId("grade").value }, isNew) => trying(said, async () => {
  const number = choices += 1;
  looks += 1;
  table.hold();
  [all, isOver] = [[], true];
  /** @type {PuzzleJson[]} */
  const found = await ask(`/api/puzzles/${game()}`);
  const board = await table.setGame(game());
  if (choices !== number) return;
  const grade = offerGrades(found, wanted || "");
  localStorage.setItem(CHOSEN, JSON.stringify({ game: game(), grade }));
  all = found.filter((one) => grade === "" || String(one.grade) === grade);
  byId("desk").hidden = false;
  showCard(board);
  const asked = all.findIndex((one) => one.key === key);
  await open(asked >= 0 ? asked : Math.max(0, all.findIndex((one) => !isSolved(one))), isNew);
  if (key && asked < 0) said.textContent = "That puzzle does not exist here. This is the next one.";
});

// Opens the puzzle in the address; a plain address is that of the first unsolved one.
const begin = () => {
  const asks = new URLSearchParams(location.search);
  const before = JSON.parse(localStorage.getItem(CHOSEN) || "{}");
  const chosen = asks.get("game") || before.game;
  if (chosen) byId("game").value = chosen;
  if (!byId("game").value) byId("game").selectedIndex = 0;
  return choose({ puzzle: asks.get("puzzle"), grade: asks.get("grade") ?? (asks.has("game") ? "" : before.grade) }, false);
};

byId("setup").addEventListener("change", () => choose({}, true));
byId("before").addEventListener("click", () => open(place - 1));
byId("after").addEventListener("click", () => open(place + 1));
byId("retry").addEventListener("click", retry);
/** @param {Event & { key?: string }} event */
const takeBack = ({ key = "Enter" }) => !byId("retry").hidden && ["Enter", " ", "Escape"].includes(key) && retry();
for (const kind of ["click", "keydown"]) byId("board").addEventListener(kind, takeBack, true); // before the table, which plays moves
byId("answer").addEventListener("click", () => !isOver && trying(said, () => reveal(`${puzzle().line[0]} ${puzzle().words}.`)));
addEventListener("popstate", begin);
begin();
