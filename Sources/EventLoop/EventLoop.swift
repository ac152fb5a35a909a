internal import CLinux
import Dispatch
import Glibc
import Synchronization
public import System

/// One thread that waits for sockets and timers with epoll and runs the Swift jobs that belong to them.
///
/// A loop is a serial executor and a task executor. An actor that names it as its executor lives on its thread, so that
/// a request goes from the socket through all its awaits to the answer without a change of threads. Nothing that runs
/// here may block: databases and name look-ups have Dispatch queues of their own.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Unchecked: `localJobs`, `batch`, `poller` and `timers` are touched only on the loop's thread, which every entry
    // checks; what other threads reach (`remoteJobs`, `owner`, `phase`) is a Mutex or an Atomic.
    private enum Phase: UInt8, AtomicRepresentable { case idle, running, stopping, stopped }

    /// How many rounds of jobs may run before sockets are looked at again.
    private static let roundsBetweenPolls = 16
    private static let eventsPerPoll = 256

    /// For jobs that come after the end.
    private let queue: DispatchQueue
    private let label: String
    private let wakeUp: OwnedDescriptor
    private let owner = Atomic<UInt>(0)
    private let phase = Atomic<Phase>(.idle)
    /// By which the processor time of the loop's thread is read; 0 before it runs.
    private let threadClock = Atomic<Int32>(0)
    /// The jobs that other threads hand over. The loop's own are changed without a lock.
    private let remoteJobs = Mutex<[UnownedJob]>([])
    private var localJobs: [UnownedJob] = []
    private var batch: [UnownedJob] = []
    private var poller: Poller
    var timers = TimerQueue()

    /// - Parameter label: names the loop's thread, as far as its first 15 bytes go.
    /// - Throws: `SystemError` when the system has no descriptor left for epoll or its wake-up.
    public init(label: String) throws(SystemError) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        self.label = label
        poller = try Poller()
        wakeUp = OwnedDescriptor(
            owning: try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
        try poller.watch(wakeUp.number)
    }

    /// Starts the loop on a thread of its own. A loop is started once.
    ///
    /// The thread is none of Dispatch's: a loop never gives it back, and Dispatch's pool has a bound, beyond which
    /// loops and everything else in the process would wait for each other.
    public func start() {
        guard phase.compareExchange(expected: .idle, desired: .running, ordering: .sequentiallyConsistent).exchanged
        else { return }
        let this = unsafe Unmanaged.passRetained(self)
        let error = unsafe clinux_start_thread(
            label,
            { this in
                guard let this = unsafe this else { return }
                unsafe Unmanaged<EventLoop>.fromOpaque(this).takeRetainedValue().run()
            }, this.toOpaque())
        if error != 0 {
            unsafe this.release()
            // The system has no thread left; the pool may still have one.
            queue.async { self.run() }
        }
    }

    /// Ends the loop once the jobs that wait have run. Later jobs still run, on a Dispatch queue, but no socket or
    /// timer.
    public func stop() {
        let stopped = phase.compareExchange(expected: .running, desired: .stopping, ordering: .sequentiallyConsistent)
        if stopped.exchanged { wake() }
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// The processor time that the loop has taken so far, in nanoseconds; nil before it runs, and once it has stopped.
    public var processorNanoseconds: Int64? {
        let clock = threadClock.load(ordering: .relaxed)
        var time = timespec()
        guard clock != 0, unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Stops the process when the caller is not on the loop's thread: the state behind it has no other protection.
    @inline(__always)
    func assertIsolated() {
        precondition(isCurrent, "this part of the event loop may be called on its own thread only")
    }

    // MARK: Sockets

    /// Tells `handler` whenever the descriptor is ready for what `interest` names. The loop keeps the handler alive
    /// until ``deregister(_:)``, which must come before the descriptor is closed.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    public func register(
        _ descriptor: Int32, for interest: Readiness, handler: any ReadinessHandler
    ) throws(SystemError) {
        assertIsolated()
        try poller.register(descriptor, for: interest, handler: handler)
    }

    /// Changes what a registered descriptor is waited for.
    public func update(_ descriptor: Int32, for interest: Readiness) throws(SystemError) {
        assertIsolated()
        try poller.update(descriptor, for: interest)
    }

    /// Forgets a descriptor; one that is not registered is no error.
    public func deregister(_ descriptor: Int32) {
        assertIsolated()
        poller.deregister(descriptor)
    }

    // MARK: Timers

    /// Runs `action` on the loop after `delay`. Call it on the loop.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, firesOnce: true, action: action)
        timer.move(to: .now + delay)
        return timer
    }

    /// A timer that runs `action` on the loop whenever its deadline passes, and that has none yet. It holds the action
    /// until it is cancelled.
    public func timer(_ action: @escaping @Sendable () -> Void) -> LoopTimer {
        LoopTimer(loop: self, firesOnce: false, action: action)
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            localJobs.append(job)
        } else if handOver(job) {
            if phase.load(ordering: .sequentiallyConsistent) == .stopped {
                queue.async { self.runLateJobs() }
            } else {
                wake()
            }
        }
    }

    /// Adds a job of another thread's.
    ///
    /// - Returns: whether the loop must be woken: only the first job in an empty queue does that.
    private func handOver(_ job: UnownedJob) -> Bool {
        remoteJobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
    }

    public func checkIsolated() { assertIsolated() }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    private func wake() {
        var one: UInt64 = 1
        // Failing with EAGAIN means that the counter is full of wake-ups that are still to be seen.
        _ = unsafe write(wakeUp.number, &one, 8)
    }

    private func run() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        var clock: clockid_t = 0
        if unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0 { threadClock.store(clock, ordering: .relaxed) }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.eventsPerPoll)
        while true {
            runJobs()
            if phase.load(ordering: .sequentiallyConsistent) != .running { break }
            let ready = unsafe poller.wait(&events, atMost: pollTimeout())
            for index in 0..<ready {
                let event = unsafe events[index]
                unsafe dispatch(event.data.u64, Readiness(rawValue: event.events))
            }
            fireTimers()
        }
        // Timers hold the loop, and the loop holds those that will never fire.
        timers = TimerQueue()
        owner.store(0, ordering: .relaxed)
        threadClock.store(0, ordering: .relaxed)
        // From now on the queue does what this thread did. It takes one thing at a time, so that jobs still exclude
        // each other, and what is enqueued before it begins is found when it does.
        queue.async {
            self.phase.store(.stopped, ordering: .sequentiallyConsistent)
            self.runLateJobs()
        }
    }

    /// Asked with every turn, so not with a key path: the runtime would make and follow one each time.
    private var hasJobs: Bool { !localJobs.isEmpty || remoteJobs.withLock { !$0.isEmpty } }

    /// On the queue.
    private func runLateJobs() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        defer { owner.store(0, ordering: .relaxed) }
        while hasJobs { runJobs() }
    }

    private func runJobs() {
        // Held here meanwhile: each look at a property of the loop's would be checked as an access of its own.
        var batch: [UnownedJob] = []
        swap(&batch, &self.batch)
        defer { swap(&batch, &self.batch) }
        for _ in 0..<Self.roundsBetweenPolls {
            swap(&batch, &localJobs)
            takeRemoteJobs(into: &batch)
            if batch.isEmpty { return }
            for job in batch {
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
            batch.removeAll(keepingCapacity: true)
        }
    }

    /// Moves all that other threads have handed over to the end of `batch`; the queue keeps its memory.
    private func takeRemoteJobs(into batch: inout [UnownedJob]) {
        remoteJobs.withLock { jobs in
            guard !jobs.isEmpty else { return }
            batch.append(contentsOf: jobs)
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// In milliseconds, rounded up so that the loop does not spin just before a timer; -1 waits for an event.
    private func pollTimeout() -> Int32 {
        if hasJobs { return 0 }
        guard let deadline = timers.nextDeadline else { return -1 }
        let left = deadline.nanoseconds &- MonotonicTime.now.nanoseconds
        return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
    }

    private func dispatch(_ token: UInt64, _ readiness: Readiness) {
        if token == UInt64(UInt32(bitPattern: wakeUp.number)) {
            var count: UInt64 = 0
            _ = unsafe read(wakeUp.number, &count, 8)
        } else {
            poller.handler(of: token)?.descriptorIsReady(readiness)
        }
    }

    private func fireTimers() {
        guard let deadline = timers.nextDeadline else { return }
        let now = MonotonicTime.now
        guard deadline <= now else { return }
        while let timer = timers.popDue(now) { timer.fire() }
    }
}
