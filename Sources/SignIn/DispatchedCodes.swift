internal import Accounts
internal import Synchronization

/// The authorization codes that this process is sending or has sent to a provider, and where.
///
/// A code belongs to one issuer: the first it is sent to, bound to it before it is sent. So a carrier that is handed
/// another's code can have it used nowhere: the defence against mix-up (RFC 9700 §4.4) for apps that have no `iss` to
/// tell. The repository remembers the codes whose use is on disk; here are those under way, and those that nobody took.
///
/// The bound: anybody can make up codes that are refused, so these have memory of their own, 120 MiB at most. A binding
/// stands for twenty minutes unless more than five million codes are refused in that time (4,500 a second; eleven
/// million when they come at once); then the oldest go first, and no sign-in is turned away for it. A restart forgets
/// bindings: until the code itself has expired, only `iss` tells then.
public final class DispatchedCodes: Sendable {
    /// How long a code is remembered, in seconds: twice the longest life that RFC 6749 §4.1.2 recommends.
    static let memorySeconds: Int64 = 1200

    /// What may be done with a claimed code.
    enum Binding: Equatable {
        case bound
        /// It was sent to another issuer before.
        case elsewhere
        case spent
    }

    /// What became of a claimed code, as far as this process has to remember it.
    enum End {
        /// It was not sent, or the repository has it.
        case nothingToRemember
        /// Nobody took it: its issuer may be asked again, and no other.
        case refused
        /// It may have been spent, and the repository could not take that.
        case spent
    }

    private struct State {
        /// With the issuer, once there is one.
        var inFlight: [TokenHash: String?] = [:]
        var codes: RecentHashes
        /// With what marks the code each was spent on.
        var challenges: RecentHashes
    }

    private let state: Mutex<State>
    /// What the store is still to be told of them.
    let late = LateSettlements()
    /// Stands where an issuer would, for a code that may go to none.
    private static let nobody = TokenHash(sha256: "")

    public convenience init() {
        self.init(maximumSlots: 1 << 21, maximumChallengeSlots: 1 << 18)
    }

    /// - Parameter maximumSlots: of one generation of codes, and likewise of challenges.
    init(maximumSlots: Int, maximumChallengeSlots: Int) {
        state = Mutex(
            State(
                codes: RecentHashes(bounds: .init(lifetime: Self.memorySeconds, maximumSlots: maximumSlots)),
                challenges: RecentHashes(
                    bounds: .init(lifetime: Challenges.lifetimeSeconds, maximumSlots: maximumChallengeSlots))))
    }

    /// How much memory those take that nobody took.
    var byteCount: Int { state.withLock { $0.codes.byteCount + $0.challenges.byteCount } }

    /// Whether a request has a code.
    func isClaimed(_ code: TokenHash) -> Bool { state.withLock { $0.inFlight[code] != nil } }

    /// Claims a code for one request; ``release(_:_:now:)`` must follow.
    ///
    /// - Returns: false when another request has it.
    func claim(_ code: TokenHash) -> Bool {
        state.withLock { state in
            if state.inFlight[code] != nil { return false }
            state.inFlight.updateValue(nil, forKey: code)
            return true
        }
    }

    /// Claims what was posted, an ID token and a code beside it too; ``release(_:_:now:)`` must follow.
    ///
    /// - Returns: false when another request has one of them.
    func claim(_ evidence: Evidence) -> Bool {
        guard let use = evidence.oneTimeUse else { return true }
        guard claim(use.hash) else { return false }
        guard let code = evidence.code, code != use, !claim(code.hash) else { return true }
        release(use.hash, .nothingToRemember, now: 0)
        return false
    }

    /// Ends the claims; what became of the code, if there is one, is remembered.
    func release(_ evidence: Evidence, _ end: End, now: Int64) {
        let code = evidence.code
        if let code { release(code.hash, end, now: now) }
        if let use = evidence.oneTimeUse, use != code { release(use.hash, .nothingToRemember, now: now) }
    }

    /// Binds a claimed code to the issuer that it is about to be sent to.
    ///
    /// - Parameter now: seconds since 1970.
    func bind(_ code: TokenHash, to issuer: String, now: Int64) -> Binding {
        state.withLock { state in
            if let known = state.codes.mark(of: code, now: now),
                known != state.codes.mark(for: TokenHash(sha256: issuer))
            {
                return known == state.codes.mark(for: Self.nobody) ? .spent : .elsewhere
            }
            state.inFlight.updateValue(issuer, forKey: code)
            return .bound
        }
    }

    /// Spends a challenge on the code that is about to be sent with it: from then on it counts with no other.
    ///
    /// - Returns: false when it was spent on another.
    func spend(_ challenge: TokenHash, on code: TokenHash, now: Int64) -> Bool {
        state.withLock { state in
            let mark = state.challenges.mark(for: code)
            if let known = state.challenges.mark(of: challenge, now: now) { return known == mark }
            state.challenges.remember(challenge, mark, now: now)
            return true
        }
    }

    /// Ends a claim.
    func release(_ code: TokenHash, _ end: End, now: Int64) {
        state.withLock { state in
            guard let issuer = state.inFlight.removeValue(forKey: code) else { return }
            switch end {
            case .nothingToRemember: return
            case .refused:
                guard let issuer else { return }
                state.codes.remember(code, state.codes.mark(for: TokenHash(sha256: issuer)), now: now)
            case .spent: state.codes.remember(code, state.codes.mark(for: Self.nobody), now: now)
            }
        }
    }
}
