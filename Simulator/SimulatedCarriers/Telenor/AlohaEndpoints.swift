internal import HTTPServer
internal import JSON
internal import Syntax

/// Line authentication as an SDK does it over the cellular network ("Aloha"): prepare, inject, follow the redirect.
///
/// The network tells whose line it is by what it adds to the plain request on its way, which no handset can add itself:
/// here a header stands for it, and a request without one came over Wi-Fi.
struct AlohaEndpoints: Sendable {
    static let preparePath = "/hr/v1/prepare/{log}"
    static let injectPath = "/hr/v1/inject/{step}"
    static let sessionPath = "/hr/v1/session/{step}"
    /// What the network adds: the number of the line.
    static let lineHeader = "X-Simulated-Msisdn"

    let world: World
    let provider: Provider

    var routes: [Route] {
        [
            Route(.get, Self.preparePath) { prepare($0) }, Route(.get, Self.injectPath) { inject($0) },
            Route(.get, Self.sessionPath) { session($0) },
        ]
    }

    /// `{"injectPath": …}`, for a name in the network's log that is another each time.
    private func prepare(_ request: HTTPRequest) -> HTTPResponse {
        guard let log = request.parameters["log"], Self.isUUID(log) else {
            return OAuthError.invalidRequest("The name in the log is no UUID.").response
        }
        guard let step = world.lines.prepare(as: log.lowercased(), now: World.now) else {
            return OAuthError.invalidRequest("That name in the log was used before.").response
        }
        let path = world.url(provider.issuer) + Self.injectPath.replacing("{step}", with: step)
        return .object(JSONObject([("injectPath", .string(path))]))
    }

    /// A redirect to where the session is; an error for a request that the cellular network has added nothing to.
    private func inject(_ request: HTTPRequest) -> HTTPResponse {
        guard let step = request.parameters["step"], world.lines.takeInjection(step, now: World.now) else {
            return OAuthError.invalidRequest("Nothing was prepared for this, or it was injected before.").response
        }
        guard let subscriber = request.header(Self.lineHeader.lowercased()).flatMap(Subscriber.reached) else {
            return OAuthError(
                "access_denied", "The request did not come over the cellular network.", status: .forbidden
            ).response
        }
        let next = world.lines.show(subscriber, now: World.now)
        var response = HTTPResponse.redirect(
            to: world.url(provider.issuer) + Self.sessionPath.replacing("{step}", with: next))
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    /// `{"uuid": …, "exp": …}`: the session that goes with the authorization request, and for how many seconds.
    private func session(_ request: HTTPRequest) -> HTTPResponse {
        guard let subscriber = request.parameters["step"].flatMap({ world.lines.takeShown($0, now: World.now) }),
            let token = world.lines.begin(subscriber, seconds: LineAuthentication.usualLifetime, now: World.now)
        else { return OAuthError.invalidRequest("No line was shown for this, or it was asked for before.").response }
        return .object(
            JSONObject([("uuid", .string(token)), ("exp", .integer(LineAuthentication.usualLifetime))]))
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { $0.hexadecimalValue != nil }
    }
}
