internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/audit`: the audit trail, a page at a time.
struct AuditEndpoint: Sendable {
    static let parameters = ["after", "limit", "user"]

    let store: AdminStore

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try QueryParameters(context.request)
        let (after, limit) = (try query.number("after") ?? 0, try query.limit())
        let user = try query.number("user").map(UserID.init(rawValue:))
        let events = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.auditEvents(after: after, limit: limit, user: user)
        }
        let next = events.count == limit ? events.last?.id : nil
        let page = UserDocument.present([
            "events": .array(events.map { UserDocument.event($0) }), "next_after": next.map { .integer($0) } ?? .null,
        ])
        return .secretJSON(page.serialized)
    }
}
