import Accounts

/// The columns of the audit trail that an event is written into, each once. Beside them an engine numbers the rows.
package enum AuditColumn: CaseIterable, Sendable {
    case at, event, user, oldIdentity, newIdentity, fields

    var name: String {
        switch self {
        case .at: "at"
        case .event: "event"
        case .user: "user_id"
        case .oldIdentity: "old_identity"
        case .newIdentity: "new_identity"
        case .fields: "fields"
        }
    }

    func value(in event: NewAuditEvent) -> ColumnValue {
        switch self {
        case .at: .integer(event.at)
        case .event: .text(event.kind.rawValue)
        case .user: .optional(event.user?.rawValue)
        case .oldIdentity: .optional(event.oldIdentity?.rawValue)
        case .newIdentity: .optional(event.newIdentity?.rawValue)
        case .fields: .optional(Self.text(of: event.fields))
        }
    }

    /// The names of attributes have no blanks.
    private static func text(of fields: [String]) -> String? {
        fields.isEmpty ? nil : fields.joined(separator: " ")
    }

    package static func fields(in text: String?) -> [String] { text?.split(separator: " ").map(String.init) ?? [] }

    /// The columns of an INSERT.
    package static let names = allCases.map(\.name).joined(separator: ", ")
    /// The SELECT list of what an event is read from.
    package static let readNames = "id, " + names

    /// What is selected for them as part of a single statement, where they are rows of its other parts.
    package static func expressions(
        at time: String, event: String, user: String, oldIdentity: String, newIdentity: String, fields: String
    ) -> String {
        allCases.map { column in
            switch column {
            case .at: time
            case .event: event
            case .user: user
            case .oldIdentity: oldIdentity
            case .newIdentity: newIdentity
            case .fields: fields
            }
        }.joined(separator: ", ")
    }
}
