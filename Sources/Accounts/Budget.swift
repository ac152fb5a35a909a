public import Syntax

/// How often something may be done for one and the same within a time. It is counted in the store, so that it holds
/// over all instances.
public struct Budget: Equatable, Sendable {
    /// Tells it from all others.
    public let name: String
    /// How often at most.
    public let limit: Int64
    /// Within how many seconds, which begin with the first time.
    public let seconds: Int64

    public init(_ name: String, limit: Int64, seconds: Int64) {
        (self.name, self.limit, self.seconds) = (name, limit, seconds)
    }

    /// The networks that an address counts in, by names that no two share, and how much the whole of each may do.
    package static func networks(of address: IPAddress) -> [(name: String, worth: Int64)] {
        let customer = address.customer
        return CustomerNetworks.around(customer).map { bits, worth in
            ("\(customer.keeping(bits: bits))/\(bits)", worth)
        }
    }
}

/// What was done of late, for whom there is a budget. Rows go when their time is over.
public protocol BudgetRepository: Sendable {
    /// Takes one of what may be done.
    ///
    /// - Parameters:
    ///   - key: whom it is done for. The store has its hash under a key of its own.
    ///   - now: seconds since 1970.
    /// - Returns: nil where there was one; else in how many seconds there is one again.
    func take(_ budget: Budget, for key: [UInt8], now: Int64) async throws(RepositoryError) -> Int64?

    /// The same for who asks from an address: in its /64 or as an IPv4 address, and in the /56 and the /48 around it,
    /// which may do four and sixteen times as much.
    func take(_ budget: Budget, for address: IPAddress, now: Int64) async throws(RepositoryError) -> Int64?
}
