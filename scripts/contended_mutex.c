// Tells ThreadSanitizer of `Synchronization.Mutex` where two threads meet at it; loaded before a program that is built
// with the sanitizer. See scripts/sanitize.
//
// Who finds a Mutex free takes it by an atomic operation that is compiled into the program, which the sanitizer sees.
// Who finds it taken asks the kernel, from inside of Swift's library, which the sanitizer does not look into: it would
// call the two unordered. These stand before the library's three functions, call them, and say what they have done.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Weak, for programs without the sanitizer are started with this too.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// Swift hands over what a method belongs to apart from its arguments. A Mutex begins with the word that is its lock.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *lock

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static SWIFT void (*library_lock)(uint32_t thread, SELF);
static SWIFT bool (*library_try_lock)(SELF);
static SWIFT void (*library_unlock)(SELF);

__attribute__((constructor)) static void find_library(void) {
    library_lock = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
    library_try_lock = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK);
    library_unlock = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void contended_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void contended_lock(uint32_t thread, SELF) {
    library_lock(thread, lock);
    if (__tsan_acquire) __tsan_acquire(lock);
}

SWIFT bool contended_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT bool contended_try_lock(SELF) {
    bool is_taken = library_try_lock(lock);
    if (is_taken && __tsan_acquire) __tsan_acquire(lock);
    return is_taken;
}

SWIFT void contended_unlock(SELF) __asm__(UNLOCK);
SWIFT void contended_unlock(SELF) {
    if (__tsan_release) __tsan_release(lock);
    library_unlock(lock);
}
