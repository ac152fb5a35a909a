public import Accounts
internal import SignIn
import Synchronization
internal import Syntax

/// Counts failed sign-ins by provider, reason and the part of the net they come from: what shows that somebody tries
/// codes, that a carrier is down, or that an app was released with a fault, without writing down who it was.
///
/// Anybody can make a sign-in fail, so it is memory that counts, in a bounded number of ways, and what is stored is a
/// bounded number of rows now and then, however many failed.
public final class FailedSignInCounter: Sendable {
    /// How many ways to fail are told apart until the counts are taken. What comes beyond is counted together.
    static let maximumKinds = 1024
    /// How many counts are given at once: the largest, the last one being of all others together.
    public static let maximumCounts = 64
    /// How many names of sign-ins are kept with one count, and with all of them until they are taken: the first ones.
    static let maximumNames = 16
    static let maximumNamesInAll = 128
    /// What counts several ways together.
    static let others = "other"

    private struct Kind: Hashable {
        let provider: String?
        let reason: String
        let network: String
    }

    private struct State {
        var counts: [Kind: Int] = [:]
        var names: [Kind: [CorrelationHash]] = [:]
        var nameCount = 0
        var others = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Counts an answer to a sign-in. A link ticket is how a registration begins, and no failure.
    ///
    /// - Parameter names: what the sign-in is called: in the log, and by the answer to its request.
    func count(
        _ error: ServiceError, provider: String?, from network: @autoclosure () -> ClientNetwork,
        named names: [String] = []
    ) {
        if case .unlinked = error { return }
        let answer = ErrorAnswer(error)
        let reason = answer.reason.map { "\(answer.code): \($0)" } ?? answer.code
        let kind = Kind(provider: provider, reason: reason, network: network().prefix)
        state.withLock { state in
            guard state.counts[kind] != nil || state.counts.count < Self.maximumKinds else {
                state.others += 1
                return
            }
            state.counts[kind, default: 0] += 1
            for hash in names.compactMap(CorrelationHash.init(naming:)) {
                guard state.nameCount < Self.maximumNamesInAll,
                    state.names[kind, default: []].count < Self.maximumNames,
                    state.names[kind]?.contains(hash) != true
                else { continue }
                state.names[kind, default: []].append(hash)
                state.nameCount += 1
            }
        }
    }

    /// The counts since they were last taken, the largest first; at most ``maximumCounts``.
    public func take() -> [FailedSignInCount] {
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        var counts = taken.counts.map { kind, count in
            FailedSignInCount(
                provider: kind.provider, reason: kind.reason, network: kind.network, count: count,
                names: taken.names[kind] ?? [])
        }
        counts.sort {
            ($1.count, $0.reason, $0.network ?? "", $0.provider ?? "")
                < ($0.count, $1.reason, $1.network ?? "", $1.provider ?? "")
        }
        let isLumped = counts.count > Self.maximumCounts || taken.others > 0
        let kept = isLumped ? Self.maximumCounts - 1 : Self.maximumCounts
        let others = counts.dropFirst(kept).reduce(taken.others) { $0 + $1.count }
        counts.removeLast(max(0, counts.count - kept))
        if others > 0 {
            counts.append(FailedSignInCount(provider: nil, reason: Self.others, network: nil, count: others))
        }
        return counts
    }
}

extension ClientNetwork {
    /// The wider network that is written down: an IPv4 /24 or an IPv6 /48, which is never one person's alone.
    var prefix: String {
        let length = base.isIPv6 ? 48 : 24
        return "\(base.keeping(bits: length))/\(length)"
    }
}
