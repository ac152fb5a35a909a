internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /admin/users/{user_id}/merge`: makes one user of two, by an operator's word.
struct MergeUsersEndpoint: Sendable {
    private enum Parameter: String, ParameterNames {
        case user = "user_id"

        var form: ParameterForm { ParameterForm(or: .number(width: 0)) }
    }

    private static let parameters = ParameterTable<Parameter>()

    let store: AdminStore

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let kept = try store.user(context.request)
        let parameters = try RequestParameters(context.request, Self.parameters)
        guard let number = parameters[.user].flatMap({ Int64($0) }), number > 0 else {
            throw .invalidParameter(ParameterError("user_id", "must be the number of the user who goes"))
        }
        let line = store.line()
        let outcome = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.merge(
                MergeRecord(
                    .operator(kept: kept, absorbed: UserID(rawValue: number)), line: line, now: now))
        }
        let merged = try outcome.users()
        let answer: JSONValue = [
            "user_id": .integer(merged.kept.rawValue), "merged_user_id": .integer(merged.absorbed.rawValue),
            "identity_ids": .array(merged.identities.map { .integer($0.rawValue) }),
        ]
        return .secretJSON(answer.serialized)
    }
}
