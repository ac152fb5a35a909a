public import Accounts
internal import Apps
internal import Crypto
public import Providers
internal import Syntax
internal import System

/// The answer to a request that is sent again, since a phone that has lost an answer repeats its request, and some HTTP
/// stacks do by themselves.
///
/// The first use of a code counts, and only the app that has made it can know all that came with it: so the same
/// request gets the same answer, for a minute, as long as nobody has used what was answered. A copy that comes while
/// the first is under way waits for it.
struct SentAgain: Sendable {
    let repository: any SignInRepository & BudgetRepository & SecretKeyRepository
    let codes: DispatchedCodes
    /// How often a user's answers are given again; nil for any number.
    let repeats: Budget?
    let clock: Clock

    /// How long a copy waits between two looks at the first.
    private static let pause = Duration.milliseconds(50)
    /// How long it waits for a first that another instance has: that one may have been killed, and then nobody ends it.
    /// Who is told to come again finds the answer as well.
    private static let patienceElsewhere = Duration.seconds(3)

    /// Answers a request, and one that was answered before as it was answered then.
    ///
    /// - Parameters:
    ///   - request: the request; nil where it may not be sent again.
    ///   - use: what works once of it, by which its answer is found. Nobody asks for that but the one who comes second.
    ///   - patience: how long a copy waits for the first.
    ///   - first: makes the answer.
    ///   - again: makes it of what is kept of it; nil where it is not given again.
    /// - Throws: what `first` and `again` throw; `.overloaded` for a copy that has waited in vain, whose code is not
    ///   used up by it.
    func answer<Value>(
        _ request: RequestDigest?, _ use: () -> OneTimeUse?, within patience: Duration,
        first: () async throws(ServiceError) -> Value,
        again: (KeptAnswer) async throws(ServiceError) -> Value?
    ) async throws(ServiceError) -> Value {
        guard let request else { return try await first() }
        var deadline: ContinuousClock.Instant?
        while true {
            let refusal: ServiceError
            do throws(ServiceError) { return try await first() } catch {
                switch error {
                // A challenge is used up with the code, and looked at before it.
                case .invalidGrant(.codeAlreadyUsed), .invalidChallenge: refusal = error
                default: throw error
                }
            }
            guard let use = use() else { throw refusal }
            let end = deadline ?? ContinuousClock.now + patience
            deadline = end
            let (standing, hasWaited) = try await ended(use, patience, end)
            if case .answered(let kept) = standing, kept.answers(request, now: clock.seconds),
                let value = try await again(kept)
            {
                return value
            }
            // Where the first has come to nothing and has not spent the code, this one is the first.
            guard hasWaited, standing == .none else { throw refusal }
        }
    }

    /// What is kept of the answer to a request, where it is given again still.
    func kept(_ use: OneTimeUse) async throws(ServiceError) -> KeptAnswer? {
        let now = clock.seconds
        let standing = try await stored { () throws(RepositoryError) in
            try await repository.standing(of: use.hash, now: now)
        }
        guard let request = use.request, case .answered(let kept) = standing, kept.answers(request, now: now) else {
            return nil
        }
        return kept
    }

    /// Waits until the first use has come to its end.
    private func ended(
        _ use: OneTimeUse, _ patience: Duration, _ deadline: ContinuousClock.Instant
    ) async throws(ServiceError) -> (standing: UseStanding, hasWaited: Bool) {
        var hasWaited = false
        let elsewhere = min(deadline, ContinuousClock.now + Self.patienceElsewhere)
        while true {
            let standing = try await standing(of: use.hash, patience)
            guard case .underWay = standing else { return (standing, hasWaited) }
            hasWaited = true
            let end = codes.isClaimed(use.hash) ? deadline : elsewhere
            guard ContinuousClock.now < end, (try? await Task.sleep(for: Self.pause)) != nil else {
                throw .overloaded
            }
        }
    }

