import Settings
import WebAPI

extension ClientAddress {
    /// Believes the configured proxies, and of what they send the configured header.
    init(_ http: Settings.HTTP) {
        let header: Header =
            switch http.clientAddressHeader {
            case .xForwardedFor: .xForwardedFor
            case .forwarded: .forwarded
            }
        self.init(header: header, trustedProxies: http.trustedProxies)
    }
}
