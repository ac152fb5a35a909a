// Writes down, in order, what a process does to the files below a folder, so that the disk of any moment can be made of
// it: loaded before a program (LD_PRELOAD) by Drills/disk_journal.py, which also reads what is written here.
//
// It takes the place of those functions of the C library by which Gatehouse and SQLite change files. Each calls the
// kernel by itself, and writes one record when that has succeeded. A lock is held over both, so that the records of a
// process stand in the order in which the kernel was asked; those of several processes are put in order by their time.
// Only a sync is not held up, and has two records: whatever was written before the first is on disk with the second.
//
//   DRILL_DISK_FOLDER   the real path of the folder; nothing is written down without it
//   DRILL_DISK_JOURNAL  the folder of the journals, one file a process, named after it
//   DRILL_DISK_FORGETS  files whose name ends so are never synced, though the caller is told that they are
//
// Who kills a process from outside may do so between a change and its record. So a process kills itself after a record
// once there is a file beside its journal with the same name and `.end`.
//
// Only what is used of the many functions that change files is here. Whether that is all of them shows when the folder
// is made anew from the journal: it must be the one that is there.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind {
    CREATED = 'C',      // a file: its mode, its path
    WRITTEN = 'W',      // where, and the bytes
    CUT = 'T',          // to which length
    ALLOCATED = 'A',    // to which length at least
    SYNC_BEGINS = 'B',  // by which thread
    SYNCED = 'S',       // by which thread
    MAPPED = 'M',       // for writing, which nobody sees here
    RENAMED = 'R',      // from a path, a zero, to a path
    LINKED = 'L',       // the same
    REMOVED = 'U',      // a path
    FOLDER_MADE = 'D',  // a path
};

struct record {
    uint64_t nanoseconds;  // of CLOCK_MONOTONIC, which all processes of a machine share
    uint64_t inode;
    int64_t number;
    uint32_t kind;
    uint32_t size;  // of what follows
};

#define MOST_DESCRIPTORS (1 << 16)

static struct file {
    bool is_noted, forgets_syncs;
    dev_t device;
    ino_t inode;
} files[MOST_DESCRIPTORS];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *forgotten;
static int journal = -1;
static char end[PATH_MAX];

// A journal with a gap would tell of a disk that never was.
static void give_up(const char *what) {
    fprintf(stderr, "disk journal: %s: %s\n", what, strerror(errno));
    _exit(70);
}

static void begin(void) {
    const char *journals = getenv("DRILL_DISK_JOURNAL");
    folder = getenv("DRILL_DISK_FOLDER");
    forgotten = getenv("DRILL_DISK_FORGETS");
    if (!folder || !journals) {
        folder = NULL;
        return;
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d", journals, getpid());
    journal = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0) give_up(path);
    snprintf(end, sizeof end, "%s/%d.end", journals, getpid());
}

static bool is_on(void) {
    pthread_once(&once, begin);
    return folder != NULL;
}

// With the lock, so that nobody else is between a change and its record either.
static void note(enum kind kind, ino_t inode, int64_t number, const void *bytes, size_t size) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct record record = {now.tv_sec * 1000000000ULL + now.tv_nsec, inode, number, kind, size};
    struct iovec parts[] = {{&record, sizeof record}, {(void *)bytes, size}};
    if (syscall(SYS_writev, journal, parts, 2) != (long)(sizeof record + size)) give_up("writing it");
    if (access(end, F_OK) == 0) kill(getpid(), SIGKILL);
}

static bool is_below(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static bool ends_with(const char *path, const char *end) {
    size_t length = strlen(path), least = strlen(end);
    return length >= least && strcmp(path + length - least, end) == 0;
}

// Where a name is, or would be, behind the links that lead to its folder. False where that is not below the folder.
static bool locate(const char *path, char found[PATH_MAX]) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!realpath(parent, found)) return false;
    size_t length = strlen(found);
    snprintf(found + length, PATH_MAX - length, "/%s", name);
    return is_below(found);
}

// The file behind a descriptor, if it is one of those below the folder.
static struct file *noted(int descriptor) {
    if (!is_on() || descriptor < 0 || descriptor >= MOST_DESCRIPTORS || !files[descriptor].is_noted) return NULL;
    struct file *file = &files[descriptor];
    struct stat status;
    // Somebody may have closed it without our seeing, and the number is another file's.
    if (fstat(descriptor, &status) == 0 && status.st_ino == file->inode && status.st_dev == file->device) return file;
    file->is_noted = false;
    return NULL;
}

static void attend(int descriptor, int flags, bool is_new) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    if (!is_below(path)) return;
    if (descriptor >= MOST_DESCRIPTORS) give_up("more descriptors than it knows");
    struct stat status;
    if (fstat(descriptor, &status) != 0) give_up(path);
    files[descriptor] =
        (struct file){true, forgotten && *forgotten && ends_with(path, forgotten), status.st_dev, status.st_ino};
    if (is_new) {
        note(CREATED, status.st_ino, status.st_mode & 07777, path, strlen(path));
    } else if (flags & O_TRUNC) {
        note(CUT, status.st_ino, 0, NULL, 0);
    }
}

static int open_noted(int at, const char *path, int flags, mode_t mode) {
    if (!is_on()) return syscall(SYS_openat, at, path, flags, mode);
    bool changes = flags & (O_CREAT | O_TRUNC);
    if (changes) pthread_mutex_lock(&order);
    bool is_new = (flags & O_CREAT) && faccessat(at, path, F_OK, 0) != 0;
    int descriptor = syscall(SYS_openat, at, path, flags, mode);
    if (descriptor >= 0) attend(descriptor, flags, is_new);
    if (changes) pthread_mutex_unlock(&order);
    return descriptor;
}

