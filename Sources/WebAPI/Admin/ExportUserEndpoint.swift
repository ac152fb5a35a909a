internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/users/{user_id}/export`: everything that is kept about a user, but the subjects.
struct ExportUserEndpoint: Sendable {
    let store: AdminStore

    func respond(to request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(request)
        let record = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.record(of: user, now: now)
        }
        guard let record else { throw .unknownUser }
        return .secretJSON(UserDocument.export(record, subjects: .asReferences).serialized)
    }
}
