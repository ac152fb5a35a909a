/// A table of the store, as a value: its copy, the walks that try and renew its seals, the sweep of what has expired,
/// and the erasure of whom a row belongs to are made of it; of a table that is added when the store is opened, also the
/// table itself, how its rows are read and written (``TableRepository``), and their part of a user's export.
public struct Table: Sendable {
    public struct Column: Equatable, Sendable {
        public enum Kind: Sendable {
            case integer, text, bytes
        }

        public let name: String
        public let kind: Kind
        /// Whether a row may have nothing there.
        public private(set) var isOptional = false
        /// Where what is there is sealed: its place.
        package private(set) var seal: Seal?
        /// Whether it is told to nobody, not even to the user whose it is.
        public private(set) var isSecret = false
        /// Whether one engine has no bytes where another has nothing.
        package private(set) var mixesNoneAndEmpty = false

        public static func integer(_ name: String) -> Column { Column(name: name, kind: .integer) }
        public static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
        public static func bytes(_ name: String) -> Column { Column(name: name, kind: .bytes) }
        /// Bytes that are sealed, for this column of the very row.
        public static func sealed(_ name: String) -> Column { sealed(name, Seal()) }

        /// The same for what no export tells, since who has it can use it.
        public static func secret(_ name: String) -> Column {
            var column = sealed(name)
            column.isSecret = true
            return column
        }

        package static func sealed(_ name: String, _ seal: Seal) -> Column {
            var column = bytes(name)
            column.seal = seal
            return column
        }

        /// The same, where a row may have nothing there.
        public var optional: Column {
            var column = self
            column.isOptional = true
            return column
        }

        /// The same for what no export tells.
        package var hidden: Column {
            var column = self
            column.isSecret = true
            return column
        }

        package var noneOrEmpty: Column {
            var column = optional
            column.mixesNoneAndEmpty = true
            return column
        }
    }

    /// The place of a sealed value, where it is not just the key of its row.
    package struct Seal: Equatable, Sendable {
        /// What stands for it on disk while everything is sealed anew. A table that is added has none of its own.
        package var number: Int64?
        /// A column that tells what the value is for, which is part of its place.
        package var label: String?
        /// The label that is not part of the place: what was there before there were any others.
        package var unwritten: String?
        /// A column without which there is nothing sealed in the row.
        package var unless: String?

        package init(
            number: Int64? = nil, label: String? = nil, unwritten: String? = nil, unless: String? = nil
        ) {
            (self.number, self.label, self.unwritten, self.unless) = (number, label, unwritten, unless)
        }
    }

    /// With whom a row goes.
    public enum Owner: Sendable {
        /// It stays until it expires, or for good.
        case nobody
        // It refers to its owner by this column, so that whatever takes the owner away takes it along.
        case user(String, merged: Merged)
        /// When its user's account is merged into another, it stays with the identity, which keeps its number.
        case identity(String)
        /// It ends with its session when its user's account is merged into another.
        case session(String)
    }

    /// What becomes of a user's rows when the account is merged into another. The one who makes a table says it.
    public enum Merged: Sendable {
        /// They are the other account's from then on.
        case moves
        /// They end with the account: what the other one has of its own stays, and nothing is added to it.
        case goes
        /// A transaction of the store's own sees to them, row by row (`MergeTransaction`).
        case decided
    }

    /// Rows that refer to nothing, because a reference would cost each sign-in something: whatever takes their owner
    /// away takes them by a statement of its own.
    package enum Bond: Sendable {
        case user(String)
        case session(String)
        case subject(String, issuer: String)
    }

    public let name: String
    public let key: [Column]
    /// The key's first.
    public let columns: [Column]
    public let owner: Owner
    /// The column by which a row expires, in seconds since 1970; nil where none does by itself.
    public let expiry: String?
    /// Whether expired rows stay for a while, should it turn out that the clock was wrong. They are few, beside others.
    package let lingers: Bool
    /// The column by which old rows are found (``TableRows/deleteRows(of:before:limit:)``), in seconds since 1970.
    public let age: String?
    package let bond: Bond?
    /// Whether the store numbers the rows, by the key, and never gives a number twice.
    package let isNumbered: Bool

    /// A table that is added to the store's own when it is opened.
    ///
    /// - Parameters:
    ///   - name: small letters, digits and underscores, as all names; none of the store's own.
    ///   - key: what a row is found by. It can't be optional or sealed.
    ///   - owner: by one of the columns; its kind is that of the owner's key. Rows that move when accounts are merged
    ///     have another key.
    ///   - expiry: one of the columns, of integers.
    ///   - age: another one of integers, by which old rows are found; nil where nobody looks for them.
    public init(
        _ name: String, key: Column, _ others: [Column], owner: Owner, expiry: String?, age: String? = nil
    ) {
        self.init(name, key: [key], others, owner: owner, expiry: expiry, age: age)
    }

    package init(
        _ name: String, key: [Column], _ others: [Column], owner: Owner = .nobody, bond: Bond? = nil,
        expiry: String? = nil, lingers: Bool = true, age: String? = nil, isNumbered: Bool = false
    ) {
        (self.name, self.key) = (name, key)
        columns = key + others
        (self.owner, self.bond, self.expiry, self.lingers, self.age) = (owner, bond, expiry, lingers, age)
        self.isNumbered = isNumbered
    }
}
