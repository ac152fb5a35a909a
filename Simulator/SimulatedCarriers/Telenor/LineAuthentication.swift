internal import Crypto
internal import HTTPServer
internal import JSON

/// The lines that handsets have shown to be on: what a handset gets from the cellular network, and an authorization
/// request brings as `aloha_token`.
final class LineAuthentication: Sendable {
    private struct Line: Sendable {
        let subscriber: Subscriber
        let expiry: Int64
    }

    private static let maximumLifetime: Int64 = 3600
    static let usualLifetime: Int64 = 60

    private static let stepLifetime: Int64 = 60
    private static let capacity = 10_000

    private let lines = ExpiringStore<Line>(lifetime: maximumLifetime, capacity: capacity)
    /// The names that prepare calls have had, which no other may have.
    private let prepared = ExpiringStore<Bool>(lifetime: maximumLifetime, capacity: capacity)
    /// What comes next, and on whose line.
    private let injections = ExpiringStore<Bool>(lifetime: stepLifetime, capacity: capacity)
    private let shown = ExpiringStore<Subscriber>(lifetime: stepLifetime, capacity: capacity)

    /// - Returns: the session's identifier; nil unless it lasts for 1 second to an hour.
    func begin(_ subscriber: Subscriber, seconds: Int64, now: Int64) -> String? {
        guard (1...Self.maximumLifetime).contains(seconds) else { return nil }
        let token = Random.token(byteCount: 24)
        lines.insert(Line(subscriber: subscriber, expiry: now + seconds), as: token, now: now)
        return token
    }

    /// Whose line it is; nil for what is no session, is over, or was taken before.
    func take(_ token: String, now: Int64) -> Subscriber? {
        Self.take(token, from: lines, now: now).flatMap { $0.expiry > now ? $0.subscriber : nil }
    }

    /// - Parameter log: the name that the handset gives it in the network's log.
    /// - Returns: what the next step is called; nil for a name that was there before.
    func prepare(as log: String, now: Int64) -> String? {
        guard prepared.value(log, now: now) == nil else { return nil }
        prepared.insert(true, as: log, now: now)
        let step = Random.token(byteCount: 16)
        injections.insert(true, as: step, now: now)
        return step
    }

    /// Whether that was prepared, and is taken for the first time.
    func takeInjection(_ step: String, now: Int64) -> Bool { Self.take(step, from: injections, now: now) != nil }

    /// - Returns: what the step is called by which the handset gets its session.
    func show(_ subscriber: Subscriber, now: Int64) -> String {
        let step = Random.token(byteCount: 16)
        shown.insert(subscriber, as: step, now: now)
        return step
    }

    /// Whose line was shown, the first time that somebody asks.
    func takeShown(_ step: String, now: Int64) -> Subscriber? { Self.take(step, from: shown, now: now) }

    private static func take<Value: Sendable>(
        _ name: String, from store: ExpiringStore<Value>, now: Int64
    ) -> Value? {
        store.with(name, now: now) { value in
            defer { value = nil }
            return value
        }
    }
}

/// `POST /control/line`: all of ``AlohaEndpoints`` in one step: the network's answer to a handset,
/// `{"uuid": …, "exp": …}`, for `{"subscriber": …, "seconds": …}`.
struct LineControl: Sendable {
    let world: World

    var routes: [Route] {
        [
            Route(.post, "/control/line") { request in
                let command = try? JSONValue(parsing: request.body)
                guard let subscriber = command?["subscriber"]?.string.flatMap(Subscriber.named) else {
                    return OAuthError.invalidRequest("The body is no JSON object with a subscriber.").response
                }
                let seconds = command?["seconds"]?.integer ?? LineAuthentication.usualLifetime
                guard let token = world.lines.begin(subscriber, seconds: seconds, now: World.now) else {
                    return OAuthError.invalidRequest("seconds is no number from 1 to 3600.").response
                }
                // For how long, and not until when: the handset counts from when it gets the answer.
                return .object(JSONObject([("uuid", .string(token)), ("exp", .integer(seconds))]))
            }
        ]
    }
}
