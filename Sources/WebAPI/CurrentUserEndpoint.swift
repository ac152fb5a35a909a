internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/users/me`: the signed-in user, as flat strings, which is what stock apps decode.
struct CurrentUserEndpoint: Sendable {
    let sessions: Sessions
    let accounts: UserAccounts

    func show(_ request: HTTPRequest, _ notes: inout RequestNotes) async throws(APIError) -> HTTPResponse {
        let user = try await answered { () async throws(SignInError) -> User in
            guard let token = request.bearerToken else { throw .invalidToken }
            return try await sessions.user(of: token)
        }
        return Self.answer(user)
    }

    /// `PATCH`: what is there is set, null takes it away, the rest stays (RFC 7396).
    func edit(_ request: HTTPRequest, _ notes: inout RequestNotes) async throws(APIError) -> HTTPResponse {
        let session = try await sessions.session(of: request)
        let edits = try ProfileFields.edits(in: request)
        return Self.answer(
            try await answered { () async throws(SignInError) -> User in
                try await accounts.edit(edits, under: session)
            })
    }

    func erase(_ request: HTTPRequest, _ notes: inout RequestNotes) async throws(APIError) -> HTTPResponse {
        let session = try await sessions.session(of: request)
        try await answered { () async throws(SignInError) in try await accounts.erase(under: session) }
        return .emptyObject
    }

    private static func answer(_ user: User) -> HTTPResponse {
        let attributes = user.profile.shown
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", user.id.rawValue)
            body.member(
                "username",
                user.profile.own["username"] ?? attributes["preferred_username"] ?? attributes.email ?? user.reference)
            body.member("zenkey_sub", user.reference)
            for attribute in attributes.members where !ownMembers.contains(attribute.name) {
                body.member(attribute.name, attribute.value)
            }
        }
        return .secretJSON(writer.bytes)
    }

    /// Members whose values are ours, whatever a carrier calls its attributes.
    private static let ownMembers: Set<String> = ["user_id", "username", "zenkey_sub"]
}

extension HTTPResponse {
    /// Done, and there is nothing to tell. Not 204: stock iOS apps take 200 only.
    static var emptyObject: HTTPResponse { .secretJSON(Array("{}".utf8)) }
}
