/* A bot that plays Yavalath by its own rules, in C99.
 *
 * Four in line wins, three in line without four loses. So: make four where you can, else play any
 * cell that makes no three, else, when every cell loses, any cell. It does not look at what the
 * opponent threatens; that is the first thing to add.
 *
 * Build it with `cc -O2 -o NAME NAME.c`: NAME is mybot where `arena init` wrote it, and four_in_line
 * among the examples.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r" /* a CR before the line's end is a blank too */

enum { ROWS = 9, SIDE = ROWS + 2, LONGEST_LINE = 64 * 1024 };
enum { EMPTY = 0, WHITE = 1, BLACK = 2, OUTSIDE = 3 }; /* first is white, second is black */

/* The hexagon in a square of cells with a border: the row's letter, then a slanted column, so that
 * the three axes are (0, 1), (1, 0) and (1, 1). Row a is the bottom row. */
static int board[SIDE][SIDE];
static int to_move;   /* WHITE or BLACK */
static uint64_t seed; /* state of the random numbers */

static int row_length(int row) { return row <= 5 ? row + 4 : 14 - row; }

/* Where the first cell of a row lies: from the sixth row on the rows begin further right. */
static int first_column(int row) { return row <= 5 ? 1 : row - 4; }

static void clear_board(void) {
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) board[row][column] = OUTSIDE;
    for (int row = 1; row <= ROWS; row++)
        for (int k = 0; k < row_length(row); k++) board[row][first_column(row) + k] = EMPTY;
    to_move = WHITE;
}

/* Returns the cell of a text such as e5, or NULL where there is none. */
static int *cell_of(const char *text) {
    int row = text[0] - 'a' + 1;
    int k = text[0] ? text[1] - '0' : 0;
    if (row < 1 || row > ROWS || k < 1 || k > row_length(row) || text[2] != '\0') return NULL;
    return &board[row][first_column(row) + k - 1];
}

/* Returns how many stones of one colour lie in a row from a cell on, the cell itself not counted. */
static int run(int row, int column, int down, int right, int colour) {
    int length = 0;
    while (board[row + down * (length + 1)][column + right * (length + 1)] == colour) length++;
    return length;
}

/* Returns the longest line that a stone of `colour` would be part of. */
static int longest_line(int row, int column, int colour) {
    static const int axis[3][2] = {{0, 1}, {1, 0}, {1, 1}};
    int longest = 0;
    for (int i = 0; i < 3; i++) {
        int down = axis[i][0], right = axis[i][1];
        int length = 1 + run(row, column, down, right, colour) +
                     run(row, column, -down, -right, colour);
        if (length > longest) longest = length;
    }
    return longest;
}

/* Plays a move of the side to move. A swap makes the one white stone black. */
static void play(const char *move) {
    if (strcmp(move, "swap") == 0) {
        for (int row = 1; row <= ROWS; row++)
            for (int column = 1; column <= ROWS; column++)
                if (board[row][column] == WHITE) board[row][column] = BLACK;
    } else {
        int *cell = cell_of(move);
        if (cell != NULL) *cell = to_move;
    }
    to_move = WHITE + BLACK - to_move;
}

/* SplitMix64: the same seed gives the same game. */
static uint64_t next_random(void) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Writes the chosen move into `move`: a win, else a cell that makes no three, else any. */
static void choose(char move[8]) {
    static const char *const none = "resign"; /* a full board: the arena does not ask then */
    char safe[61][3], losing[61][3];
    int safe_count = 0, losing_count = 0;
    for (int row = 1; row <= ROWS; row++)
        for (int k = 0; k < row_length(row); k++) {
            int column = first_column(row) + k;
            if (board[row][column] != EMPTY) continue;
            char name[3] = {(char)('a' + row - 1), (char)('1' + k), '\0'};
            int length = longest_line(row, column, to_move);
            if (length >= 4) {
                strcpy(move, name);
                return;
            }
            strcpy(length == 3 ? losing[losing_count++] : safe[safe_count++], name);
        }
    if (safe_count > 0) {
        strcpy(move, safe[next_random() % (uint64_t)safe_count]);
    } else if (losing_count > 0) {
        strcpy(move, losing[next_random() % (uint64_t)losing_count]);
    } else {
        strcpy(move, none);
    }
}

/* Reads a position such as 5/6/7/8/4w4/8/7/6/5 b: rows from the top, numbers for empty cells. */
static void set_position(const char *rows, const char *mover) {
    int row = ROWS, column = first_column(ROWS);
    for (const char *at = rows; *at != '\0'; at++) {
        if (*at == '/') {
            row--;
            if (row < 1) return;
            column = first_column(row);
        } else if (*at >= '0' && *at <= '9') {
            column += *at - '0';
        } else if (column <= ROWS) {
            board[row][column++] = *at == 'w' ? WHITE : BLACK;
        }
    }
    to_move = *mover == 'b' ? BLACK : WHITE;
}

/* new ID GAME side S tc T seed N [position ROWS MOVER]; the words after `new ID`. */
static void begin(const char *id, char *rest) {
    clear_board();
    for (char *word = strtok(rest, BLANKS); word != NULL; word = strtok(NULL, BLANKS)) {
        if (strcmp(word, "seed") == 0) {
            word = strtok(NULL, BLANKS);
            if (word != NULL) seed = strtoull(word, NULL, 10);
        } else if (strcmp(word, "position") == 0) {
            char *rows = strtok(NULL, BLANKS), *mover = strtok(NULL, BLANKS);
            if (rows != NULL && mover != NULL) set_position(rows, mover);
        }
    }
    printf("ready %s\n", id);
}

static void answer(char *line) {
    char *word = strtok(line, BLANKS);
    if (word == NULL) return;
    char *second = strtok(NULL, BLANKS); /* the id of a game, the number of a ply */
    if (strcmp(word, "arena") == 0) {
        printf("id name Four in line (C)\ngame yavalath\nok\n");
    } else if (strcmp(word, "new") == 0 && second != NULL) {
        begin(second, strtok(NULL, ""));
    } else if (strcmp(word, "play") == 0) {
        char *move = strtok(NULL, BLANKS);
        if (move != NULL) play(move);
    } else if (strcmp(word, "go") == 0 && second != NULL) {
        char move[8];
        choose(move);
        play(move); /* what we answer counts as played, nobody tells us again */
        printf("bestmove %s %s\n", second, move);
    } else if (strcmp(word, "ping") == 0 && second != NULL) {
        printf("pong %s\n", second);
    } else if (strcmp(word, "quit") == 0) {
        exit(0);
    } /* everything else is ignored */
    fflush(stdout);
}

/* Reads a line without its end; returns 0 at the end of the input. */
static int read_line(char line[LONGEST_LINE + 1]) {
    int length = 0, letter;
    while ((letter = getchar()) != EOF && letter != '\n')
        if (length < LONGEST_LINE) line[length++] = (char)letter;
    line[length] = '\0';
    return letter != EOF || length > 0;
}

int main(void) {
    static char line[LONGEST_LINE + 1];
    while (read_line(line)) answer(line);
    return 0;
}
