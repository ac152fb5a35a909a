internal import Crypto
internal import Dispatch
internal import SignIn
internal import Synchronization
internal import Telemetry

/// Where slow hashes are computed: on threads of their own, so many at once and not more, so that neither the loops nor
/// the machine's memory hear of a crowd. One for the process.
///
/// Whoever wants one waits for a place (``enter()``), with a bounded line before it, and gives it back (``leave()``).
final class PasswordHashing: Sendable {
    private struct Line {
        var taken = 0
        /// The oldest last.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    /// What new passwords are hashed with.
    let scrypt: Scrypt
    private let places: Int
    private let maximumWaiting: Int
    private let observers: Observers
    private let line = Mutex(Line())
    private let queue = DispatchQueue(label: "gatehouse.passwords", attributes: .concurrent)

    /// - Parameters:
    ///   - places: how many are hashed at once; at least 1.
    ///   - maximumWaiting: how many may wait for that.
    ///   - observers: hear of each hash.
    init(_ scrypt: Scrypt, places: Int, maximumWaiting: Int, observers: Observers) {
        self.scrypt = scrypt
        self.places = max(1, places)
        self.maximumWaiting = maximumWaiting
        self.observers = observers
    }

    /// Takes a place, in the order of who came first.
    ///
    /// - Throws: `ServiceError.overloaded` when too many wait.
    func enter() async throws(ServiceError) {
        let isLetIn = await withCheckedContinuation { continuation in
            switch join(continuation) {
            case .free: continuation.resume(returning: true)
            case .full: continuation.resume(returning: false)
            case .waits: break
            }
        }
        guard isLetIn else { throw .overloaded }
    }

    private enum Joining { case free, waits, full }

    private func join(_ continuation: CheckedContinuation<Bool, Never>) -> Joining {
        line.withLock { line in
            if line.taken < places {
                line.taken += 1
                return .free
            }
            guard line.waiting.count < maximumWaiting else { return .full }
            line.waiting.insert(continuation, at: 0)
            return .waits
        }
    }

    /// Gives a place back, to who has waited longest.
    func leave() {
        let next = line.withLock { line in
            let next = line.waiting.popLast()
            if next == nil { line.taken -= 1 }
            return next
        }
        next?.resume(returning: true)
    }

    /// Computes what takes long, for who has a place.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(CryptoError) -> Value {
        let step = observers.begin(.hashing)
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, CryptoError>, Never>) in
            queue.async { continuation.resume(returning: Result { () throws(CryptoError) in try body() }) }
        }
        if case .failure = result { step.end(.failed("crypto")) } else { step.end() }
        return try result.get()
    }

    /// How many wait for a place.
    var waiting: Int { line.withLock(\.waiting.count) }
}
