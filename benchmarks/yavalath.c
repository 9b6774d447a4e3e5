/* The searches of lath.bots for Yavalath alone, in plain C: what a compiled form can reach at most.
 *
 * Prints nodes/s of alpha-beta, and uniform and careful playouts/s, after the moves e5 and c3.
 * Same candidates, judgement, table, order of moves and random games. After:
 *     cc -O2 -o yavalath yavalath.c -lm && ./yavalath NODES PLAYOUTS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 61, MOST = 320, OPEN = -1, DRAW = 2, WON = 1000000, PROVEN = 990000 };
enum { ROWS = 1 << 20, EXACT = 0, AT_LEAST = 1, AT_MOST = 2, GUESSED = 4 };

typedef struct { int cells[4], length; } Line;
static Line lines[MOST];
static int line_count, winning; /* of which the first so many win, the others lose */
static int through[CELLS][40], through_count[CELLS];
static uint64_t keys[2][CELLS];

static struct {
    int own[CELLS]; /* whose stone, 0 nobody's */
    int stones[2], to_move, winner, plies, past[CELLS + 1];
    int lacks[2][MOST], where[2][MOST]; /* stones that a line lacks, and the sum of their cells */
    int closing[2][2][CELLS];           /* lines that lack but a stone here: that win, that lose */
    uint64_t key;
} board = {.winner = OPEN};
#define own board.own
#define stones board.stones
#define to_move board.to_move
#define winner board.winner
#define plies board.plies
#define past board.past
#define lacks board.lacks
#define where board.where
#define closing board.closing
static uint64_t seed = 88172645463325252u;

typedef struct { uint64_t key; int depth, kind, score, best; } Row;
static Row *table;
static int history[CELLS], guessed, ran_out;
static long nodes, most_nodes;
static int moves[CELLS * CELLS];

