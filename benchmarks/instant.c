/* A bot that answers at once: it plays one fixed game, ply by ply, and knows no rules. It speaks the
 * arena's protocol, then Yavalath, and UCI, then chess, so that one program is the bot behind every
 * runner that is compared. For measuring runners, not for playing. Build: cc -O2 -o instant instant.c
 *
 * With an argument such as `5ms` it is busy for that long before each answer. When it ends, it adds
 * to the file that LATH_BOT_LOG names a line: answers, its CPU time, and on the monotonic clock when
 * it read its first `go` and when it had its last answer ready; with the argument also the time
 * from `go` to each answer. All times are nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { YAVALATH = 61, CHESS = 202, MAX_TIMES = 1 << 16 };

static const char yavalath[YAVALATH][3] = {
    "h6", "a3", "d8", "c5", "i1", "g1", "d6", "c2", "h1", "a1", "b1", "e3", "a2", "f1", "h5", "i2",
    "f2", "d2", "c1", "h4", "b4", "g5", "e1", "c6", "f6", "d1", "i3", "f5", "e5", "d7", "d3", "g6",
    "f3", "b6", "e2", "b3", "c4", "g2", "b5", "a4", "c3", "d4", "g4", "f4", "g3", "h3", "e8", "f7",
    "b2", "i4", "a5", "e7", "c7", "e9", "g7", "i5", "d5", "f8", "e4", "e6", "h2",
};

/* Random moves that end in mate, with no draw to claim before it. */
static const char chess[CHESS][5] = {
    "b2b3", "c7c6", "c2c4", "d8b6", "d2d4", "d7d5", "h2h3", "c8d7", "e1d2", "g7g5", "d1c2", "b8a6",
    "b3b4", "f7f5", "c2c3", "f5f4", "c1a3", "d7c8", "c4c5", "a6b8", "c3c1", "e8f7", "e2e4", "d5e4",
    "d2e2", "b6a6", "e2e1", "c8h3", "g2g3", "b7b6", "g1e2", "a6c4", "e2g1", "b6c5", "h1h2", "f7e8",
    "c1d1", "h3f5", "d1c2", "h7h6", "c2b3", "f5g6", "b3d3", "g6h7", "d3e3", "c4e6", "b4b5", "e6f6",
    "h2h1", "h7f5", "b1d2", "f4e3", "a3b2", "h8h7", "g1e2", "f6e5", "h1g1", "e3d2", "e1d1", "c5c4",
    "a2a3", "e4e3", "a1c1", "f5c2", "c1c2", "b8d7", "b2c3", "e5b5", "f1g2", "g5g4", "g2f1", "b5b1",
    "e2c1", "a8b8", "g1h1", "h6h5", "f1e2", "b8b4", "c3d2", "f8h6", "c2b2", "d7c5", "d4d5", "g8f6",
    "f2f3", "b4b6", "b2b3", "b1c2", "d1e1", "e7e5", "h1f1", "h7f7", "d2b4", "e8d7", "b3c3", "a7a5",
    "c3b3", "g4f3", "e2f3", "b6b7", "f3h1", "d7d6", "b3b1", "c2h2", "f1f3", "h2g1", "f3f1", "g1f2",
    "e1d1", "f7g7", "c1e2", "b7b6", "e2f4", "a5a4", "f1e1", "f2c2", "d1c2", "e3e2", "f4h5", "g7g3",
    "b1b2", "h6f8", "h5g7", "b6b7", "g7h5", "d6c7", "e1f1", "f8d6", "f1g1", "c7b6", "g1e1", "b7d7",
    "e1g1", "f6d5", "h5f4", "d7a7", "g1g3", "d6b8", "f4e6", "a7a8", "h1g2", "c4c3", "b4c5", "b6a6",
    "g3g6", "b8d6", "c2d3", "c3c2", "g6g3", "a6a5", "b2c2", "d6c7", "g3g4", "d5f4", "d3c3", "a5a6",
    "e6d4", "a6a5", "c5d6", "a8a6", "c3d2", "e5d4", "g2d5", "f4h3", "c2c4", "h3g5", "d5f7", "d4d3",
    "c4a4", "a5b5", "a4f4", "c7d6", "f4b4", "b5c5", "a3a4", "g5h3", "b4b1", "a6a5", "g4d4", "c5d4",
    "b1b8", "h3f4", "f7e6", "d4e4", "b8b1", "a5f5", "d2e1", "f4e6", "b1b2", "f5c5", "b2c2", "e4d4",
    "a4a5", "d4e3", "c2c3", "c5d5", "c3c6", "d5c5", "c6d6", "c5c2", "d6a6", "d3d2",
};

static int64_t think_ns, first_ns, last_ns, times[MAX_TIMES];
static long answers;

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How many plies were played before the position that UCI describes: those of the moves that are
 * listed after it, and where it is a FEN those that its last field and its side to move tell. */
static int plies_played(const char *position) {
    int plies = 0;
    const char *moves = strstr(position, " moves ");
    if (!strncmp(position, "fen ", 4)) {
        char side;
        int number;
        if (sscanf(position, "fen %*s %c %*s %*s %*s %d", &side, &number) == 2)
            plies = 2 * (number - 1) + (side == 'b');
    }
    if (moves)
        for (const char *at = moves + 6; *at; at++) plies += *at == ' ';
    return plies;
}

static void answer(int is_uci, int ply) {
    const int64_t began = now(CLOCK_MONOTONIC);
    if (!first_ns) first_ns = began;
    while (think_ns && now(CLOCK_MONOTONIC) - began < think_ns) {}
    if (is_uci && ply >= 1 && ply <= CHESS) printf("bestmove %s\n", chess[ply - 1]);
    if (!is_uci && ply >= 1 && ply <= YAVALATH) printf("bestmove %d %s\n", ply, yavalath[ply - 1]);
    last_ns = now(CLOCK_MONOTONIC);
    if (answers < MAX_TIMES) times[answers] = last_ns - began;
    answers++;
}

static void leave_log(void) {
    static char text[MAX_TIMES * 12];
    const char *name = getenv("LATH_BOT_LOG");
    const int file = name ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0) return;
    int size = sprintf(text, "%ld %lld %lld %lld", answers,
                       (long long)now(CLOCK_PROCESS_CPUTIME_ID), (long long)first_ns,
                       (long long)last_ns);
    for (long i = 0; think_ns && i < answers && i < MAX_TIMES; i++)
        size += sprintf(text + size, " %lld", (long long)times[i]);
    text[size++] = '\n';
    if (write(file, text, (size_t)size) != size) perror(name);
    close(file);
}

int main(int count, char **arguments) {
    static char line[65536];
    int is_uci = 0, played = 0;
    if (count > 1) think_ns = atol(arguments[1]) * 1000000LL;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go ", 3)) {
            answer(is_uci, is_uci ? played + 1 : atoi(line + 3));
        } else if (!strncmp(line, "position ", 9)) {
            played = plies_played(line + 9);
        } else if (!strncmp(line, "isready", 7)) {
            printf("readyok\n");
        } else if (!strncmp(line, "new ", 4)) {
            printf("ready %d\n", atoi(line + 4));
        } else if (!strncmp(line, "arena ", 6)) {
            printf("id name Instant\ngame yavalath\nok\n");
        } else if (!strcmp(line, "uci\n")) {
            is_uci = 1;
            printf("id name Instant\nid author Nobody\nuciok\n");
        } else if (!strncmp(line, "quit", 4)) {
            break;
        }
        fflush(stdout);
    }
    leave_log();
    return 0;
}
