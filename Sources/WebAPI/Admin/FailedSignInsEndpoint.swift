internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/sign-ins`: how often sign-ins failed and why, a page at a time; or those among which is one that a user
/// could not finish. `/admin/failed-sign-ins` is its former name.
struct FailedSignInsEndpoint: Sendable {
    static let parameters = ["request_id", "correlation_id", "provider", "since", "until", "after", "limit"]

    let store: AdminStore

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try QueryParameters(context.request)
        var search = FailedSignInSearch(
            after: try query.number("after") ?? 0, named: try Self.name(query), provider: try query.text("provider"),
            limit: try query.limit())
        if let since = try query.number("since") { search.since = since }
        if let until = try query.number("until") { search.until = until }
        let asked = search
        let rows = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.failedSignIns(asked)
        }
        let next = rows.count == asked.limit ? rows.last?.id : nil
        let page = UserDocument.present([
            "failed_sign_ins": .array(rows.map(Self.document)), "next_after": next.map { .integer($0) } ?? .null,
        ])
        return .secretJSON(page.serialized)
    }

    /// What one of them is called: by its app, or by the error that the app shows.
    private static func name(_ query: QueryParameters) throws(ServiceError) -> CorrelationHash? {
        let given = (try query.text("request_id"), try query.text("correlation_id"))
        switch given {
        case (nil, nil): return nil
        case (let text?, nil): return try hash(text, "request_id", "is none that an error names.")
        case (nil, let text?): return try hash(text, "correlation_id", "is none that an app can have given.")
        case (_?, _?):
            throw .invalidRequest("The parameters request_id and correlation_id name a sign-in each: send one.")
        }
    }

    private static func hash(
        _ text: String, _ parameter: String, _ problem: String
    ) throws(ServiceError) -> CorrelationHash {
        guard let hash = CorrelationHash(naming: text) else {
            throw .invalidRequest("The parameter \(parameter) \(problem)")
        }
        return hash
    }

    private static func document(_ row: FailedSignIns) -> JSONValue {
        UserDocument.present([
            "id": .integer(row.id), "at": .integer(row.at),
            "provider": row.count.provider.map { .string($0) } ?? .null, "reason": .string(row.count.reason),
            "sentence": .string(SignInFailure.sentence(row.count.reason)),
            "network": row.count.network.map { .string($0) } ?? .null, "count": .integer(Int64(row.count.count)),
        ])
    }
}
