#define _GNU_SOURCE
#include "internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What folders say of their files, for as long as they are not synced. A journal keeps the order of changes, so a crash
// leaves some of the first ones and undoes all that came later.

#define PATH 512

enum kind { MADE, REMOVED, RENAMED };

/// A change of a folder, and what is needed to undo it.
struct change {
    struct change *next, *previous;
    enum kind kind;
    char path[PATH], other[PATH];
    /// Another name of the file that has gone; empty where there was none.
    char kept[PATH];
};

static struct change *first, *last;
static uint64_t numbers;

/// Before a name is taken from a file: gives it another one.
void simulation_folder_keeps(const char *path, char *kept, size_t size) {
    const char *name = strrchr(path, '/');
    snprintf(kept, size, "%.*s/.gone-%llu", (int)(name - path), path, (unsigned long long)++numbers);
    if (REAL(link)(path, kept)) kept[0] = 0;
}

static void add(enum kind kind, const char *path, const char *other, const char *kept) {
    struct change *change = calloc(1, sizeof *change);
    if (!change) abort();
    change->kind = kind;
    snprintf(change->path, PATH, "%s", path);
    snprintf(change->other, PATH, "%s", other);
    snprintf(change->kept, PATH, "%s", kept);
    change->previous = last;
    *(last ? &last->next : &first) = change;
    last = change;
}

void simulation_folder_made(const char *path) { add(MADE, path, "", ""); }
void simulation_folder_removed(const char *path, const char *kept) { add(REMOVED, path, "", kept); }
void simulation_folder_renamed(const char *from, const char *to, const char *kept) { add(RENAMED, from, to, kept); }

static void take(struct change *change) {
    *(change->previous ? &change->previous->next : &first) = change->next;
    *(change->next ? &change->next->previous : &last) = change->previous;
    free(change);
}

void simulation_folder_synced(const char *folder) {
    size_t length = strlen(folder);
    for (struct change *change = first, *next; change; change = next) {
        next = change->next;
        if (strncmp(change->path, folder, length) || strchr(change->path + length + 1, '/')) continue;
        if (change->kept[0]) REAL(unlink)(change->kept);
        take(change);
    }
}

void simulation_folder_forget(void) {
    while (first) {
        if (first->kept[0]) REAL(unlink)(first->kept);
        take(first);
    }
}

/// Returns: whether something was undone.
bool simulation_folder_crashes(void) {
    uint64_t count = 0;
    for (struct change *change = first; change; change = change->next) count++;
    uint64_t stay = simulation_below(count + 1);
    for (uint64_t undone = count; undone > stay; undone--) {
        struct change *change = last;
        if (change->kind == MADE) {
            REAL(unlink)(change->path);
            simulation_file_is_gone(change->path);
        } else {
            if (change->kind == RENAMED) {
                REAL(rename)(change->other, change->path);
                simulation_file_has_moved(change->other, change->path);
            }
            const char *gone = change->kind == RENAMED ? change->other : change->path;
            if (change->kept[0]) REAL(rename)(change->kept, gone);
        }
        take(change);
    }
    simulation_folder_forget();
    return stay < count;
}
