package import Accounts

/// What apps see as `sub`, as the store has it. It goes with a copy and a restore as other facts of a store do.
package struct SubjectFormRow {
    private static let find = Query("SELECT value FROM meta WHERE name = 'subject_form'")
    private static let insert = Query(
        """
        INSERT INTO meta (name, value) VALUES ('subject_form', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1
        """)
    private static let anyUser = Query("SELECT 1 FROM users LIMIT 1")
    private static let countUsers = Query("SELECT count(*) FROM users")

    private let connection: any StoreConnection

    package init(connection: any StoreConnection) { self.connection = connection }

    /// - Throws: `.notOpened(.otherSubjects)`.
    package func settle(_ wanted: SubjectForm?) throws(RepositoryError) -> SubjectForm {
        let stored = try connection.first(Self.find) { $0.integer(0) }
        let hasUsers = try connection.first(Self.anyUser) { _ in true } ?? false
        guard hasUsers else {
            let form = wanted ?? stored.map(Self.form) ?? .reference
            if stored != Self.number(form) { try connection.run(Self.insert, Self.number(form)) }
            return form
        }
        let form = stored.map(Self.form) ?? .number
        if let wanted, wanted != form {
            let users = try connection.first(Self.countUsers) { $0.integer(0) } ?? 0
            throw .notOpened(.otherSubjects(found: form, wanted: wanted, users: users))
        }
        if stored == nil { try connection.run(Self.insert, Self.number(form)) }
        return form
    }

    private static func number(_ form: SubjectForm) -> Int64 { form == .number ? 0 : 1 }

    private static func form(_ number: Int64) -> SubjectForm { number == 0 ? .number : .reference }
}
