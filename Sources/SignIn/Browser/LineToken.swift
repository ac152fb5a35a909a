internal import Syntax

/// The session of a line authentication (TelenorID+'s `aloha_token`): the proof of a handset, by its own cellular
/// network, of the line that it is on. A server can't do that, so an app hands the session over with its authorization
/// request.
///
/// It goes on to the provider and nowhere else: it is not remembered with the sign-in that is under way, not even
/// sealed.
struct LineToken: Sendable {
    static let names = ["aloha_token", "aloha_expires_at"]

    private static let maximumBytes = 2048
    /// How far ahead its end may be, in seconds: the session of a line ends within minutes, so a later time is in
    /// another unit.
    private static let maximumLifetimeSeconds: Int64 = 86_400
    /// An earlier time, in seconds since 1970, is the number of seconds that the handset was told, which nobody can
    /// count from.
    private static let earliestTime: Int64 = 1_000_000_000

    let text: String
    /// In seconds since 1970; nil where the app does not say, and the provider alone tells when it is over.
    private let expiresAt: Int64?

    /// Reads it from an authorization request.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil where the request has none.
    /// - Throws: `invalid_request` for an ill-formed one, `expired_aloha_token` for one that is over.
    static func read(_ parameters: AuthorizationParameters, now: Int64) throws(AppRequest.Problem) -> LineToken? {
        let (text, end) = (parameters[.lineToken], parameters[.lineTokenExpiry])
        guard let text else {
            guard end == nil else { throw .invalid("aloha_token", "is missing beside aloha_expires_at") }
            return nil
        }
        guard text.utf8.count <= maximumBytes, text.utf8.allSatisfy(isTaken) else {
            throw .invalid("aloha_token", "is no token of at most \(maximumBytes) characters")
        }
        guard let end else { return LineToken(text: text, expiresAt: nil) }
        guard let expiresAt = Int64(end), expiresAt >= earliestTime, expiresAt <= now + maximumLifetimeSeconds else {
            throw .invalid("aloha_expires_at", "must be an absolute time in seconds since 1970, at most a day ahead")
        }
        let token = LineToken(text: text, expiresAt: expiresAt)
        guard token.isValid(at: now) else {
            throw AppRequest.Problem(
                "expired_aloha_token", "The aloha_token has expired: authenticate the line again, and begin anew.")
        }
        return token
    }

    /// Whether it is not known to be over.
    ///
    /// - Parameter now: seconds since 1970.
    func isValid(at now: Int64) -> Bool { expiresAt.map { $0 > now } ?? true }

    /// What bearer tokens are made of (RFC 6750 §2.1).
    private static func isTaken(_ byte: UInt8) -> Bool {
        byte.isUnreserved || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }
}
