public import Accounts
internal import Foundation

/// Sign-ins as the use cases would hand them in, every secret of them random.
public enum Sample {
    public static let now: Int64 = 1_790_000_000
    public static let issuer = "https://carrier.example"
    public static let oldIssuer = "https://former.example"
    public static let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "phone_number": "+12065550100", "postal_code": "90210", "birthdate": "1990-02-29",
    ]

    /// Jane's attributes as her sign-in by subject 1 brings them.
    public static let said = ProviderStatement(provider: "zenkey", subject: "1", attributes: jane, at: now)

    /// How often the same thing is done where many do it: `DEV_REPEATS`, 160 when unset.
    static var repeats: Int {
        ProcessInfo.processInfo.environment["DEV_REPEATS"].flatMap { Int($0) } ?? 160
    }

    public static func hash() -> TokenHash {
        let bytes = (0..<TokenHash.byteCount).map { _ in UInt8.random(in: 0...255) }
        guard let hash = TokenHash(bytes) else { preconditionFailure("32 bytes make a digest") }
        return hash
    }

    public static func sessionID(now: Int64 = now) -> SessionID {
        SessionID(now: now, random: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)))
    }

    public static func code(expiresAt: Int64 = now + 600, request: RequestDigest? = nil) -> OneTimeUse {
        OneTimeUse(hash: hash(), expiresAt: expiresAt, request: request)
    }

    public static func subject(_ value: String, at issuer: String = issuer) -> Subject {
        Subject(issuer: issuer, value: value)
    }

    public static func session(expiresAt: Int64 = now + 86_400) -> NewSession {
        let id = sessionID()
        return NewSession(
            id: id, family: id, expiresAt: expiresAt, userAgent: "App/1.0", authentication: authentication(now),
            authenticatedAt: now - 5, challengedAt: nil, client: "ccid-0123456789abcdef", scope: nil, audience: nil,
            declined: "email phone", upstreamSession: nil, source: .signIn, replaces: nil)
    }

    public static func signIn(
        _ subject: Subject, code: OneTimeUse = code(), evidence: Evidence? = nil, ported: [PortedSubject] = [],
        registration: Registration = .automatic(reference: "reference"), attributes: Attributes = jane,
        session: NewSession = session(), beginning: SignInBeginning? = nil, maximumSessions: Int64? = 50,
        maximumPerApp: Int64? = nil,
        now: Int64 = now
    ) -> SignInRecord {
        SignInRecord(
            (
                evidence: evidence ?? .authorizationCode(code), challenge: nil, provider: "zenkey", subject: subject,
                personKey: nil, ported: ported,
                refusedPortTokens: 0, registration: registration, attributes: attributes, own: nil,
                claims: TypedClaims(),
                session: session, beginning: beginning ?? .seen(now * 1000 + 1), appCode: nil, push: nil,
                approval: nil, kept: nil,
                sessionLimits: SessionLimits(inAll: maximumSessions, perApp: maximumPerApp), now: now
            ))
    }

    public static func ported(_ subject: Subject, token: TokenHash = hash()) -> PortedSubject {
        PortedSubject(subject: subject, token: OneTimeUse(hash: token, expiresAt: now + 200 * 86_400))
    }

    public static func link(
        _ subject: Subject, _ session: SessionID, code: OneTimeUse = code(), demands: SensitiveDemands = demands,
        attributes: Attributes = Attributes(), now: Int64 = now
    ) -> LinkRecord {
        LinkRecord(
            evidence: .authorizationCode(code), challenge: nil, session: session, demands: demands, provider: "other",
            subject: subject, beginning: .seen(now * 1000 + 1), authenticationTime: now - 5, upstreamSession: nil,
            attributes: attributes, claims: TypedClaims(), kept: nil, now: now)
    }

    /// A request like no other.
    public static func request() -> RequestDigest { RequestDigest(hash()) }

    /// A redemption by a user who says nothing of themselves.
    public static func redemption(
        ticket: TokenHash, session: NewSession, reference: String,
        own: Attributes = Attributes(), request: RequestDigest = Sample.request(), now: Int64
    ) -> TicketRedemption {
        TicketRedemption(
            ticket: ticket, session: session, reference: reference, own: own, request: request, now: now)
    }

    /// How a user who signs in was authenticated, five seconds before.
    public static func authentication(_ now: Int64 = now) -> Authentication {
        Authentication(acr: "a3", amr: ["hwk", "pin"], time: now - 5)
    }

    /// What most tests are not about: any age will do.
    public static let demands = SensitiveDemands(
        maximumAgeSeconds: nil, minimumIdentityAgeSeconds: 0, challenge: .endings)
    /// As the defaults of the configuration have it.
    public static let usualDemands = SensitiveDemands(
        maximumAgeSeconds: 300, minimumIdentityAgeSeconds: 86_400, challenge: .endings)

    public static func transaction(_ subject: Subject, _ session: SessionID) -> TransactionRecord {
        TransactionRecord(
            evidence: .authorizationCode(code()), challenge: nil, session: session, subject: subject,
            minimumIdentityAgeSeconds: 0,
            receipt: sessionID().description, contextHash: hash(), nonce: "the-nonce",
            authentication: authentication(now), provider: "zenkey", client: "ccid-0123456789abcdef", now: now)
    }

    public static func refresh(
        _ session: SessionID, _ generation: Int64, of user: UserID, client: String? = nil,
        expiresAt: Int64 = now + 86_400, absoluteSeconds: Int64? = nil, isReusable: Bool = false,
        repeats: RefreshRepeat = .grace(seconds: 10), now: Int64 = now
    ) -> RefreshRecord {
        RefreshRecord(
            session: session, presented: .signed(generation: generation, user: user), client: client,
            expiresAt: expiresAt,
            absoluteSeconds: absoluteSeconds, isReusable: isReusable, repeats: repeats, now: now)
    }

    public static func refresh(
        _ session: SessionID, presenting token: PresentedRefreshToken, now: Int64 = now
    ) -> RefreshRecord {
        RefreshRecord(
            session: session, presented: token, client: nil, expiresAt: now + 86_400, absoluteSeconds: nil,
            isReusable: false, repeats: .grace(seconds: 10), now: now)
    }
}

