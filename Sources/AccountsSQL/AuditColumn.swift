package import Accounts

/// The columns of the audit trail that an event is written into, each once. Beside them an engine numbers the rows.
package enum AuditColumn: CaseIterable, Sendable {
    case at, event, user, oldIdentity, newIdentity, fields, actor, app, session, request, reason, count

    /// Its name, and what it holds.
    package var column: Table.Column {
        switch self {
        case .at: .integer("at")
        case .event: .text("event")
        case .user: .integer("user_id").optional
        case .oldIdentity: .integer("old_identity").optional
        case .newIdentity: .integer("new_identity").optional
        case .fields: .text("fields").optional
        case .actor: .text("actor").optional
        case .app: .text("app").optional
        case .session: .bytes("session_id").optional
        case .request: .text("request").optional
        case .reason: .text("reason").optional
        case .count: .integer("count").optional
        }
    }

    var name: String { column.name }

    func value(in event: NewAuditEvent) -> ColumnValue {
        switch self {
        case .at: .integer(event.at)
        case .event: .text(event.kind.rawValue)
        case .user: .optional(event.user?.rawValue)
        case .oldIdentity: .optional(event.oldIdentity?.rawValue)
        case .newIdentity: .optional(event.newIdentity?.rawValue)
        case .fields: .optional(Self.text(of: event.fields))
        case .actor: .text(event.origin.actor.text)
        case .app: .optional(event.origin.app)
        case .session: event.origin.session.map { .session($0) } ?? .null
        case .request: .optional(event.origin.request)
        case .reason: .optional(event.origin.reason)
        case .count: .optional(event.count)
        }
    }

    /// The names of attributes have no blanks.
    static func text(of fields: [String]) -> String? { fields.isEmpty ? nil : fields.joined(separator: " ") }

    private static func fields(in text: String?) -> [String] { text?.split(separator: " ").map(String.init) ?? [] }

    /// The columns of an INSERT.
    package static let names = allCases.map(\.name).joined(separator: ", ")
    /// The SELECT list of what an event is read from.
    package static let readNames = "id, " + names

    /// What is selected for them as part of a single statement, where the user and the identity are rows of its other
    /// parts, and the rest of the event has places of its own (``values(of:)``).
    ///
    /// - Parameter place: the number of the first of those.
    package static func expressions(from place: Int, user: String, newIdentity: String) -> String {
        var place = place
        return allCases.map { column in
            switch column {
            case .user: return user
            case .newIdentity: return newIdentity
            default:
                defer { place += 1 }
                // A number that stands alone is taken for a smaller kind, and nothing for a text.
                switch column.column.kind {
                case .integer: return "$\(place)::int8"
                case .text: return "$\(place)::text"
                case .bytes: return "$\(place)::bytea"
                }
            }
        }.joined(separator: ", ")
    }

    /// What goes to the places of ``expressions(from:user:newIdentity:)``.
    package static func values(of event: NewAuditEvent) -> [ColumnValue] {
        allCases.filter { $0 != .user && $0 != .newIdentity }.map { $0.value(in: event) }
    }

    /// How many places those are.
    package static let placeCount = allCases.count - 2

    /// The event of a row of ``readNames``.
    package static func event(_ row: some ReadableRow) throws(RepositoryError) -> AuditEvent {
        var origin = try row.optionalText(7).flatMap { AuditActor($0) }.map { AuditOrigin(actor: $0) }
        origin?.app = try row.optionalText(8)
        origin?.session = try row.optionalSessionID(9)
        origin?.request = try row.optionalText(10)
        origin?.reason = try row.optionalText(11)
        return AuditEvent(
            id: try row.integer(0), at: try row.integer(1), kind: AuditEvent.Kind(rawValue: try row.text(2)),
            user: try row.optionalInteger(3).map(UserID.init(rawValue:)),
            oldIdentity: try row.optionalInteger(4).map(IdentityID.init(rawValue:)),
            newIdentity: try row.optionalInteger(5).map(IdentityID.init(rawValue:)),
            fields: fields(in: try row.optionalText(6)), origin: origin, count: try row.optionalInteger(12))
    }
}
