internal import Accounts
internal import JSON

/// What an operator may be given to do.
public enum OperatorRole: String, Sendable, CaseIterable {
    /// Reads everything but what is personal, and can't search by it.
    case auditor
    /// Finds a user, looks, reads the trail and the failed sign-ins, and ends sessions.
    case support
    /// All of it.
    case `operator`
    /// The metrics and nothing else.
    case metrics
}

/// Whom an operation on the listener for operators is open to, and whether it is a look at a person.
package struct OperatorAct: Equatable, Sendable {
    let roles: Set<OperatorRole>
    /// Whether it takes a reason where `admin.reasons` demands them.
    var looksAtSomebody = false

    /// Reads how much of everything there is.
    static let scrape = OperatorAct(roles: [.auditor, .operator, .metrics])
    /// Reads what is nobody's in particular.
    static let read = OperatorAct(roles: [.auditor, .support, .operator])
    /// Looks at a person, or for one.
    static let look = OperatorAct(roles: [.support, .operator], looksAtSomebody: true)
    /// Does for a user what takes nothing away for good.
    static let help = OperatorAct(roles: [.support, .operator])
    /// Takes away for good, gives, or decides for others.
    static let manage = OperatorAct(roles: [.operator])
    /// Takes everything out that is kept about a person.
    static let export = OperatorAct(roles: [.operator], looksAtSomebody: true)

    func isOpen(to roles: Set<OperatorRole>) -> Bool { !self.roles.isDisjoint(with: roles) }
}

/// Who asks on the listener for operators.
struct AdmittedOperator: Equatable, Sendable {
    let name: String
    let roles: Set<OperatorRole>
}

extension OperatorAct {
    /// As the document has it.
    var sentence: String {
        let names = OperatorRole.allCases.filter(roles.contains).map { "`\($0.rawValue)`" }.joined(separator: ", ")
        let reason = looksAtSomebody ? " A reason is needed where `admin.reasons` demands it." : ""
        return "\n\nOpen to operators with a role of \(names).\(reason)"
    }

    static let reasonParameter: JSONValue = [
        "name": .string(OperatorAdmission.reasonField), "in": "header", "required": false,
        "description": .string(
            "Why the operator does this, for the audit trail: one line of at most \(AuditReason.mostCharacters) characters."
        ),
        "schema": ["type": "string", "minLength": 1, "maxLength": .integer(Int64(AuditReason.mostCharacters))],
    ]
}
