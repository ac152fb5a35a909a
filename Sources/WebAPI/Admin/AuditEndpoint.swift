internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/audit`: the audit trail, a page at a time.
struct AuditEndpoint: Sendable {
    static let parameters = ["event", "user", "actor", "since", "until", "order", "cursor", "after", "limit"]

    let store: AdminStore

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try Self.query(try QueryParameters(context.request))
        let page = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.auditPage(query)
        }
        guard let page else {
            throw .invalidRequest("The parameter cursor is of another order, or of another store; begin again without.")
        }
        // Behind what is shown, and on disk before it is.
        if let user = query.user { try await store.note(.auditViewed, of: user) }
        return .secretJSON(Self.document(page, query).serialized)
    }

    /// - Throws: `ServiceError.invalidRequest`.
    private static func query(_ query: QueryParameters) throws(ServiceError) -> AuditQuery {
        let after = try query.number("after")
        let order = try order(query, usually: after == nil ? .newestFirst : .oldestFirst)
        guard after == nil || order == .oldestFirst else {
            throw .invalidRequest("The parameter after goes with order asc only, not with desc; go on by cursor.")
        }
        var place = after.map { AuditQuery.Place.after($0) } ?? .start
        if let text = try query.text("cursor") {
            guard after == nil else { throw .invalidRequest("The parameters after and cursor do not go together.") }
            guard let cursor = AuditCursor(text), cursor.order == order else {
                throw .invalidRequest("The parameter cursor must be the next_cursor of a page of the same order.")
            }
            place = .cursor(cursor)
        }
        let actor = try query.text("actor")
        let asked = actor.flatMap { AuditActor($0) }
        guard actor == nil || asked != nil else {
            throw .invalidRequest(
                "The parameter actor must be user, system, operator:NAME, cli:NAME or provider:NAME.")
        }
        return AuditQuery(
            event: try query.text("event").map { AuditEvent.Kind(rawValue: $0) },
            user: try query.number("user").map(UserID.init(rawValue:)), actor: asked,
            since: try query.number("since"), until: try query.number("until"), order: order, place: place,
            limit: try query.limit())
    }

    private static func order(
        _ query: QueryParameters, usually: AuditQuery.Order
    ) throws(ServiceError) -> AuditQuery.Order {
        guard let text = try query.text("order") else { return usually }
        guard let order = AuditQuery.Order(rawValue: text) else {
            throw .invalidRequest("The parameter order must be asc or desc.")
        }
        return order
    }

    private static func document(_ page: AuditPage, _ query: AuditQuery) -> JSONValue {
        let isFull = page.events.count == query.limit
        var cursor = page.next?.text
        switch query.order {
        case .newestFirst: if !isFull { cursor = nil }
        // Who follows asks again from where they are.
        case .oldestFirst: if case .cursor(let same) = query.place, cursor == nil { cursor = same.text }
        }
        let after = isFull && query.order == .oldestFirst ? page.events.last?.id : nil
        return UserDocument.present([
            "events": .array(page.events.map { UserDocument.event($0) }),
            "next_cursor": cursor.map { .string($0) } ?? .null, "next_after": after.map { .integer($0) } ?? .null,
        ])
    }
}
