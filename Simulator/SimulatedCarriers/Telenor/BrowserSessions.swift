internal import Crypto
internal import HTTPServer

/// Who is signed in at an issuer, by the cookie of a browser: what `prompt=none` asks for, and signing out ends.
final class BrowserSessions: Sendable {
    struct Session: Sendable {
        /// What ID tokens name it by.
        let id: String
        let subscriber: Subscriber
        /// Unix time.
        let begun: Int64
    }

    private static let cookie = "simulated_session"
    private static let lifetime: Int64 = 14 * 86_400

    private let sessions = ExpiringStore<Session>(lifetime: lifetime, capacity: 200_000)
    private let ended = ExpiringStore<Bool>(lifetime: lifetime, capacity: 200_000)

    /// The session that a browser shows; nil where there is none, or none any more.
    func shown(by request: HTTPRequest, now: Int64) -> Session? {
        let pairs = request.headers("cookie").flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            return pair.hasPrefix(Self.cookie + "=") ? String(pair.dropFirst(Self.cookie.count + 1)) : nil
        }
        guard let value = values.first, let session = sessions.value(value, now: now), !isEnded(session.id, now: now)
        else { return nil }
        return session
    }

    /// - Returns: the session, and the header field that gives it to the browser.
    func begin(_ subscriber: Subscriber, now: Int64) -> (session: Session, field: (name: String, value: String)) {
        let session = Session(id: Random.token(byteCount: 16), subscriber: subscriber, begun: now)
        let key = Random.token(byteCount: 16)
        sessions.insert(session, as: key, now: now)
        return (session, ("Set-Cookie", "\(Self.cookie)=\(key); Path=/; HttpOnly; SameSite=Lax"))
    }

    func end(_ id: String, now: Int64) { ended.insert(true, as: id, now: now) }

    func isEnded(_ id: String, now: Int64) -> Bool { ended.value(id, now: now) == true }
}
