#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 65536
#define SECTOR 512

/// A sector as the disk has it, while what was written over it waits for a sync.
struct sector {
    struct sector *next;
    int64_t number;
    unsigned char bytes[SECTOR];
};

/// A file of the disk, by where it is.
struct file {
    struct file *next;
    char path[PATH_MAX];
    /// What differs from the disk, and how long the file is there.
    struct sector *unsynced;
    bool is_changed;
    int64_t size;
};

/// `folder` is the path of one that was opened, to be synced; NULL for a file, which may have lost its name since.
struct opened { struct file *file; char *folder; int32_t owner; bool has_no_name; };

static char folder[PATH_MAX];
static size_t folder_length;
static struct file *files;
static struct opened opened[DESCRIPTORS];
static struct simulation_disk disk = {.longest_sync = 1000000};
static uint64_t lost_sectors, lost_entries;

void simulation_set_disk(const char *path) {
    folder_length = (size_t)snprintf(folder, sizeof folder, "%s", path);
}

void simulation_set_disk_faults(struct simulation_disk value) { disk = value; }
uint64_t simulation_lost_sectors(void) { return lost_sectors; }
uint64_t simulation_lost_entries(void) { return lost_entries; }

static struct {
    int32_t owner;
    uint64_t n, calls;
    enum simulation_fault fault;
    bool has_crashed;
} chosen;

void simulation_choose_call(int32_t owner, uint64_t n, enum simulation_fault fault) {
    chosen.owner = owner;
    chosen.n = n;
    // What was counted, and what has come of it, stays known after the end.
    if (!owner) return;
    chosen.calls = 0;
    chosen.fault = fault;
    chosen.has_crashed = false;
}

uint64_t simulation_calls(void) { return chosen.calls; }
bool simulation_has_crashed(void) { return chosen.has_crashed; }

/// Counts what was chosen to go wrong.
///
/// Returns: whether this is the one.
static bool is_chosen(void) {
    return chosen.owner && simulation_owner() == chosen.owner && ++chosen.calls == chosen.n;
}

/// A call to the disk. Where it is the one before the power goes, it never comes back.
///
/// Returns: 0, or the error that the call meets.
static int call(void) {
    if (chosen.fault == SIMULATION_LACKS_MEMORY || !is_chosen()) return 0;
    if (chosen.fault == SIMULATION_FAILS) return EIO;
    if (chosen.fault == SIMULATION_FILLS) return ENOSPC;
    chosen.has_crashed = true;
    simulation_kill_all();
    simulation_crash_disk(true);
    simulation_wait_for(NULL, NULL, NEVER);
    return EIO;
}

bool simulation_memory_is_refused(void) {
    return simulation_self() && chosen.fault == SIMULATION_LACKS_MEMORY && is_chosen();
}

static bool is_ours(const char *path) {
    return simulation_self() && folder_length && !strncmp(path, folder, folder_length);
}

static struct file *file_at(const char *path) {
    for (struct file *file = files; file; file = file->next)
        if (!strcmp(file->path, path)) return file;
    return NULL;
}

static void forget_changes(struct file *file) {
    while (file->unsynced) {
        struct sector *sector = file->unsynced;
        file->unsynced = sector->next;
        free(sector);
    }
    file->is_changed = false;
}

// Its owner still has it open, with its locks.
static void lose_name(struct opened *it) {
    it->file = NULL;
    it->has_no_name = true;
}

static void forget(const char *path) {
    for (struct file **place = &files; *place; place = &(*place)->next) {
        struct file *file = *place;
        if (strcmp(file->path, path)) continue;
        *place = file->next;
        forget_changes(file);
        for (int i = 0; i < DESCRIPTORS; i++)
            if (opened[i].file == file) lose_name(&opened[i]);
        free(file);
        return;
    }
}

void simulation_forget_disk(void) {
    while (files) forget(files->path);
    for (int i = 0; i < DESCRIPTORS; i++) {
        free(opened[i].folder);
        opened[i] = (struct opened){0};
    }
    folder_length = 0;
    simulation_folder_forget();
}

