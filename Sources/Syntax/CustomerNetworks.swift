/// The networks around an address that access providers give one customer (RFC 6177), and how many times as much as one
/// client the whole of each may do: who has the widest could come from another /64 each time.
public enum CustomerNetworks {
    public static let ofIPv6: [(bits: Int, worth: Int64)] = [(64, 1), (56, 4), (48, 16)]
    public static let ofIPv4: [(bits: Int, worth: Int64)] = [(32, 1)]

    /// - Parameter customer: as ``IPAddress/customer``.
    public static func around(_ customer: IPAddress) -> [(bits: Int, worth: Int64)] {
        customer.isIPv6 ? ofIPv6 : ofIPv4
    }
}
