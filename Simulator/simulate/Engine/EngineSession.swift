import CSimulation

/// One connection to the engine: what an instance sends goes to a backend of its own, and the answers come back.
///
/// What takes time there, waiting for somebody else's lock, takes the world's time, and so the limits of that are kept
/// here.
// Unchecked: one thread of the world runs at a time, and a session is used by its own thread and by who settles.
final class EngineSession: @unchecked Sendable {
    private enum SQLState {
        static let syntaxError = "42601", canceled = "57014"
        static let serializationFailure = "40001", deadlock = "40P01", lockTimeout = "55P03"
    }

    /// After so long the engine looks whether somebody waits for themselves, in nanoseconds.
    private static let deadlockTimeout: Int64 = 1_000_000_000
    private static let never = Int64.max
    /// Of the engine's own time, for a look whether it is blocked.
    private static let glance: Int32 = 1

    private let client: Int32
    let backend: Int32
    private let engine: Engine
    private let messages = EngineMessages()
    private var limits = EngineLimits()
    /// Of the backend, as the engine counts them; 0 before it has said so.
    private(set) var number: Int32 = 0
    /// What has come of the answer that is awaited.
    private var reply = EngineReply()
    private var hasEnded = false
    private(set) var isBlocked = false
    /// 1 once the answer is there, for who waits in the world's time.
    private let isAnswered = Shared()

    init(client: Int32, backend: Int32, engine: Engine) {
        (self.client, self.backend, self.engine) = (client, backend, engine)
    }

    /// Serves the client until one of both is gone.
    func run() {
        guard let startup = readStartup(), let answer = exchange(startup) else { return }
        number = answer.backend
        guard give(answer.withoutSecrets) else { return }
        while let segment = nextSegment() {
            let isRefused = segment.executes && !segment.parses && engine.faults.refuses()
            guard let answer = isRefused ? refuse(segment) : exchange(segment.bytes), give(answer.bytes) else { return }
        }
    }

    /// Takes note that it ends.
    ///
    /// - Returns: false where it has ended already.
    func noteEnd() -> Bool {
        defer { hasEnded = true }
        return !hasEnded
    }

    // MARK: The client's side

    private func readStartup() -> [UInt8]? {
        while true {
            guard let startup = messages.nextStartup() else {
                guard receive() else { return nil }
                continue
            }
            guard startup.asksForEncryption else {
                limits = startup.limits
                return startup.withoutOptions
            }
            guard give([UInt8(ascii: "N")]) else { return nil }
        }
    }

    private func nextSegment() -> EngineMessages.Segment? {
        while true {
            if let segment = messages.nextSegment() { return segment.isEnd ? nil : segment }
            // Who does nothing in a transaction keeps others from what it has locked.
            let isIdleInTransaction = reply.status != UInt8(ascii: "I")
            guard receive(within: isIdleInTransaction ? limits.idleInTransaction ?? 0 : 0) else { return nil }
        }
    }

    /// - Parameter limit: in nanoseconds; 0 for none.
    private func receive(within limit: Int64 = 0) -> Bool {
        unsafe Self.take(client, within: limit) { unsafe messages.add($0) }
    }

    private func give(_ bytes: [UInt8]) -> Bool { Self.give(client, bytes) }

    // MARK: The backend's side

    /// - Returns: the backend's whole answer; nil where the backend has gone.
    private func exchange(_ bytes: [UInt8]) -> EngineReply? {
        reply = EngineReply()
        isAnswered.value = 0
        guard Self.give(backend, bytes) else { return nil }
        while !reply.isWhole {
            if isReadable {
                guard receiveReply() else { return nil }
            } else if number != 0, engine.waitsForLock(number) {
                waitForLock()
            }
        }
        if !hasEnded { engine.settle() }
        return reply
    }

    /// The answer that others' changes would have brought, of which there were none.
    private func refuse(_ segment: EngineMessages.Segment) -> EngineReply? {
        engine.story.count("conflicts at the engine")
        // What is no statement leaves a transaction behind as a conflict does. A commit that fails ends it.
        guard let refused = exchange(EngineMessages.nonsense) else { return nil }
        let answer = refused.replacing(SQLState.syntaxError, with: SQLState.serializationFailure)
        guard segment.commits, let after = exchange(EngineMessages.rollback) else { return answer }
        return answer.withStatus(of: after)
    }

    private func waitForLock() {
        isBlocked = true
        defer { isBlocked = false }
        engine.story.count("waits for locks")
        let began = simulation_now()
        func wait(_ limit: Int64?) -> Bool {
            let deadline = limit.map { began + $0 } ?? Self.never
            return isAnswered.wait(until: deadline)
        }
        let first = min(limits.lock ?? Self.never, limits.statement ?? Self.never)
        if first > Self.deadlockTimeout {
            if wait(Self.deadlockTimeout) { return }
            if engine.isInDeadlock(number) {
                engine.story.count("deadlocks")
                return cancel(as: SQLState.deadlock)
            }
        }
        if wait(first == Self.never ? nil : first) { return }
        let isLockTimeout = limits.lock.map { $0 <= limits.statement ?? Self.never } ?? false
        cancel(as: isLockTimeout ? SQLState.lockTimeout : SQLState.canceled)
    }

    private func cancel(as state: String) {
        engine.cancel(number)
        while !reply.isWhole { guard receiveReply() else { return } }
        reply = reply.replacing(SQLState.canceled, with: state)
    }

    /// Looks whether who waited for a lock has it now, and waits for its answer then.
    func settle() {
        while isBlocked, !reply.isWhole {
            if isReadable {
                guard receiveReply() else { break }
            } else if engine.waitsForLock(number) {
                return
            }
        }
        isAnswered.value = 1
    }

    private var isReadable: Bool { simulation_engine_is_readable(backend, Self.glance) }

    private func receiveReply() -> Bool {
        if unsafe Self.take(backend, within: 0, { unsafe reply.add($0) }) { return true }
        reply.end()
        return false
    }

    private static func give(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        // Safe: the bytes live as long as the call.
        unsafe bytes.withUnsafeBytes { unsafe simulation_engine_give(socket, $0.baseAddress, $0.count) }
    }

    private static func take(_ socket: Int32, within limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        // Safe: the buffer lives as long as the call, and only what was written is read.
        unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
            let count = unsafe simulation_engine_take(socket, buffer.baseAddress, buffer.count, limit)
            guard count > 0 else { return false }
            unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return true
        }
    }
}

/// A number that a thread of the world waits for.
// Safe: its place is allocated here, and freed with this.
@safe private final class Shared {
    private let place = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    init() { unsafe place.initialize(to: 0) }
    deinit { unsafe place.deallocate() }

    var value: Int32 {
        get { unsafe place.pointee }
        set { unsafe place.pointee = newValue }
    }

    /// - Returns: whether it is not 0.
    func wait(until deadline: Int64) -> Bool { unsafe simulation_wait_until(place, deadline) }
}
