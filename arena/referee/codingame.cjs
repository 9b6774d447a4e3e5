// What CodinGame's JavaScript has and Node.js does not: readline, print, printErr and putstr.
// Node.js reads this before the program of a bot. Input is taken byte by byte, so that all that
// follows a line is left to whoever else reads it: process.stdin, or the module `readline`.
"use strict";

const fs = require("fs");

const LINE_END = 10, RETURN = 13, END = -1;
const SHORTEST_MS = 1, LONGEST_MS = 20;
const byte = Buffer.alloc(1);
const nobody = new Int32Array(new SharedArrayBuffer(4));
let input = 0;
let isOpenedAgain = false;
let pauseMs = SHORTEST_MS;

// Once something has touched process.stdin, reading it returns at once, also where nothing is there
// yet. The same pipe, opened again, waits; where it cannot be opened it is asked again and again,
// less and less often: a bot must not compute while the opponent does.
function waitForInput() {
    if (!isOpenedAgain) {
        isOpenedAgain = true;
        try {
            input = fs.openSync("/dev/stdin", "r");
            return;
        } catch (error) {
            // not in every sandbox, and not if it is a socket
        }
    }
    Atomics.wait(nobody, 0, 0, pauseMs);
    pauseMs = Math.min(LONGEST_MS, 1.1 * pauseMs);
}

function nextByte() {
    for (;;) {
        try {
            return fs.readSync(input, byte, 0, 1, null) === 0 ? END : byte[0];
        } catch (error) {
            if (error.code !== "EAGAIN") throw error;
            waitForInput();
        }
    }
}

// The next line without its end; null where there is none.
global.readline = () => {
    const line = [];
    pauseMs = SHORTEST_MS;
    for (let next = nextByte(); next !== LINE_END; next = nextByte()) {
        if (next === END && line.length === 0) return null;
        if (next === END) break;
        line.push(next);
    }
    if (line[line.length - 1] === RETURN) line.pop();
    return Buffer.from(line).toString();
};

global.print = console.log;
global.printErr = console.error;
global.putstr = (text) => { process.stdout.write(String(text)); };
