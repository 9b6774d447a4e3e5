"""Bots of CodinGame and Botzone as people write them, and programs of neither contest.

Each is a text for one interpreter or compiler; `command` writes it into a folder and returns its
command. The bots do not know the rules and take the first free cell.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Program:
    """A program and the contest whose protocol it follows; empty for an unknown one."""

    contest: str
    suffix: str
    text: str

    def command(self, name: str, folder: Path) -> tuple[str, ...] | None:
        """Write and build the program; return its command, or None if the machine lacks a tool."""
        path = folder / f"{name}{self.suffix}"
        path.write_text(self.text)
        if self.suffix in (".c", ".cpp"):
            compiler = shutil.which("gcc" if self.suffix == ".c" else "g++")
            if compiler is None:
                return None
            program = folder / name
            subprocess.run([compiler, "-w", "-o", program, path], check=True)
            return (str(program),)
        if self.suffix == ".py":
            return (sys.executable, "-I", "-S", str(path))
        runner = {".js": shutil.which("node"), ".sh": "/bin/sh"}[self.suffix]
        return None if runner is None else (runner, str(path))


INTS: Final = """
import sys
me = int(input())
print("debug: I am", me, file=sys.stderr, flush=True)
while True:
    n = int(input())
    rows = [input() for _ in range(n)]
    x, y = [int(word) for word in input().split()]
    print("last", x, y, file=sys.stderr, flush=True)
    found = [(row.index("0"), y) for y, row in enumerate(rows) if "0" in row]
    print(*found[-1], "good luck")
"""

SCANF: Final = """
#include <stdio.h>
int main(void) {
    int me, n, x, y; char rows[16][16];
    scanf("%d", &me);
    fprintf(stderr, "player %d\\n", me);
    for (;;) {
        scanf("%d", &n);
        for (int i = 0; i < n; i++) scanf("%15s", rows[i]);
        scanf("%d%d", &x, &y);
        for (int i = 0, done = 0; i < n && !done; i++)
            for (int j = 0; rows[i][j] && !done; j++)
                if (rows[i][j] == '0') { printf("%d %d\\n", j, i); fflush(stdout); done = 1; }
    }
}
"""

CIN: Final = """
#include <iostream>
#include <string>
#include <vector>
int main() {
    int me; std::cin >> me; std::cin.ignore();
    while (true) {
        int n; std::cin >> n; std::cin.ignore();
        std::vector<std::string> rows(n > 0 && n < 99 ? n : 1);
        for (auto &row : rows) std::getline(std::cin, row);
        int x, y; std::cin >> x >> y; std::cin.ignore();
        bool done = false;
        for (size_t i = 0; i < rows.size() && !done; i++) {
            size_t at = rows[i].find('0');
            if (at != std::string::npos) { std::cout << at << " " << i << std::endl; done = true; }
        }
        if (!done) std::cout << "0 0" << std::endl;
    }
}
"""

READLINE: Final = """
const lines = [], waiting = [];
require('readline').createInterface({input: process.stdin}).on('line', line => {
    lines.push(line); if (waiting.length) waiting.shift()(lines.shift());
});
const next = () => lines.length ? Promise.resolve(lines.shift())
    : new Promise(resolve => waiting.push(resolve));
(async () => {
    const me = parseInt(await next());
    while (true) {
        const n = parseInt(await next()), rows = [];
        for (let i = 0; i < n; i++) rows.push(await next());
        const [x, y] = (await next()).split(' ').map(Number);
        const at = rows.findIndex(row => row.includes('0'));
        console.error('row', at);
        console.log(rows[at].indexOf('0') + ' ' + at);
    }
})();
"""

GLOBALS: Final = """
const me = parseInt(readline());
printErr('player', me);
while (true) {
    const [n] = readline().split(' ').map(Number);
    const rows = Array.from({length: n}, () => readline());
    const [x, y] = readline().split(' ').map(Number);
    const at = rows.findIndex(row => row.includes('0'));
    if (me % 2) print(rows[at].indexOf('0') + ' ' + at);
    else putstr(`${rows[at].indexOf('0')} ${at}\\n`);
}
"""

GLOBALS_IN_A_CLASS: Final = """
'use strict';
const readline_ = require('readline');
process.stdin.pause();
class Input {
    line() { return readline(); }
    number() { return parseInt(this.line()); }
    rows() { return [...Array(this.number())].map(() => this.line()); }
}
class Bot {
    constructor(input) { this.input = input; this.me = input.number(); }
    turn() {
        const rows = this.input.rows();
        console.error('last', this.input.line().split(' '));
        const at = rows.findIndex(row => row.includes('0'));
        console.log(rows[at].indexOf('0'), at, 'have fun');
    }
}
const bot = new Bot(new Input());
for (;;) bot.turn();
"""

GLOBALS_THEN_EVENTS: Final = """
const me = +readline();
let lines = [], begun = '';
process.stdin.on('data', data => {
    const [...whole] = (begun + data).split('\\n');
    begun = whole.pop();
    lines.push(...whole);
    if (lines.length < +lines[0] + 2) return;
    const rows = lines.slice(1, +lines[0] + 1);
    lines = lines.slice(+lines[0] + 2);
    const at = rows.findIndex(row => row.includes('0'));
    console.log(`${rows[at].indexOf('0')} ${at}`);
});
"""

SHELL: Final = """
read me
while read n; do
    i=0; at=-1
    while [ "$i" -lt "$n" ]; do
        read row
        case "$row" in *0*) if [ "$at" -lt 0 ]; then at=$i; before=${row%%0*}; fi;; esac
        i=$((i + 1))
    done
    read x y
    echo "${#before} $at"
