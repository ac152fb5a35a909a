#define _GNU_SOURCE
#include "internal.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>

// Of SQLite, which asks for memory in one place.

static sqlite3_mem_methods real;

static void *allocate(int size) { return simulation_memory_is_refused() ? NULL : real.xMalloc(size); }

static void *reallocate(void *place, int size) {
    return simulation_memory_is_refused() ? NULL : real.xRealloc(place, size);
}

void simulation_take_memory(void) {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    sqlite3_mem_methods ours = real;
    ours.xMalloc = allocate;
    ours.xRealloc = reallocate;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

bool simulation_run_sql(const char *path, const char *sql) {
    sqlite3 *database = NULL;
    bool is_done = sqlite3_open(path, &database) == SQLITE_OK && sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(database);
    return is_done;
}

void simulation_sql_text(const char *path, const char *sql, char *text, size_t size) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    text[0] = 0;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        snprintf(text, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

size_t simulation_allocated(void) { return mallinfo2().uordblks; }