static uint64_t random64(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static int below(int count) { return (int)(((int64_t)(random64() >> 33) * count) >> 31); }

static int cell_at(int row, int column) { /* -1 beside the board; rows a to i have 5 to 9 to 5 cells */
    int at = 0;
    if (row < 0 || row > 8) return -1;
    for (int above = 0; above < row; above++) at += above < 5 ? 5 + above : 13 - above;
    int first = row > 4 ? row - 4 : 0, last = row > 4 ? 8 : 4 + row;
    return column < first || column > last ? -1 : at + column - first;
}

static void lay_out(void) {
    static const int steps[3][2] = {{0, 1}, {1, 0}, {1, 1}};
    for (int length = 4; length >= 3; length--) {
        for (int row = 0; row < 9; row++)
            for (int column = 0; column < 9; column++)
                for (int step = 0; step < 3; step++) {
                    Line *line = &lines[line_count];
                    int i = 0;
                    for (; i < length; i++) {
                        line->cells[i] = cell_at(row + i * steps[step][0], column + i * steps[step][1]);
                        if (line->cells[i] < 0) break;
                    }
                    line->length = length;
                    if (i < length) continue;
                    for (i = 0; i < length; i++) {
                        int cell = line->cells[i];
                        through[cell][through_count[cell]++] = line_count;
                        for (int seat = 0; seat < 2; seat++) where[seat][line_count] += cell;
                    }
                    lacks[0][line_count] = lacks[1][line_count] = length;
                    line_count++;
                }
        if (length == 4) winning = line_count;
    }
    for (int cell = 0; cell < CELLS; cell++)
        for (int seat = 0; seat < 2; seat++) keys[seat][cell] = random64();
}

static void play(int cell) {
    int mover = to_move, *lack = lacks[mover], *at = where[mover];
    int wins = closing[mover][0][cell], losses = closing[mover][1][cell];
    past[plies++] = cell;
    own[cell] = 1 + mover;
    stones[mover]++;
    board.key ^= keys[mover][cell];
    to_move = 1 - mover;
    for (int i = 0; i < through_count[cell]; i++) {
        int line = through[cell][i];
        at[line] -= cell;
        if (--lack[line] == 1) closing[mover][line >= winning][at[line]]++;
    }
    if (wins) winner = mover;
    else if (losses) winner = 1 - mover;
    else if (stones[0] + stones[1] == CELLS) winner = DRAW;
}

static void undo(void) {
    int cell = past[--plies], mover = to_move = 1 - to_move;
    int *lack = lacks[mover], *at = where[mover];
    winner = OPEN;
    own[cell] = 0;
    stones[mover]--;
    board.key ^= keys[mover][cell];
    for (int i = 0; i < through_count[cell]; i++) {
        int line = through[cell][i];
        if (lack[line]++ == 1) closing[mover][line >= winning][at[line]]--;
        at[line] += cell;
    }
}

static int legal(int *to) {
    int count = 0;
    for (int cell = 0; cell < CELLS; cell++)
        if (!own[cell]) to[count++] = cell;
    return count;
}

static int candidates(int *to) {
    int wins = 0, safe = 0, theirs_at = 0, count = 0;
    int(*mine)[CELLS] = closing[to_move], (*theirs)[CELLS] = closing[1 - to_move];
    for (int cell = 0; cell < CELLS; cell++) {
        if (own[cell]) continue;
        if (mine[0][cell]) to[wins++] = cell;
        else if (!wins) {
            theirs_at += theirs[0][cell] > 0;
            if (!mine[1][cell]) to[safe++] = cell;
        }
    }
    if (wins) return wins;
    if (!theirs_at) return safe ? safe : legal(to);
    for (int spared = 0; spared < 2 && !count; spared++)
        for (int cell = 0; cell < CELLS; cell++)
            if (!own[cell] && theirs[0][cell] && (spared || !mine[1][cell])) to[count++] = cell;
    return count;
}

static double lean(void) {
    int ahead = 0, lost = 0, *mine = lacks[to_move], *theirs = lacks[1 - to_move];
    int(*close)[CELLS] = closing[to_move], (*their_close)[CELLS] = closing[1 - to_move];
    for (int cell = 0; cell < CELLS; cell++)
        if (!own[cell])
            lost += (their_close[1][cell] && !their_close[0][cell]) - (close[1][cell] && !close[0][cell]);
    for (int line = 0; line < winning; line++) {
        int stones_ = 4 - mine[line], others = 4 - theirs[line];
        if (!others) ahead += stones_ * stones_;
        else if (!stones_) ahead -= others * others;
    }
    double guess = (ahead + 4 * lost) / 100.0;
    return guess > 0.99 ? 0.99 : guess < -0.99 ? -0.99 : guess;
}

static int after(int code, int depth, int alpha, int beta, int *to) {
    int me = to_move, score = 2 * WON, best = -1;
    alpha += alpha >= PROVEN, beta += beta >= PROVEN;
    play(code);
    if (winner != OPEN) {
        score = winner == DRAW ? 0 : winner == me ? WON - 1 : 1 - WON;
        undo();
        return score;
    }
    int swapped = -beta;
    beta = -alpha, alpha = swapped, depth--;
    if (nodes == most_nodes) {
        ran_out = 1;
        undo();
        return 0;
    }
    nodes++;
    Row *row = &table[board.key & (ROWS - 1)];
    if (row->kind && row->key == board.key) {
        int kind = row->kind - 1, known = row->score, bound = kind & 3;
        best = row->best;
        if ((row->depth >= depth || abs(known) >= PROVEN || kind < GUESSED) &&
            (bound == EXACT || (bound == AT_LEAST && known >= beta) || (bound == AT_MOST && known <= alpha)))
            guessed |= kind >= GUESSED, score = known;
    }
    if (score == 2 * WON) {
        int many = candidates(to);
        if (depth <= 0 && many > 1) {
            guessed = 1;
            score = (int)(lean() * (PROVEN - 1));
        } else {
            for (int i = 1; i < many; i++) { /* by history, the order being kept */
                int one = to[i], at = i;
                for (; at && history[to[at - 1]] < history[one]; at--) to[at] = to[at - 1];
                to[at] = one;
            }
            for (int i = 0; i < many; i++)
                if (to[i] == best) {
                    memmove(to + 1, to, i * sizeof *to);
                    to[0] = best;
                    break;
                }
            int before = guessed, low = alpha;
            guessed = 0, score = -2 * WON;
            for (int i = 0; i < many; i++) {
                int one = to[i], value = after(one, depth, low, beta, to + many);
                if (ran_out) {
                    undo();
                    return 0;
                }
                if (value <= score) continue;
                score = value, best = one;
                if (value > low) low = value;
                if (score >= beta) {
                    history[one] += depth * depth;
                    break;
                }
            }
            int kind = score >= beta ? AT_LEAST : score <= alpha ? AT_MOST : EXACT;
            *row = (Row){board.key, depth, 1 + kind + GUESSED * guessed, score, best};
            guessed |= before;
        }
    }
    undo();
    score = -score;
    return score >= PROVEN ? score - 1 : score <= -PROVEN ? score + 1 : score;
}

static void search(void) {
    int first[CELLS], many = candidates(first);
    for (int depth = 1; !ran_out; depth++) {
        int alpha = -2 * WON;
        for (int i = 0; i < many && !ran_out; i++) {
            int code = first[i], score = after(code, depth, alpha, 2 * WON, moves);
            if (!ran_out && score > alpha) {
                alpha = score;
                memmove(first + 1, first, i * sizeof *first);
                first[0] = code;
            }
        }
    }
}

static void playout(int is_careful) {
    typeof(board) kept = board;
    for (int many = is_careful ? 0 : legal(moves); winner == OPEN && !is_careful;) {
        int pick = below(many);
        play(moves[pick]);
        moves[pick] = moves[--many];
    }
    while (winner == OPEN) play(moves[below(candidates(moves))]);
    board = kept;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "yavalath: expected NODES PLAYOUTS\n"), 2;
    long playouts = atol(argv[2]);
    most_nodes = atol(argv[1]);
    table = calloc(ROWS, sizeof *table);
    if (!table) return 1;
    lay_out();
    play(cell_at(4, 4)), play(cell_at(2, 2));
    double began = now();
    search();
    printf("%.0f", nodes / (now() - began));
    for (int is_careful = 0; is_careful < 2; is_careful++) {
        began = now();
        for (long i = 0; i < playouts; i++) playout(is_careful);
        printf(" %.0f", playouts / (now() - began));
    }
    puts("");
    return 0;
}