static int remember(int descriptor, const char *path) {
    struct stat status;
    if (descriptor < 0 || descriptor >= DESCRIPTORS || !is_ours(path)) return descriptor;
    if (fstat(descriptor, &status)) return descriptor;
    if (S_ISDIR(status.st_mode)) opened[descriptor] = (struct opened){NULL, strdup(path), simulation_owner(), false};
    if (!S_ISREG(status.st_mode)) return descriptor;
    struct file *file = file_at(path);
    if (!file) {
        file = calloc(1, sizeof *file);
        if (!file) abort();
        snprintf(file->path, sizeof file->path, "%s", path);
        file->next = files;
        files = file;
    }
    opened[descriptor] = (struct opened){file, NULL, simulation_owner(), false};
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    int error = is_ours(path) ? call() : 0;
    if (error) return errno = error, -1;
    bool is_new = (flags & O_CREAT) && is_ours(path) && access(path, F_OK);
    int descriptor = REAL(open)(path, flags, mode);
    if (is_new && descriptor >= 0) simulation_folder_made(path);
    return remember(descriptor, path);
}
int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open(path, flags, mode);
}

void simulation_file_closes(int descriptor) {
    if (!simulation_self() || descriptor < 0 || descriptor >= DESCRIPTORS) return;
    free(opened[descriptor].folder);
    opened[descriptor] = (struct opened){0};
}

void simulation_close_files(int32_t owner) {
    for (int i = 0; i < DESCRIPTORS; i++) {
        if ((!opened[i].file && !opened[i].folder && !opened[i].has_no_name) || opened[i].owner != owner) continue;
        simulation_file_closes(i);
        REAL(close)(i);
    }
}

// MARK: Changes

static struct file *file_of(int descriptor) {
    return simulation_self() && descriptor >= 0 && descriptor < DESCRIPTORS ? opened[descriptor].file : NULL;
}

/// Keeps what the disk has of a part of a file that is about to change.
static void keep(struct file *file, int descriptor, int64_t start, int64_t end) {
    struct stat status;
    if (!file->is_changed && !fstat(descriptor, &status)) {
        file->is_changed = true;
        file->size = status.st_size;
    }
    int64_t first = start / SECTOR * SECTOR;
    unsigned char *bytes = calloc(1, (size_t)(end - first) + SECTOR);
    if (!bytes) abort();
    // Descriptors that only write can't be read.
    int reading = REAL(open)(file->path, O_RDONLY | O_CLOEXEC);
    size_t room = (size_t)((end - first + SECTOR - 1) / SECTOR * SECTOR);
    if (reading >= 0 && REAL(pread)(reading, bytes, room, first) < 0) memset(bytes, 0, room);
    if (reading >= 0) REAL(close)(reading);
    for (int64_t number = start / SECTOR; number * SECTOR < end; number++) {
        bool is_kept = false;
        for (struct sector *sector = file->unsynced; sector; sector = sector->next) is_kept |= sector->number == number;
        if (is_kept) continue;
        struct sector *sector = calloc(1, sizeof *sector);
        if (!sector) abort();
        sector->number = number;
        memcpy(sector->bytes, bytes + number * SECTOR - first, SECTOR);
        sector->next = file->unsynced;
        file->unsynced = sector;
    }
    free(bytes);
}

int simulation_file_writes(int descriptor, int64_t offset, size_t count) {
    struct file *file = file_of(descriptor);
    if (!file) return 0;
    int error = call();
    if (error) return error;
    if (simulation_happens(disk.full)) return ENOSPC;
    if (simulation_happens(disk.errors)) return EIO;
    if (offset < 0) {
        bool appends = fcntl(descriptor, F_GETFL) & O_APPEND;
        struct stat status;
        offset = appends && !fstat(descriptor, &status) ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
    }
    keep(file, descriptor, offset, offset + (int64_t)count);
    return 0;
}

ssize_t pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    int error = simulation_file_writes(descriptor, offset, count);
    return error ? (errno = error, -1) : REAL(pwrite)(descriptor, buffer, count, offset);
}
ssize_t pwrite64(int descriptor, const void *buffer, size_t count, off64_t offset) {
    return pwrite(descriptor, buffer, count, offset);
}

ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset) {
    int error = file_of(descriptor) ? call() : 0;
    return error ? (errno = error, -1) : REAL(pread)(descriptor, buffer, count, offset);
}
ssize_t pread64(int descriptor, void *buffer, size_t count, off64_t offset) {
    return pread(descriptor, buffer, count, offset);
}

