#define _GNU_SOURCE
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// What Swift and Dispatch hand to threads of their own becomes jobs of the world.

// MARK: Swift's executors

// The first two words of what Swift calls a reference to an executor; both are 0 for the one that is nobody's.
struct executor { uintptr_t identity, implementation; };
void swift_job_run(void *job, struct executor executor);

typedef void (*enqueue)(void *job, void *original);
typedef void (*enqueue_with_delay)(uint64_t nanoseconds, void *job, void *original);
typedef void (*enqueue_with_deadline)(
    long long seconds, long long nanoseconds, long long more_seconds, long long more_nanoseconds, int clock, void *job,
    void *original);
extern enqueue swift_task_enqueueGlobal_hook;
extern enqueue_with_delay swift_task_enqueueGlobalWithDelay_hook;
extern enqueue_with_deadline swift_task_enqueueGlobalWithDeadline_hook;

static void run_swift(void *job) { swift_job_run(job, (struct executor){0, 0}); }

static void add(void *job, void *original) {
    if (simulation_self()) simulation_add_job(NULL, 0, run_swift, job);
    else ((void (*)(void *))original)(job);
}

static void add_with_delay(uint64_t nanoseconds, void *job, void *original) {
    (void)original;
    simulation_add_job(NULL, (int64_t)nanoseconds, run_swift, job);
}

