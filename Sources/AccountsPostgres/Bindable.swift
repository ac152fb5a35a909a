import Accounts
import Postgres

/// What a statement takes as a value.
protocol Bindable: Sendable {
    var value: Value { get }
}

extension Int64: Bindable {
    var value: Value { .integer(self) }
}

extension String: Bindable {
    var value: Value { .text(self) }
}

extension Bool: Bindable {
    var value: Value { .bool(self) }
}

extension [UInt8]: Bindable {
    var value: Value { .bytes(self) }
}

extension TokenHash: Bindable {
    var value: Value { .bytes(bytes) }
}

extension SessionID: Bindable {
    var value: Value { .bytes(bytes) }
}

extension UserID: Bindable {
    var value: Value { .integer(rawValue) }
}

extension IdentityID: Bindable {
    var value: Value { .integer(rawValue) }
}

extension Optional: Bindable where Wrapped: Bindable {
    var value: Value { map(\.value) ?? .null }
}
