import Settings
import WebAPI

extension ClientAddress {
    /// Believes the configured proxies, and of what they send the configured header.
    init(_ http: Settings.HTTP) {
        let trustedProxies = http.trustedProxies
        let header: Header =
            switch http.clientAddressHeader {
            case .xForwardedFor: .xForwardedFor
            case .forwarded: .forwarded
            }
        self.init(
            header: header,
            read: { IPAddress($0)?.bytes },
            isTrusted: { bytes in
                let address: IPAddress = bytes.count == 16 ? .v6(bytes) : .v4(bytes)
                return trustedProxies.contains { $0.contains(address) }
            })
    }
}
