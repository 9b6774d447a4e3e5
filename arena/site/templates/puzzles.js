// Puzzles: a position in which one move alone is right, and the line that shows it.

/* global lath */
import { ROOT, ask, showCard, showLine, trying } from "./common.js";
import { lookAt, makeTable } from "./table.js";

const { byId } = lath;
const said = byId("said");
const SOLVED = "lath-solved";

/** @type {PuzzleJson[]} */
let all = [];
let place = 0;
let shown = 0; // moves of the line that are on the board
let isOver = true;
let looks = 0; // of the positions that are asked for the last one counts
let choices = 0; // and of the games
const spoiled = new Set(); // what was tried or shown before

const game = () => byId("game").value;
/** @type {() => Record<string, number[]>} */
const solved = () => JSON.parse(localStorage.getItem(SOLVED) || "{}");
const puzzle = () => all[place];
const named = () => `${game()} ${puzzle().number}`;
const start = () => ({ game: game(), setup: "", position: puzzle().position });

const showScore = () => {
  const mine = (solved()[game()] || []).filter((number) => all.some((one) => one.number === number));
  byId("score").textContent = `${place + 1} of ${lath.counted(all.length, "puzzle")} · ${mine.length} solved at the first attempt`;
  lath.dim("before", place === 0);
  lath.dim("after", place >= all.length - 1);
};

/** @param {number} count */
const show = async (count) => {
  shown = count;
  table.hold();
  const number = looks += 1;
  const seen = await lookAt(start(), puzzle().line.slice(0, count));
  if (looks === number) table.show(seen, !isOver);
};

/** @param {string} words */
const reveal = async (words) => {
  const { line } = puzzle();
  isOver = true;
  spoiled.add(named());
  byId("told").textContent = words;
  showLine(byId("line"), line, 1, (count) => trying(said, () => show(count)));
  lath.dim("answer", true);
  showScore();
  await show(1);
};

/** @param {number} next */
const open = (next) => trying(said, async () => {
  if (next < 0 || next >= all.length) return;
  [place, shown, isOver] = [next, 0, false];
  const { question, grade, position } = puzzle();
  byId("question").textContent = `${question[0].toUpperCase()}${question.slice(1)}`;
  byId("told").textContent = `Difficulty ${grade} of 5. Find the only move.`;
  byId("line").replaceChildren();
  byId("further").href = `${ROOT}/analyse?${new URLSearchParams({ game: game(), position })}`;
  lath.dim("answer", false);
  showScore();
  await show(0);
});

const table = makeTable((text) => trying(said, async () => {
  const { line, words } = puzzle();
  const isFirst = !spoiled.has(named());
  spoiled.add(named());
  if (text === line[0]) {
    if (isFirst) {
      const kept = solved();
      kept[game()] = [...new Set([...(kept[game()] || []), puzzle().number])];
      localStorage.setItem(SOLVED, JSON.stringify(kept));
    }
    await reveal(`Correct: ${text} ${words}.`);
    return;
  }
  byId("told").textContent = `${text} is not the solution. Try again.`;
  await show(shown);
}));

// Lets one of the grades be chosen that there are, and returns which is.
/** @param {PuzzleJson[]} found */
const offerGrades = (found) => {
  const place = byId("grade");
  const before = place.value;
  const grades = [...new Set(found.map(({ grade }) => grade))].sort();
  /** @param {number} grade */
  const counted = (grade) => `${grade} (${found.filter((one) => one.grade === grade).length})`;
  place.replaceChildren(new Option("any", ""), ...grades.map((grade) => new Option(counted(grade), String(grade))));
  place.value = grades.map(String).includes(before) ? before : "";
  return place.value;
};

const choose = () => trying(said, async () => {
  const number = choices += 1;
  looks += 1;
  table.hold();
  [all, isOver] = [[], true];
  /** @type {PuzzleJson[]} */
  const found = await ask(`/api/puzzles/${game()}`);
  const board = await table.setGame(game());
  if (choices !== number) return;
  const grade = offerGrades(found);
  all = found.filter((one) => grade === "" || String(one.grade) === grade);
  byId("desk").hidden = false;
  showCard(board);
  const mine = solved()[game()] || [];
  await open(Math.max(0, all.findIndex(({ number }) => !mine.includes(number))));
});

byId("setup").addEventListener("change", choose);
byId("before").addEventListener("click", () => open(place - 1));
byId("after").addEventListener("click", () => open(place + 1));
byId("answer").addEventListener("click", () => !isOver && trying(said, () => reveal(`${puzzle().line[0]} ${puzzle().words}.`)));
const asks = new URLSearchParams(location.search);
if (asks.has("game")) byId("game").value = /** @type {string} */ (asks.get("game"));
choose();
