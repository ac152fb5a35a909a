internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `DELETE /admin/users/{user_id}/sessions`: ends all of a user's sessions, at once.
struct EndSessionsEndpoint: Sendable {
    let store: AdminStore

    func respond(to request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(request)
        let ended = try await store.ask { repository, now throws(RepositoryError) -> Int? in
            guard try await repository.user(user) != nil else { return nil }
            return try await repository.revokeSessions(of: user, except: nil, now: now)
        }
        guard let ended else { throw .unknownUser }
        let answer: JSONValue = ["user_id": .integer(user.rawValue), "sessions_ended": .integer(Int64(ended))]
        return .secretJSON(answer.serialized)
    }
}
