package import Accounts

/// A key of the KeyService, as its row has it.
package struct KeptKey: Equatable, Sendable {
    package let id: UnlockKeyID
    /// The key, wrapped under the password and under the long secret before it came here; the store seals it once more.
    /// Nil when it is locked: then nothing is left to unlock.
    package internal(set) var content: [UInt8]?
    /// Wrong passwords since the last right one.
    var failures: Int64
    /// Seconds since 1970.
    let created: Int64
    /// When it was unlocked last, or made, to the day.
    var used: Int64
    /// Whose it is; nil where nobody has shown that.
    package internal(set) var user: UserID?

    var isLocked: Bool { content == nil }

    init(id: UnlockKeyID, content: [UInt8]?, failures: Int64, created: Int64, used: Int64, user: UserID?) {
        (self.id, self.content, self.failures, self.created, self.used) = (id, content, failures, created, used)
        self.user = user
    }

    /// - Returns: nil where no row has that name.
    /// - Throws: `.unavailable(.corrupt)` for a row of another form.
    init?(_ id: UnlockKeyID, in rows: any ReadableRows) throws(RepositoryError) {
        // They don't expire: what is not used is swept.
        guard let row = try rows.find(.bytes(id.bytes), in: UnlockKeys.table, now: 0) else { return nil }
        guard row.count == 6,
            case (.integer(let failures), .integer(let created), .integer(let used)) =
                (row[2], row[3], row[4])
        else { throw .unavailable(.corrupt) }
        switch row[1] {
        case .bytes(let content): self.content = content
        case .none: content = nil
        case .integer, .text: throw .unavailable(.corrupt)
        }
        switch row[5] {
        case .integer(let user): self.user = UserID(rawValue: user)
        case .none: user = nil
        case .bytes, .text: throw .unavailable(.corrupt)
        }
        (self.id, self.failures, self.created, self.used) = (id, failures, created, used)
    }

    /// In the order of the table's columns.
    var cells: [Cell] {
        [
            .bytes(id.bytes), content.map { .bytes($0) } ?? .none, .integer(failures), .integer(created),
            .integer(used), user.map { .integer($0.rawValue) } ?? .none,
        ]
    }
}
