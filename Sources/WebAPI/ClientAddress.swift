internal import EventLoop
public import HTTPServer
public import Syntax
internal import Telemetry

/// Finds out whom a request comes from, behind proxies too.
///
/// Only what a trusted proxy added is believed: from the connection's own end, each address that is a trusted proxy's
/// is followed to the one it names before it, and the first that is not is the client. What a client wrote itself into
/// the field stands further to the left and is never reached.
public struct ClientAddress: Sendable {
    /// The one that is believed. A proxy that adds to one passes the other on as the client wrote it.
    private let header: ClientAddressHeader
    private let trustedProxies: [AddressRange]

    /// - Parameters:
    ///   - header: the one that the proxies write.
    ///   - trustedProxies: the addresses of the proxies that the operator trusts.
    public init(header: ClientAddressHeader, trustedProxies: [AddressRange]) {
        (self.header, self.trustedProxies) = (header, trustedProxies)
    }

    func network(of request: HTTPRequest) -> ClientNetwork {
        var client = request.peer.address.unmapped
        guard isTrusted(client) else { return ClientNetwork(client) }
        for text in forwarded(request).reversed() {
            guard let address = IPAddress(text)?.unmapped else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return ClientNetwork(client)
    }

    /// The trace that a request belongs to, where a trusted proxy says so: anybody else could have their requests pass
    /// for a part of others'. A field that is there twice names none (W3C Trace Context §3.2).
    func trace(of request: HTTPRequest) -> TraceContext? {
        guard !trustedProxies.isEmpty, isTrusted(request.peer.address.unmapped) else { return nil }
        let fields = request.headers("traceparent")
        guard fields.count == 1 else { return nil }
        return TraceContext(traceparent: fields[0], tracestate: request.headers("tracestate"))
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }

    /// The addresses that proxies have added, the nearest last.
    private func forwarded(_ request: HTTPRequest) -> [String] {
        switch header {
        case .forwarded: request.headers("forwarded").flatMap(Self.elements)
        case .xForwardedFor:
            request.headers("x-forwarded-for").flatMap { $0.split(separator: ",").map { Self.host(String($0)) } }
        }
    }

    private static func elements(_ field: String) -> [String] {
        field.split(separator: ",").map { element in
            for pair in element.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "for" else { continue }
                return host(String(parts[1]))
            }
            return ""
        }
    }

    /// An address without quotes, brackets and port.
    private static func host(_ text: String) -> String {
        let bare = text.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        if bare.hasPrefix("[") { return String(bare.dropFirst().prefix { $0 != "]" }) }
        return bare.filter { $0 == ":" }.count == 1 ? String(bare.prefix { $0 != ":" }) : bare
    }
}
