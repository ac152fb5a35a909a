internal import Crypto
internal import Dispatch
internal import SignIn
internal import Telemetry

/// Where slow hashes are computed: on threads of their own, so many at once and not more, so that neither the loops nor
/// the machine's memory hear of a crowd. One for the process.
///
/// A caller that wants one waits for a place (``enter(_:)``), in a bounded line where each key and each address has its
/// turn, and gives it back (``leave(_:)``).
final class PasswordHashing: Sendable {
    /// What new passwords are hashed with.
    let scrypt: Scrypt
    private let observers: Observers
    private let line: FairLine
    private let queue = DispatchQueue(label: "gatehouse.passwords", attributes: .concurrent)

    /// - Parameters:
    ///   - places: how many are hashed at once; at least 1.
    ///   - maximumWaiting: how many may wait for that.
    ///   - observers: hear of each hash.
    init(_ scrypt: Scrypt, places: Int, maximumWaiting: Int, observers: Observers) {
        (self.scrypt, self.observers) = (scrypt, observers)
        line = FairLine(places: places, maximumWaiting: maximumWaiting)
    }

    /// Takes a place when it is this one's turn.
    ///
    /// - Throws: `ServiceError.overloaded` when too many wait.
    func enter(_ turn: FairLine.Turn) async throws(ServiceError) { try await line.enter(turn) }

    /// Gives a place back, to whose turn is next.
    func leave(_ turn: FairLine.Turn) { line.leave(turn) }

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
    var waiting: Int { line.waiting }
}