done
"""

JSON: Final = """
import json, sys
CELLS = [row + str(n) for row in "abcdefghi" for n in range(1, 6)]
def answer(requests, responses):
    used = {cell for turn in requests for cell in turn["moves"]} | {*responses}
    return next(cell for cell in CELLS if cell not in used)
"""

CONTEST: Final = {
    "ints": Program("codingame", ".py", INTS),
    "prints-first": Program("codingame", ".py", f'print("Bot of Ann v3", flush=True)\n{INTS}'),
    "slow": Program("codingame", ".py", f"import time; time.sleep(0.4)\n{INTS}"),
    "scanf": Program("codingame", ".c", SCANF),
    "cin": Program("codingame", ".cpp", CIN),
    "readline": Program("codingame", ".js", READLINE),
    "globals": Program("codingame", ".js", GLOBALS),
    "globals-in-a-class": Program("codingame", ".js", GLOBALS_IN_A_CLASS),
    "globals-then-events": Program("codingame", ".js", GLOBALS_THEN_EVENTS),
    "shell": Program("codingame", ".sh", SHELL),
    "once-a-turn": Program(
        "botzone",
        ".py",
        f"{JSON}told = json.load(sys.stdin)\n"
        'print(json.dumps({"response": answer(told["requests"], told["responses"])}))\n',
    ),
    "one-line": Program(
        "botzone",
        ".py",
        f"{JSON}told = json.loads(input())\n"
        'print(json.dumps({"response": answer(told["requests"], told["responses"])}))\n',
    ),
    "keeps-running": Program(
        "botzone",
        ".py",
        f"""{JSON}
told = json.loads(input())
requests, responses = told["requests"], told["responses"]
while True:
    responses.append(answer(requests, responses))
    print(json.dumps({{"response": responses[-1]}}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    requests.append(json.loads(input()))
""",
    ),
}
"""Bots of contests, which play here with their own `protocol`."""

OTHERS: Final = {
    "crashes": Program("", ".py", "import no_such_module\n"),
    "wrong-language": Program("", ".py", "while (true) { cin >> n; }\n"),
    "slow-ours": Program(
        "",
        ".py",
        "import time; time.sleep(30)\nfor line in open(0): print('ok')\n",
    ),
    "buggy-ours": Program(
        "",
        ".py",
        "for line in open(0):\n    words = line.split()\n    print({'arena': 1}[words[2]])\n",
    ),
    "echo": Program("", ".py", "for line in open(0): print(line, end='', flush=True)\n"),
    "counts": Program("", ".py", "for line in open(0): print(len(line), 0, flush=True)\n"),
    "always-0-0": Program("", ".sh", "while true; do echo 0 0; sleep 0.01; done\n"),
    "three-numbers": Program(  # CodinGame's tic-tac-toe: row, column and a number
        "",
        ".c",
        "#include <stdio.h>\nint main(void) { int a, b, n, x, y; for (;;) {\n"
        'if (scanf("%d%d%d", &a, &b, &n) < 3) return 1;\n'
        'for (int i = 0; i < n; i++) scanf("%d%d", &x, &y);\n'
        'printf("0 0\\n"); fflush(stdout); } }\n',
    ),
    "grid-of-directions": Program(  # CodinGame's Tron
        "",
        ".py",
        "while True:\n    n, p = [int(i) for i in input().split()]\n"
        "    for i in range(n): [int(j) for j in input().split()]\n    print('LEFT')\n",
    ),
    "gomoku-of-botzone": Program(
        "",
        ".py",
        "import json\ntold = json.loads(input())\n"
        "print(json.dumps({'response': {'x': 0, 'y': told['requests'][-1].get('y', 0)}}))\n",
    ),
    "forgot-a-module": Program("", ".js", "const x = undefined_name();\nreadline();\n"),
    "silent": Program("", ".sh", "sleep 60\n"),
    "ends": Program("", ".sh", "exit 0\n"),
}
"""Programs that start without answering the handshake, and belong to no known contest."""