int ftruncate(int descriptor, off_t size) {
    struct file *file = file_of(descriptor);
    struct stat status;
    int error = file ? call() : 0;
    if (error) return errno = error, -1;
    if (file && !fstat(descriptor, &status)) keep(file, descriptor, size < status.st_size ? size : status.st_size, status.st_size);
    return REAL(ftruncate)(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

static const char *folder_of(int descriptor) {
    return simulation_self() && descriptor >= 0 && descriptor < DESCRIPTORS ? opened[descriptor].folder : NULL;
}

static int sync_now(int descriptor) {
    struct file *file = file_of(descriptor);
    if (!file && !folder_of(descriptor)) return 0;
    int error = call();
    if (error) return error;
    if (disk.longest_sync > 0) simulation_sleep((int64_t)simulation_below((uint64_t)disk.longest_sync));
    if (simulation_happens(disk.errors)) return EIO;
    // It may have gone meanwhile.
    file = file_of(descriptor);
    if (file && !disk.lies) forget_changes(file);
    if (folder_of(descriptor) && !disk.lies) simulation_folder_synced(folder_of(descriptor));
    return 0;
}

// What is synced is the disk of this world; the machine's own need not know.
int fsync(int descriptor) {
    if (!simulation_self()) return REAL(fsync)(descriptor);
    int error = sync_now(descriptor);
    return error ? (errno = error, -1) : 0;
}
int fdatasync(int descriptor) { return fsync(descriptor); }

void simulation_file_is_gone(const char *path) { forget(path); }

void simulation_file_has_moved(const char *from, const char *to) {
    forget(to);
    struct file *file = file_at(from);
    if (file) snprintf(file->path, sizeof file->path, "%s", to);
}

int unlink(const char *path) {
    if (!is_ours(path)) return REAL(unlink)(path);
    int error = call();
    if (error) return errno = error, -1;
    char kept[512] = "";
    simulation_folder_keeps(path, kept, sizeof kept);
    int result = REAL(unlink)(path);
    if (result) return result;
    simulation_folder_removed(path, kept);
    forget(path);
    return 0;
}

int rename(const char *from, const char *to) {
    if (!is_ours(from)) return REAL(rename)(from, to);
    int error = call();
    if (error) return errno = error, -1;
    char kept[512] = "";
    simulation_folder_keeps(to, kept, sizeof kept);
    int result = REAL(rename)(from, to);
    if (result) return result;
    simulation_folder_renamed(from, to, kept);
    simulation_file_has_moved(from, to);
    return 0;
}

int link(const char *path, const char *other) {
    if (!is_ours(path)) return REAL(link)(path, other);
    int error = call();
    if (error) return errno = error, -1;
    int result = REAL(link)(path, other);
    if (!result) simulation_folder_made(other);
    return result;
}

// MARK: Crashes

/// What is left of a sector that was not synced.
static void decide(const struct sector *sector, unsigned char *bytes, int64_t size) {
    int64_t start = sector->number * SECTOR;
    if (start >= size) return;
    size_t count = size - start < SECTOR ? (size_t)(size - start) : SECTOR;
    size_t stays;
    switch (simulation_below(4)) {
    case 0:
    case 1: return;
    case 2: stays = 0; break;
    default: stays = simulation_below(count); break;
    }
    lost_sectors++;
    memcpy(bytes + start + stays, sector->bytes + stays, count - stays);
}

static void crash(struct file *file, bool loses_power) {
    struct stat status;
    int reading = REAL(open)(file->path, O_RDONLY | O_CLOEXEC);
    if (reading < 0 || fstat(reading, &status)) return;
    int64_t longest = file->size > status.st_size ? file->size : status.st_size, size = status.st_size;
    unsigned char *bytes = calloc(1, (size_t)longest + 1);
    if (!bytes || REAL(pread)(reading, bytes, (size_t)size, 0) != size) abort();
    REAL(close)(reading);
    if (loses_power && file->is_changed) {
        if (simulation_below(2)) size = file->size;
        for (struct sector *sector = file->unsynced; sector; sector = sector->next) decide(sector, bytes, size);
    }
    forget_changes(file);
    // Another file of the same name: who has died still holds locks of the one before.
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.left", file->path);
    int writing = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777);
    if (writing < 0 || REAL(write)(writing, bytes, (size_t)size) != size || REAL(rename)(path, file->path)) abort();
    REAL(close)(writing);
    free(bytes);
}

void simulation_crash_disk(bool loses_power) {
    // What is not synced goes with the power alone.
    if (loses_power && simulation_folder_crashes()) lost_entries++;
    for (struct file **place = &files; *place;) {
        struct file *file = *place;
        size_t length = strlen(file->path);
        // What processes share in memory goes with them.
        if (length > 4 && !strcmp(file->path + length - 4, "-shm")) {
            REAL(unlink)(file->path);
            *place = file->next;
            forget_changes(file);
            for (int i = 0; i < DESCRIPTORS; i++)
                if (opened[i].file == file) lose_name(&opened[i]);
            free(file);
        } else {
            crash(file, loses_power);
            place = &file->next;
        }
    }
}