// The mode is there only where a file may be made.
#define OPEN(at)                                                     \
    mode_t mode = 0;                                                 \
    if (flags & O_CREAT) {                                           \
        va_list arguments;                                           \
        va_start(arguments, flags);                                  \
        mode = va_arg(arguments, mode_t);                            \
        va_end(arguments);                                           \
    }                                                                \
    return open_noted(at, path, flags, mode)

int open(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int openat(int at, const char *path, int flags, ...) { OPEN(at); }
int openat64(int at, const char *path, int flags, ...) { OPEN(at); }

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) files[descriptor].is_noted = false;
    return syscall(SYS_close, descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    struct file *file = noted(descriptor);
    if (!file) return syscall(SYS_write, descriptor, bytes, size);
    pthread_mutex_lock(&order);
    ssize_t count = syscall(SYS_write, descriptor, bytes, size);
    // Behind what others have added, where it is opened so.
    if (count > 0) note(WRITTEN, file->inode, lseek(descriptor, 0, SEEK_CUR) - count, bytes, count);
    pthread_mutex_unlock(&order);
    return count;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    struct file *file = noted(descriptor);
    if (!file) return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
    pthread_mutex_lock(&order);
    ssize_t count = syscall(SYS_pwrite64, descriptor, bytes, size, offset);
    if (count > 0) note(WRITTEN, file->inode, offset, bytes, count);
    pthread_mutex_unlock(&order);
    return count;
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    return pwrite(descriptor, bytes, size, offset);
}

// One part after the other: its caller goes on where it ends early.
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    if (!noted(descriptor)) return syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
    ssize_t total = 0;
    for (int part = 0; part < count; part++) {
        ssize_t written = pwrite(descriptor, parts[part].iov_base, parts[part].iov_len, offset + total);
        if (written < 0) return total > 0 ? total : written;
        total += written;
        if ((size_t)written < parts[part].iov_len) break;
    }
    return total;
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    struct file *file = noted(descriptor);
    if (!file) return syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&order);
    int result = syscall(SYS_ftruncate, descriptor, length);
    if (result == 0) note(CUT, file->inode, length, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    struct file *file = noted(descriptor);
    if (!file) return syscall(SYS_fallocate, descriptor, mode, offset, length);
    // Holes and the like: nobody makes any.
    if (mode != 0) return errno = EOPNOTSUPP, -1;
    pthread_mutex_lock(&order);
    int result = syscall(SYS_fallocate, descriptor, mode, offset, length);
    if (result == 0) note(ALLOCATED, file->inode, offset + length, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    return fallocate(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    return posix_fallocate(descriptor, offset, length);
}

static int sync_noted(long call, int descriptor) {
    struct file *file = noted(descriptor);
    if (!file) return syscall(call, descriptor);
    if (file->forgets_syncs) return 0;
    ino_t inode = file->inode;
    pthread_mutex_lock(&order);
    note(SYNC_BEGINS, inode, gettid(), NULL, 0);
    pthread_mutex_unlock(&order);
    int result = syscall(call, descriptor);
    if (result != 0) return result;
    pthread_mutex_lock(&order);
    note(SYNCED, inode, gettid(), NULL, 0);
    pthread_mutex_unlock(&order);
    return 0;
}
int fsync(int descriptor) { return sync_noted(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_noted(SYS_fdatasync, descriptor); }

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    struct file *file = (flags & MAP_SHARED) && (protection & PROT_WRITE) ? noted(descriptor) : NULL;
    if (file) {
        pthread_mutex_lock(&order);
        note(MAPPED, file->inode, length, NULL, 0);
        pthread_mutex_unlock(&order);
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, length, protection, flags, descriptor, offset);
}

// `other` is NULL where there is one name only.
static int name_noted(enum kind kind, long result_of(const char *, const char *), const char *path, const char *other) {
    if (!is_on()) return result_of(path, other);
    char names[2 * PATH_MAX], second[PATH_MAX];
    bool is_here = locate(path, names);
    if (other) is_here |= locate(other, second);
    if (!is_here) return result_of(path, other);
    pthread_mutex_lock(&order);
    int result = result_of(path, other);
    if (result == 0) {
        size_t length = strlen(names);
        if (other) length = stpcpy(names + length + 1, second) - names;
        struct stat status = {0};
        if (kind == FOLDER_MADE && fstatat(AT_FDCWD, path, &status, 0) != 0) give_up(path);
        note(kind, status.st_ino, 0, names, length);
    }
    pthread_mutex_unlock(&order);
    return result;
}

static long renamed(const char *path, const char *other) {
    return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 0);
}
static long linked(const char *path, const char *other) {
    return syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, other, 0);
}
static long removed(const char *path, const char *other) {
    return (void)other, syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *path, const char *other) { return name_noted(RENAMED, renamed, path, other); }
int link(const char *path, const char *other) { return name_noted(LINKED, linked, path, other); }
int unlink(const char *path) { return name_noted(REMOVED, removed, path, NULL); }

static __thread mode_t mode_of_folder;
static long folder_made(const char *path, const char *other) {
    return (void)other, syscall(SYS_mkdirat, AT_FDCWD, path, mode_of_folder);
}
int mkdir(const char *path, mode_t mode) {
    mode_of_folder = mode;
    return name_noted(FOLDER_MADE, folder_made, path, NULL);
}
