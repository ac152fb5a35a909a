internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `DELETE /admin/users/{user_id}`: erases a user for good.
struct EraseUserEndpoint: Sendable {
    let store: AdminStore

    func respond(to request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(request)
        let wasThere = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.erase(user, now: now)
        }
        guard wasThere else { throw .unknownUser }
        let answer: JSONValue = ["user_id": .integer(user.rawValue), "erased": true]
        return .secretJSON(answer.serialized)
    }
}
