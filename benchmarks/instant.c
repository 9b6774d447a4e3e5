/* A bot that answers at once: it plays one fixed game of Yavalath, ply by ply, and knows no rules.
 * For measuring the runner, not for playing. Build: cc -O2 -o instant instant.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char game[61][3] = {
    "h6", "a3", "d8", "c5", "i1", "g1", "d6", "c2", "h1", "a1", "b1", "e3", "a2", "f1", "h5", "i2",
    "f2", "d2", "c1", "h4", "b4", "g5", "e1", "c6", "f6", "d1", "i3", "f5", "e5", "d7", "d3", "g6",
    "f3", "b6", "e2", "b3", "c4", "g2", "b5", "a4", "c3", "d4", "g4", "f4", "g3", "h3", "e8", "f7",
    "b2", "i4", "a5", "e7", "c7", "e9", "g7", "i5", "d5", "f8", "e4", "e6", "h2",
};

int main(void) {
    static char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go ", 3)) {
            int ply = atoi(line + 3);
            if (ply >= 1 && ply <= 61) printf("bestmove %d %s\n", ply, game[ply - 1]);
        } else if (!strncmp(line, "new ", 4)) {
            printf("ready %d\n", atoi(line + 4));
        } else if (!strncmp(line, "arena ", 6)) {
            printf("id name Instant\ngame yavalath\nok\n");
        } else if (!strncmp(line, "quit", 4)) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
