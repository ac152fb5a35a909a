internal import Crypto

/// An issuer's codes and tokens.
final class GrantStore: Sendable {
    /// RFC 6749 §4.1.2 recommends at most ten minutes; carriers give one.
    static let codeLifetime: Int64 = 60
    static let accessTokenLifetime: Int64 = 3_600
    private static let capacity = 200_000

    /// Something that may be used once; a second use shows that somebody has stolen it.
    private struct Once: Sendable {
        let grant: Grant
        var isUsed = false
    }

    private struct Issued: Sendable {
        let grant: Grant
        let issuedAt: Int64
    }

    private let codes: ExpiringStore<Once>
    private let accessTokens = ExpiringStore<Issued>(lifetime: accessTokenLifetime, capacity: capacity)
    private let refreshTokens: ExpiringStore<Once>
    private let revoked: ExpiringStore<Bool>

    /// Lifetimes are in seconds.
    init(codeLifetime: Int64 = codeLifetime, refreshTokenLifetime: Int64 = 86_400) {
        codes = ExpiringStore(lifetime: codeLifetime, capacity: Self.capacity)
        refreshTokens = ExpiringStore(lifetime: refreshTokenLifetime, capacity: Self.capacity)
        revoked = ExpiringStore(lifetime: refreshTokenLifetime, capacity: Self.capacity)
    }

    /// A code that carries the sign-in's misbehaviours in front.
    ///
    /// - Parameter bytes: how long it is at least.
    func makeCode(for grant: Grant, bytes: Int = 0, now: Int64) -> String {
        var code = (grant.plan.text.isEmpty ? "" : "\(grant.plan.text)~") + Random.token(byteCount: 24)
        code += String(repeating: "c", count: max(0, bytes - code.utf8.count))
        codes.insert(Once(grant: grant), as: code, now: now)
        return code
    }

    /// What a code carries in front.
    static func plan(ofCode code: String) -> MisbehaviourPlan {
        guard let end = code.lastIndex(of: "~") else { return .none }
        return MisbehaviourPlan(code[..<end]) ?? .none
    }

    func makeAccessToken(for grant: Grant, now: Int64) -> String {
        let token = Random.token(byteCount: 24)
        keep(accessToken: token, for: grant, now: now)
        return token
    }

    /// Keeps an access token that was made elsewhere.
    func keep(accessToken: String, for grant: Grant, now: Int64) {
        accessTokens.insert(Issued(grant: grant, issuedAt: now), as: accessToken, now: now)
    }

    func makeRefreshToken(for grant: Grant, now: Int64) -> String {
        let token = Random.token(byteCount: 24)
        refreshTokens.insert(Once(grant: grant), as: token, now: now)
        return token
    }

    /// What a code stands for, used or not; nil when it is unknown or expired.
    func holder(ofCode code: String, now: Int64) -> (grant: Grant, isUsed: Bool)? {
        codes.value(code, now: now).map { ($0.grant, $0.isUsed) }
    }

    /// Uses a code up. A second use revokes what came of the first (RFC 6749 §4.1.2).
    ///
    /// - Returns: nil when the code is unknown, expired, used or another client's; that client can still use it.
    func redeem(code: String, clientID: String, now: Int64) -> Grant? {
        use(code, of: codes, clientID, now: now)
    }

    /// Uses a refresh token up; the caller makes the next. A second use revokes the family (RFC 9700 §4.14.2).
    ///
    /// - Parameter isSpent: whether it is; else it may be used again.
    func redeem(refreshToken: String, clientID: String, isSpent: Bool = true, now: Int64) -> Grant? {
        guard let grant = use(refreshToken, of: refreshTokens, clientID, isSpent: isSpent, now: now) else { return nil }
        return grant.refreshesUntil.map { now < $0 } ?? true ? grant : nil
    }

    /// Revokes a token of either kind, and with it everything that was made of the same code (RFC 7009 §2.1). One that
    /// is unknown, or another client's, is passed over.
    ///
    /// - Parameter clientID: nil where the token alone is enough.
    /// - Returns: whether there was one.
    @discardableResult
    func revoke(_ token: String, clientID: String?, now: Int64) -> Bool {
        let grant = refreshTokens.value(token, now: now)?.grant ?? accessTokens.value(token, now: now)?.grant
        guard let grant, clientID.map({ $0 == grant.clientID }) ?? true else { return false }
        revoked.insert(true, as: grant.id, now: now)
        return true
    }

    func grant(accessToken: String, now: Int64) -> Grant? {
        issued(accessToken: accessToken, now: now)?.grant
    }

    /// What an access token stands for, and since when.
    func issued(accessToken: String, now: Int64) -> (grant: Grant, issuedAt: Int64)? {
        guard let issued = accessTokens.value(accessToken, now: now), !isRevoked(issued.grant, now: now) else {
            return nil
        }
        return (issued.grant, issued.issuedAt)
    }

    /// What a refresh token stands for that nobody has used yet.
    func grant(refreshToken: String, now: Int64) -> Grant? {
        guard let once = refreshTokens.value(refreshToken, now: now), !once.isUsed, !isRevoked(once.grant, now: now)
        else {
            return nil
        }
        return once.grant
    }

    private func use(
        _ name: String, of store: ExpiringStore<Once>, _ clientID: String, isSpent: Bool = true, now: Int64
    ) -> Grant? {
        let found = store.with(name, now: now) { once -> Once? in
            guard let before = once, before.grant.clientID == clientID else { return nil }
            if isSpent { once?.isUsed = true }
            return before
        }
        guard let found, !isRevoked(found.grant, now: now) else { return nil }
        if found.isUsed {
            revoked.insert(true, as: found.grant.id, now: now)
            return nil
        }
        return found.grant
    }

    /// Revokes what was granted in a browser's session, which has ended.
    func end(session: String, now: Int64) { revoked.insert(true, as: session, now: now) }

    private func isRevoked(_ grant: Grant, now: Int64) -> Bool {
        [grant.id, grant.session].contains { $0.map { revoked.value($0, now: now) == true } ?? false }
    }
}
