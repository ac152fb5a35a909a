internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /users/me`: the signed-in user, as flat strings, which is what stock apps decode.
struct CurrentUserEndpoint: Sendable {
    let sessions: Sessions

    func respond(to request: HTTPRequest, _ notes: inout RequestNotes) async throws(APIError) -> HTTPResponse {
        let user: User
        do throws(SignInError) {
            guard let token = request.bearerToken else { throw .invalidToken }
            user = try await sessions.user(of: token)
        } catch {
            throw .signIn(error)
        }
        let attributes = user.profile.carrier
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", user.id.rawValue)
            body.member("username", attributes["preferred_username"] ?? attributes.email ?? user.reference)
            body.member("zenkey_sub", user.reference)
            for attribute in attributes.members where !Self.ownMembers.contains(attribute.name) {
                body.member(attribute.name, attribute.value)
            }
        }
        return .secretJSON(writer.bytes)
    }

    /// Members whose values are ours, whatever a carrier calls its attributes.
    private static let ownMembers: Set<String> = ["user_id", "username", "zenkey_sub"]
}
