import Accounts

/// The columns of the audit trail that an event is written into, each once. Beside them an engine numbers the rows.
package enum AuditColumn: CaseIterable, Sendable {
    case at, event, user, oldIdentity, newIdentity

    var name: String {
        switch self {
        case .at: "at"
        case .event: "event"
        case .user: "user_id"
        case .oldIdentity: "old_identity"
        case .newIdentity: "new_identity"
        }
    }

    func value(in event: NewAuditEvent) -> ColumnValue {
        switch self {
        case .at: .integer(event.at)
        case .event: .text(event.kind.rawValue)
        case .user: .optional(event.user?.rawValue)
        case .oldIdentity: .optional(event.oldIdentity?.rawValue)
        case .newIdentity: .optional(event.newIdentity?.rawValue)
        }
    }

    /// The columns of an INSERT.
    package static let names = allCases.map(\.name).joined(separator: ", ")
    /// The SELECT list of what an event is read from.
    package static let readNames = "id, " + names

    /// What is selected for them as part of a single statement, where they are rows of its other parts.
    package static func expressions(
        at time: String, event: String, user: String, oldIdentity: String, newIdentity: String
    ) -> String {
        allCases.map { column in
            switch column {
            case .at: time
            case .event: event
            case .user: user
            case .oldIdentity: oldIdentity
            case .newIdentity: newIdentity
            }
        }.joined(separator: ", ")
    }
}
