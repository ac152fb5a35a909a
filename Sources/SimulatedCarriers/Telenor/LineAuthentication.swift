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

    private let lines = ExpiringStore<Line>(lifetime: maximumLifetime, capacity: 10_000)

    /// - Returns: the session's identifier; nil unless it lasts for 1 second to an hour.
    func begin(_ subscriber: Subscriber, seconds: Int64, now: Int64) -> String? {
        guard (1...Self.maximumLifetime).contains(seconds) else { return nil }
        let token = Random.token(byteCount: 24)
        lines.insert(Line(subscriber: subscriber, expiry: now + seconds), as: token, now: now)
        return token
    }

    /// Whose line it is; nil for what is no session, or is over.
    func subscriber(of token: String, now: Int64) -> Subscriber? {
        lines.value(token, now: now).flatMap { $0.expiry > now ? $0.subscriber : nil }
    }
}

/// `POST /control/line`: the network's answer to a handset, `{"uuid": …, "exp": …}`, for `{"subscriber": …, "seconds":
/// …}`.
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
