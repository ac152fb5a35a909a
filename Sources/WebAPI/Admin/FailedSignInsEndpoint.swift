internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/failed-sign-ins`: how often sign-ins failed, a page at a time.
struct FailedSignInsEndpoint: Sendable {
    static let parameters = ["correlation_id", "after", "limit"]

    let store: AdminStore

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try QueryParameters(context.request)
        let (after, limit) = (try query.number("after") ?? 0, try query.limit())
        let name = try Self.name(query)
        let rows = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.failedSignIns(after: after, named: name, limit: limit)
        }
        let next = rows.count == limit ? rows.last?.id : nil
        let page = UserDocument.present([
            "failed_sign_ins": .array(rows.map(Self.document)), "next_after": next.map { .integer($0) } ?? .null,
        ])
        return .secretJSON(page.serialized)
    }

    private static func name(_ query: QueryParameters) throws(ServiceError) -> CorrelationHash? {
        guard let text = try query.text("correlation_id") else { return nil }
        guard let hash = CorrelationHash(naming: text) else {
            throw .invalidRequest("The parameter correlation_id is none that an app can have given.")
        }
        return hash
    }

    private static func document(_ row: FailedSignIns) -> JSONValue {
        UserDocument.present([
            "id": .integer(row.id), "at": .integer(row.at),
            "provider": row.count.provider.map { .string($0) } ?? .null, "reason": .string(row.count.reason),
            "network": row.count.network.map { .string($0) } ?? .null, "count": .integer(Int64(row.count.count)),
        ])
    }
}
