internal import Accounts
internal import Apps

/// How long the sessions of a client last, and whether a refresh replaces the refresh token.
struct RefreshTerms: Sendable {
    /// For how long a session lasts that nobody refreshes, in seconds.
    private let inactivitySeconds: Int64
    /// For how long it lasts however often it is refreshed, in seconds; nil for no end.
    let absoluteSeconds: Int64?
    let isReusable: Bool
    /// What apps see as `sub`.
    private let subjects: SubjectForm

    /// - Parameter app: nil for who posts codes, and names no app.
    init(of app: RegisteredApp?, _ configuration: TokenIssuer.Configuration) {
        let own = app?.refreshTokens
        inactivitySeconds = own?.inactivitySeconds ?? configuration.refreshTokenSeconds
        absoluteSeconds = own?.absoluteSeconds ?? configuration.absoluteSeconds
        isReusable = own?.use == .reusable
        subjects = configuration.subjects
    }

    /// When the first refresh token of a session stops working, in seconds since 1970.
    func firstExpiry(now: Int64) -> Int64 { now + firstSeconds }

    /// How long the first refresh token of a session works, in seconds.
    var firstSeconds: Int64 { min(inactivitySeconds, absoluteSeconds ?? .max) }

    /// When a session ends that is refreshed now and never again, unless it ends before.
    func expiry(now: Int64) -> Int64 { now + inactivitySeconds }

    /// The refresh token of a session. Where it stays good it is the same each time, and says when the session ends for
    /// good: the store alone knows that it ends sooner, since a client that keeps its first one has no other to hear of
    /// that from.
    func token(of session: Session) -> RefreshToken {
        guard isReusable, let absoluteSeconds else { return RefreshToken(of: session, as: subjects) }
        return RefreshToken(of: session, as: subjects, reusableUntil: session.createdAt + absoluteSeconds)
    }
}
