internal import Crypto
internal import HTTPClient

/// How https goes out to a provider.
enum OutboundRoute: Sendable {
    case direct
    case by(OutboundProxy)

    var proxy: OutboundProxy? { if case .by(let proxy) = self { proxy } else { nil } }
}

extension ValueKind where Value == OutboundRoute? {
    /// A proxy, whose address may have a password in it.
    static var outboundRoute: Self {
        var kind = Self.optional(.outboundRoute)
        kind.isSecret = true
        return kind
    }
}

extension TextRule where Value == OutboundRoute {
    private static var direct: String { "direct" }

    static var outboundRoute: Self {
        let expected = "http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, both percent-encoded, or \(direct)"
        return TextRule(expected) { route in
            switch route {
            case .direct: direct
            case .by: Secret.redacted
            }
        } accept: { text in
            text == direct ? .direct : OutboundProxy(text).map { .by($0) }
        }
    }
}

extension TextRule where Value == ProxyException {
    static var proxyException: Self {
        TextRule("HOST or HOST:PORT, such as corp.example, which is all below it too, or [2001:db8::1]:443") {
            $0.description
        } accept: {
            ProxyException($0)
        }
    }
}
