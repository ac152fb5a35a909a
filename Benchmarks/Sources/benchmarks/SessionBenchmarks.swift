internal import HTTPServer
internal import JSON
internal import WebAPI

/// What an app asks all day once its user is signed in, from the parsed request to the answer.
enum SessionBenchmarks {
    private static let refreshes = 100
    private static let looks = 1000

    static func all(_ carrier: Carrier, _ api: WebAPI, _ connection: Connection) -> [Benchmark] {
        var refreshing: [HTTPRequest] = []
        var looking: HTTPRequest?
        return [
            // A round before those that are counted signs everybody in, so that each refresh is a session's first.
            Benchmark("refresh", rounds: refreshes) {
                if refreshing.isEmpty {
                    for number in 0..<(refreshes + refreshes / 10) {
                        let token = try await signIn(number, carrier, api, connection, "refresh_token")
                        refreshing.append(
                            SignInBenchmarks.request(
                                #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#, to: "/auth/token"))
                    }
                }
                let response = await connection.respond(to: refreshing.removeLast(), with: api)
                require(response.status == .ok, "the session is refreshed")
            },
            Benchmark("get-user", rounds: looks) {
                let request: HTTPRequest
                if let looking {
                    request = looking
                } else {
                    let token = try await signIn(refreshes * 2, carrier, api, connection, "access_token")
                    request = SignInBenchmarks.request(
                        method: .get, "", to: "/users/me", [("Authorization", "Bearer \(token)")])
                    looking = request
                }
                let response = await connection.respond(to: request, with: api)
                require(response.status == .ok, "the user is shown")
            },
        ]
    }

    /// Signs in with an ID token that no other benchmark uses, and that is good however late this comes.
    ///
    /// - Returns: the answer's member of that name.
    private static func signIn(
        _ number: Int, _ carrier: Carrier, _ api: WebAPI, _ connection: Connection, _ member: String
    ) async throws -> String {
        let request = try SignInBenchmarks.nativeRequest(token: 1_000_000 + number, of: carrier)
        let answer = try JSONValue(parsing: await connection.respond(to: request, with: api).body)
        guard let token = answer.object?[member]?.string else {
            fatalError("a sign-in was answered without \(member)")
        }
        return token
    }
}
