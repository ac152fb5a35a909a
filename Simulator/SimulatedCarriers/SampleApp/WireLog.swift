internal import HTTPServer
internal import JSON

/// What has been asked of the simulated issuers, for people to see: every request with its fields, and no secret.
///
/// A value stands there in full only if its field is named below as one that tells nothing. Of codes and other values
/// that are good once the beginning is shown, so that one is known again at its next stop; of verifiers, credentials
/// and tokens nothing.
struct WireLog: Sendable {
    private static let shown: Set<String> = [
        "acr_values", "client_id", "code_challenge_method", "context", "grant_type", "max_age", "mccmnc", "prompt",
        "redirect_uri", "response_type", "scope", "ui_locales",
    ]
    private static let begun: Set<String> = ["code", "code_challenge", "correlation_id", "nonce", "state"]
    private static let beginning = 6
    private static let longest = 200

    let world: World

    /// `?after=NUMBER`: the requests after that one, oldest first, and the number of the last.
    func newer(_ request: HTTPRequest) -> HTTPResponse {
        let after = Fields(query: request)?["after"].flatMap { Int($0) } ?? 0
        let requests = world.log.requests(after: after)
        return .object(
            JSONObject([
                ("last", .integer(Int64(requests.last?.number ?? world.log.last))),
                ("requests", .array(requests.map { .object(Self.shown($0.number, $0.request)) })),
            ]))
    }

    private static func shown(_ number: Int, _ recorded: RecordedRequest) -> JSONObject {
        // JSON has no fields, and would stand there as the name of one.
        let isForm = recorded.request.body.first != UInt8(ascii: "{")
        let fields = (recorded.queryFields + (isForm ? recorded.formFields : [])).map { field in
            JSONValue.object(
                JSONObject([("name", .string(cut(field.name))), ("value", .string(shown(field.name, field.value)))]))
        }
        var request = JSONObject([
            ("number", .integer(Int64(number))), ("time", .integer(recorded.milliseconds)),
            ("issuer", .string(recorded.issuer.rawValue)), ("endpoint", .string(recorded.endpoint.rawValue)),
            ("method", .string(recorded.request.method.rawValue)), ("path", .string(cut(recorded.request.path))),
            ("fields", .array(fields)),
        ])
        if let scheme = recorded.authorizationScheme {
            request.append("authorization", .string(["basic": "Basic …", "bearer": "Bearer …"][scheme] ?? "…"))
        }
        return request
    }

    private static func shown(_ name: String, _ value: String) -> String {
        if shown.contains(name) { return cut(value) }
        return begun.contains(name) && value.count > 2 * beginning ? value.prefix(beginning) + "…" : "…"
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? text.prefix(longest) + "…" : text
    }
}