    private func standing(of use: TokenHash, _ patience: Duration) async throws(ServiceError) -> UseStanding {
        let now = clock.seconds
        if codes.isClaimed(use) { return .underWay(expiresAt: now + DispatchedCodes.memorySeconds) }
        let standing = try await stored { () throws(RepositoryError) in
            try await repository.standing(of: use, now: now)
        }
        guard case .underWay(let expiresAt) = standing else { return standing }
        // An instance that was killed in the middle ends nothing.
        let since = expiresAt - DispatchedCodes.memorySeconds
        return now - since <= patience.components.seconds + KeptAnswer.lifetimeSeconds ? standing : .none
    }

    /// The session of an answer that is given again.
    ///
    /// - Throws: `.rateLimited`, where that happens too often to one user.
    func signIn(
        _ session: SessionID, _ arrival: KeptAnswer.Arrival
    ) async throws(ServiceError) -> RepeatedSignIn? {
        let now = clock.seconds
        let repeated = try await stored { () throws(RepositoryError) in
            try await repository.repeatSignIn(session, arrival, now: now)
        }
        guard let repeated else { return nil }
        try await repository.take(repeats, for: String(repeated.session.user.rawValue), as: .refreshRepeats, now: now)
        return repeated
    }
}

/// Link tickets that come out the same when they are asked for again: the store has but their hash.
extension SentAgain {
    private static let label = Array("gatehouse link ticket".utf8)

    /// What is secret in the ticket of a sign-in that may be sent again; nil for any other's, which is random.
    func ticketSecret(for use: OneTimeUse?) async throws(ServiceError) -> [UInt8]? {
        guard let use, use.request != nil, let key = try await keys().first else { return nil }
        return Self.secret(for: use.hash, under: key)
    }

    /// The ticket of an answer that is given again.
    ///
    /// - Returns: nil where it was redeemed or is over, or its key is gone.
    func ticket(
        _ hash: TokenHash, of use: OneTimeUse, for permissions: Permissions
    ) async throws(ServiceError) -> LinkTicket? {
        let now = clock.seconds
        let told = try await stored { () throws(RepositoryError) in
            try await repository.repeatTicket(hash, now: now)
        }
        guard let told else { return nil }
        for key in try await keys() {
            let ticket = LinkTicket(
                provider: told.provider, secret: Self.secret(for: use.hash, under: key),
                attributes: told.profile.carrier, claims: told.profile.claims(of: told.provider),
                permissions: permissions)
            if ticket.hash == hash { return ticket }
        }
        return nil
    }

    private static func secret(for use: TokenHash, under key: SecretKey) -> [UInt8] {
        HMAC.sha256(label + use.bytes, key: key.bytes)
    }

    private func keys() async throws(ServiceError) -> [SecretKey] {
        try await stored { () throws(RepositoryError) in try await repository.secretKeys(for: .challenge) }
    }
}

extension RequestDigest {
    /// - Parameter bytes: all that the request says, and whose it is, in one order.
    package init(of bytes: [UInt8]) { self.init(Digest.sha256.withHash(of: bytes.span) { TokenHash(digest: $0) }) }
}

extension AuthorizedResponse {
    /// The same, from a request that may be sent again.
    ///
    /// - Parameters:
    ///   - digest: of the request.
    ///   - isProven: whether it shows whose it is by more than what it holds, as a bearer token does.
    /// - Returns: the response as it is, where nothing beside the code, or the ID token, shows that it comes from the
    ///   app that has it rightly: a nonce shows that which does not stand in the ID token as it is.
    public func repeatable(
        as digest: @autoclosure () -> RequestDigest, at provider: Provider, isProven: Bool = false
    ) -> AuthorizedResponse {
        guard isProven || codeVerifier != nil || provesNonce(at: provider) else { return self }
        var response = self
        response.request = digest()
        return response
    }

    private func provesNonce(at provider: Provider) -> Bool {
        guard nonce != nil else { return false }
        return idToken == nil || provider.configuration.nativeTokens?.hidesNonces == true
    }

    /// What works once of it, by which the answer to it is found again.
    func use(now: Int64) -> OneTimeUse? { evidence(now: now).oneTimeUse }
}
