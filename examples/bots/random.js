// A bot that plays any legal move, in JavaScript. It knows no rules: the arena lists the legal moves.
//
// Start it with `node random.js`; it needs Node 14 or later and nothing else.
"use strict";

const readline = require("readline");

let legal = []; // the moves of the last `legal` line
let chance = generator(0n); // begun anew by each `new`, so that a seed gives the same game again
let history = []; // history[n] is ply n of this game; a bot with rules would play these moves

function say(...lines) {
  // One write for all lines. Writes to a pipe are not held back, so there is nothing to flush.
  process.stdout.write(lines.map((line) => line + "\n").join(""));
}

// SplitMix64: a few lines, and the same numbers on every machine.
function generator(seed) {
  const mask = (1n << 64n) - 1n;
  let state = BigInt(seed) & mask;
  return (below) => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) % BigInt(below));
  };
}

// new ID GAME side S tc T seed N [setup … | position …]
function readNew(words) {
  const after = (name) => words[words.indexOf(name) + 1];
  const startAt = words.findIndex((word) => word === "setup" || word === "position");
  return {
    id: words[1],
    game: words[2],
    side: after("side"), // first or second
    seed: BigInt(after("seed")),
    start: startAt < 0 ? "" : words.slice(startAt).join(" "), // where the game begins, as text
  };
}

function answer(line) {
  const words = line.split(/\s+/).filter(Boolean); // a CR at the end is a blank too
  switch (words[0]) {
    case "arena":
      say(
        "id name Random (JavaScript)",
        "game mammalath:* mammalath-plus:* manalath:* manalath-61:* surikata:* yavalath:*",
        "want legal",
        "ok",
      );
      break;
    case "new": {
      const game = readNew(words);
      chance = generator(game.seed);
      history = [];
      legal = [];
      say(`ready ${game.id}`);
      break;
    }
    case "play": // play N MOVE: the other side's move, or one from an opening book
      history[Number(words[1])] = words[2];
      break;
    case "legal":
      legal = words.slice(1);
      break;
    case "go": {
      // The answer repeats the number of the ply, so that a late one harms nobody.
      const move = legal.length ? legal[chance(legal.length)] : "resign";
      history[Number(words[1])] = move;
      say(`bestmove ${words[1]} ${move}`);
      break;
    }
    case "ping":
      say(`pong ${words[1]}`);
      break;
    case "quit":
      process.exit(0);
    // Everything else is ignored: later versions of the protocol may say more.
  }
}

readline.createInterface({ input: process.stdin }).on("line", answer);
