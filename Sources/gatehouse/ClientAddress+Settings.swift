import Settings
import WebAPI

extension ClientAddress {
    /// - Parameter trustedProxies: whose word about the client's address is believed.
    init(trustedProxies: [AddressRange]) {
        self.init(
            read: { IPAddress($0)?.bytes },
            isTrusted: { bytes in
                let address: IPAddress = bytes.count == 16 ? .v6(bytes) : .v4(bytes)
                return trustedProxies.contains { $0.contains(address) }
            })
    }
}