extension SignInRecord {
    /// Its fields, to be changed one by one.
    public var draft: Fields {
        get { fields }
        set { self = SignInRecord(newValue) }
    }
}

/// So that a test can expect a refusal as it expects an error. A refusal is returned by the repository, and committed.
extension Refusal: Error {}

extension AccountRepository {
    /// Signs in where the outcome has to be a session.
    public func signedIn(_ record: SignInRecord) async throws -> SignedIn {
        switch try await signIn(record) {
        case .signedIn(let signedIn): return signedIn
        case .unlinked: throw ContractViolation.notSignedIn
        case .refused(let refusal): throw refusal
        }
    }

    @discardableResult
    public func linked(_ record: LinkRecord) async throws -> (identity: Identity, isNew: Bool) {
        switch try await link(record) {
        case .linked(let identity, let isNew): return (identity, isNew)
        case .refused(let refusal): throw refusal
        }
    }

    @discardableResult
    public func unlinked(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws -> UnlinkOutcome {
        let outcome = try await unlink(identity, under: session, demands: demands, now: now)
        if case .refused(let refusal) = outcome { throw refusal }
        return outcome
    }

    @discardableResult
    public func redeemed(_ redemption: TicketRedemption) async throws -> RedeemedTicket {
        switch try await redeemTicket(redemption) {
        case .redeemed(let ticket): return ticket
        case .refused(let refusal): throw refusal
        }
    }

    @discardableResult
    public func receipted(_ record: TransactionRecord) async throws -> ReceiptOutcome {
        let outcome = try await storeReceipt(record)
        if case .refused(let refusal) = outcome { throw refusal }
        return outcome
    }

    @discardableResult
    public func edited(
        under session: SessionID, _ edits: [ProfileEdit], demands: SensitiveDemands, now: Int64
    ) async throws -> User {
        switch try await editProfile(under: session, edits, demands: demands, now: now) {
        case .edited(let user): return user
        case .refused(let refusal): throw refusal
        }
    }

    /// - Returns: how many sessions ended; nil where there is no such one.
    @discardableResult
    public func ended(
        _ id: SessionID?, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws -> Int? {
        let outcome =
            if let id {
                try await endSession(id, under: session, demands: demands, now: now)
            } else {
                try await endSessions(under: session, demands: demands, now: now)
            }
        switch outcome {
        case .ended(let count): return count
        case .notFound: return nil
        case .refused(let refusal): throw refusal
        }
    }

    public func erased(under session: SessionID, demands: SensitiveDemands, now: Int64) async throws {
        if case .refused(let refusal) = try await erase(under: session, demands: demands, now: now) { throw refusal }
    }

    /// Edits a user's profile under the oldest of the user's sessions.
    @discardableResult
    public func editProfile(of user: UserID, _ edits: [ProfileEdit], now: Int64) async throws -> User {
        guard let session = try await sessions(of: user, now: now).first else { throw ContractViolation.notSignedIn }
        return try await edited(under: session.id, edits, demands: Sample.demands, now: now)
    }

    /// The whole audit trail without its numbers and times.
    public func auditTrail() async throws -> [AuditEvent.Kind] {
        try await auditEvents(after: 0, limit: .max).map(\.kind)
    }
}

public enum ContractViolation: Error {
    case notSignedIn, notMerged, notLinked, endlessTrail
}
