package import Accounts

/// The INSERT of a session that is opened, as part of a single statement of PostgreSQL's, where the user and the
/// identity are rows of its other parts.
package struct SessionPart {
    /// The columns of its INSERT.
    package let names: String
    /// What is selected for them.
    package let expressions: String

    /// - Parameters:
    ///   - place: the number of the first place that the session's values have (``values(of:)``).
    ///   - user: an expression for the column of it, as the next three.
    package init(from place: Int, user: String, identity: String, provider: String, now: String) {
        var names: [String] = []
        var expressions: [String] = []
        var place = place
        for column in SessionColumn.allCases {
            switch column.opening {
            case .session:
                // A number that stands alone is taken for a smaller kind.
                expressions.append(column.column.kind == .integer ? "$\(place)::int8" : "$\(place)")
                place += 1
            case .user: expressions.append(user)
            case .identity: expressions.append(identity)
            case .provider: expressions.append(provider)
            case .now: expressions.append(now)
            case .noBytes, .nothing: continue
            }
            names.append(column.name)
        }
        self.names = names.joined(separator: ", ")
        self.expressions = expressions.joined(separator: ", ")
    }

    private static let given = SessionColumn.allCases.compactMap { column in
        if case .session(let value) = column.opening { value } else { nil }
    }

    /// What the session itself has in its columns, in the order of their places.
    package static func values(of session: NewSession) -> [ColumnValue] { given.map { $0(session) } }
}
