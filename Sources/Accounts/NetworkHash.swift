package import Syntax

/// Who a request came from, as the store knows it where what strangers leave there is counted: numbers that stand for
/// an address and that nobody finds the address by without the store's keys.
public struct NetworkHash: Equatable, Sendable {
    /// What is counted under no address: rows of before, and what came by no request.
    public static let none = NetworkHash(narrow: 0, wide: 0)

    /// Of an IPv4 address, or of the /64 of an IPv6 address.
    public var narrow: Int64
    /// Of the same IPv4 address, or of the /48, which is the most that access providers give one customer (RFC 6177).
    public var wide: Int64

    public init(narrow: Int64, wide: Int64) {
        (self.narrow, self.wide) = (narrow, wide)
    }

    /// The networks that are counted for an address, as texts that no two networks share.
    package static func texts(of address: IPAddress) -> (narrow: String, wide: String) {
        let customer = address.customer
        guard customer.isIPv6 else { return ("\(customer)/32", "\(customer)/32") }
        return ("\(customer)/64", "\(customer.keeping(bits: 48))/48")
    }
}