static void add_with_deadline(
    long long seconds, long long nanoseconds, long long more_seconds, long long more_nanoseconds, int clock, void *job,
    void *original
) {
    (void)more_seconds, (void)more_nanoseconds, (void)original;
    struct timespec now;
    // Swift's third clock is the one that can be set; the others do not jump.
    clock_gettime(clock == 3 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    int64_t delay = (seconds - now.tv_sec) * 1000000000LL + (nanoseconds - now.tv_nsec);
    simulation_add_job(NULL, delay, run_swift, job);
}

void simulation_take_queues(void) {
    swift_task_enqueueGlobal_hook = add;
    swift_task_enqueueGlobalWithDelay_hook = add_with_delay;
    swift_task_enqueueGlobalWithDeadline_hook = add_with_deadline;
}

// MARK: Dispatch

struct block {
    void *class;
    int flags, reserved;
    void (*invoke)(void *);
};
void *_Block_copy(const void *);
void _Block_release(const void *);

typedef void (*function)(void *);

struct call { void *queue; struct block *block; function run; void *context; };

static void run_call(void *argument) {
    struct call call = *(struct call *)argument;
    free(argument);
    if (call.block) {
        call.block->invoke(call.block);
        _Block_release(call.block);
    } else {
        call.run(call.context);
    }
}

// How Dispatch writes a moment: the first bit for all but the time since the system began, the second for the wall
// clock, which is negated.
static int64_t delay_until(uint64_t when) {
    if (when == ~0ull) return NEVER;
    bool is_wall = (when >> 62) == 3;
    struct timespec now;
    clock_gettime(is_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    int64_t moment = is_wall ? -(int64_t)when : (int64_t)(when & ~(1ull << 63));
    return moment - (now.tv_sec * 1000000000LL + now.tv_nsec);
}

// MARK: Queues of which several jobs run at a time

#define CONCURRENT_QUEUES 4096

static void *concurrent[CONCURRENT_QUEUES];
static size_t concurrent_count;
extern char concurrent_attribute[] __asm__("_dispatch_queue_attr_concurrent");

static bool is_concurrent(const void *queue) {
    for (size_t i = 0; i < concurrent_count; i++)
        if (concurrent[i] == queue) return true;
    return false;
}

/// A queue may have been given the place of one that is gone.
static void *remember(void *queue, bool runs_several) {
    for (size_t i = 0; i < concurrent_count; i++)
        if (concurrent[i] == queue) concurrent[i] = NULL;
    if (!runs_several) return queue;
    if (concurrent_count == CONCURRENT_QUEUES) abort();
    concurrent[concurrent_count++] = queue;
    return queue;
}

void *dispatch_queue_create(const char *label, void *attribute);
void *dispatch_queue_create(const char *label, void *attribute) {
    void *queue = REAL(dispatch_queue_create)(label, attribute);
    return simulation_self() ? remember(queue, attribute == concurrent_attribute) : queue;
}

void *simulation_queue_create(const char *label, void *attribute, void *target) __asm__("dispatch_queue_create_with_target");
void *simulation_queue_create(const char *label, void *attribute, void *target) {
    static void *(*create)(const char *, void *, void *);
    if (!create) create = (void *(*)(const char *, void *, void *))simulation_real("dispatch_queue_create_with_target");
    void *queue = create(label, attribute, target);
    return simulation_self() ? remember(queue, attribute == concurrent_attribute) : queue;
}

// MARK: Semaphores

struct turn { void *semaphore; bool is_taken; };
intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t until);

static bool takes(void *argument) {
    struct turn *turn = argument;
    if (!turn->is_taken) turn->is_taken = REAL(dispatch_semaphore_wait)(turn->semaphore, 0) == 0;
    return turn->is_taken;
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t until) {
    if (!simulation_self()) return REAL(dispatch_semaphore_wait)(semaphore, until);
    struct turn turn = {semaphore, false};
    if (takes(&turn)) return 0;
    int64_t delay = until == 0 ? 0 : delay_until(until);
    simulation_wait_for(takes, &turn, delay == NEVER ? NEVER : simulation_now() + delay);
    return turn.is_taken ? 0 : 1;
}

// MARK: Jobs

static void add_call(void *queue, int64_t delay, const void *block, function run, void *context) {
    struct call *call = calloc(1, sizeof *call);
    if (!call) abort();
    *call = (struct call){queue, block ? _Block_copy(block) : NULL, run, context};
    simulation_add_job(is_concurrent(queue) ? NULL : queue, delay, run_call, call);
}

void dispatch_async(void *queue, void *block);
void dispatch_async(void *queue, void *block) {
    if (simulation_self()) add_call(queue, 0, block, NULL, NULL);
    else REAL(dispatch_async)(queue, block);
}

void dispatch_async_f(void *queue, void *context, function run);
void dispatch_async_f(void *queue, void *context, function run) {
    if (simulation_self()) add_call(queue, 0, NULL, run, context);
    else REAL(dispatch_async_f)(queue, context, run);
}

void dispatch_after(uint64_t when, void *queue, void *block);
void dispatch_after(uint64_t when, void *queue, void *block) {
    if (simulation_self()) add_call(queue, delay_until(when), block, NULL, NULL);
    else REAL(dispatch_after)(when, queue, block);
}

void dispatch_after_f(uint64_t when, void *queue, void *context, function run);
void dispatch_after_f(uint64_t when, void *queue, void *context, function run) {
    if (simulation_self()) add_call(queue, delay_until(when), NULL, run, context);
    else REAL(dispatch_after_f)(when, queue, context, run);
}

void dispatch_assert_queue(void *queue);
void dispatch_assert_queue(void *queue) {
    struct thread *self = simulation_self();
    if (!self) return REAL(dispatch_assert_queue)(queue);
    if (self->job && self->job->queue == queue) return;
    fprintf(stderr, "something runs that belongs on another queue\n");
    abort();
}

// MARK: Signals

// No signal comes in this world, so who waits for one hears that it listens, and nothing more.

void dispatch_source_set_registration_handler(void *source, void *block);
void dispatch_source_set_registration_handler(void *source, void *block) {
    if (simulation_self()) add_call(NULL, 0, block, NULL, NULL);
    else REAL(dispatch_source_set_registration_handler)(source, block);
}

// It would be called on a thread that is not of the world.
void dispatch_source_set_cancel_handler(void *source, void *block);
void dispatch_source_set_cancel_handler(void *source, void *block) {
    if (!simulation_self()) REAL(dispatch_source_set_cancel_handler)(source, block);
}
