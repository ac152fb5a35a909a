#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// One process after the other is made of this one, which has been through a world already, so that everything is loaded
// and looked up. It is the same for all of them: nothing is allocated here between two.

#define WORDS 32

static char line[4096];
static char *words[WORDS + 1];
static int count;

int simulation_word_count(void) { return count; }
const char *simulation_word(int index) { return index < count ? words[index] : ""; }

static bool read_line(void) {
    size_t length = 0;
    while (length < sizeof line - 1) {
        ssize_t done = read(STDIN_FILENO, line + length, 1);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        if (line[length] == '\n') break;
        length++;
    }
    line[length] = 0;
    return true;
}

/// Returns: in the new process.
static int run(void) {
    // The threads of the world before wait for good and hold nothing; libraries need not be told that they are gone.
    pid_t child = _Fork();
    if (child == 0) return 0;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? 256 + WEXITSTATUS(status) : 256 + 128 + WTERMSIG(status);
}

void simulation_each_world(int argument_count, char **arguments) {
    if (argument_count != 2 || strcmp(arguments[1], "-")) {
        count = argument_count - 1 < WORDS ? argument_count - 1 : WORDS;
        for (int i = 0; i < count; i++) words[i] = arguments[i + 1];
        int status = run();
        if (status) _exit(status - 256);
        return;
    }
    while (read_line()) {
        count = 0;
        for (char *word = strtok(line, " "); word && count < WORDS; word = strtok(NULL, " ")) words[count++] = word;
        int status = run();
        if (!status) return;
        char end[64];
        int length = snprintf(end, sizeof end, "ended %d\n", status - 256);
        if (write(STDOUT_FILENO, end, (size_t)length) != length) break;
    }
    _exit(0);
}
