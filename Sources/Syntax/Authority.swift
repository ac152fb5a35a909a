/// The host and port of a URL, accepted only when there is one way to read them (RFC 3986 §3.2).
public struct Authority {
    /// A host and a port as they stand in a URL, with brackets around an IPv6 address (RFC 3986 §3.2.2).
    public static func text(host: String, port: UInt16) -> String {
        host.utf8.contains(.colon) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// In lower case; an IPv6 address without its brackets.
    let host: String
    let port: UInt16?

    init(_ bytes: ArraySlice<UInt8>) throws(EndpointURLError) {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw .hasUserInformation }
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .malformedHost }
            let host = Self.text(bytes[(bytes.startIndex + 1)..<close])
            guard IPAddress(host)?.isIPv6 == true else { throw .malformedHost }
            self.host = host
            port = try Self.port(bytes[(close + 1)...])
        } else {
            let end = bytes.firstIndex(of: .colon) ?? bytes.endIndex
            let host = Self.text(bytes[..<end])
            guard Self.endsInNumber(host) ? IPAddress(host)?.isIPv6 == false : Self.isDomainName(host) else {
                throw .malformedHost
            }
            self.host = host
            port = try Self.port(bytes[end...])
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// - Parameter bytes: what follows the host: nothing, or a colon and digits.
    private static func port(_ bytes: ArraySlice<UInt8>) throws(EndpointURLError) -> UInt16? {
        guard let colon = bytes.first else { return nil }
        let digits = bytes.dropFirst()
        guard colon == .colon, let port = UInt16(digits: text(digits)), port > 0
        else { throw .malformedPort }
        return port
    }

    /// Some resolvers read `0x7f.1` or `2130706433` as an address, so what ends like a number must be a plain one.
    private static func endsInNumber(_ host: String) -> Bool {
        guard let last = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last else {
            return false
        }
        return last.starts(with: "0x".utf8) || last.allSatisfy(\.isDigit)
    }

    /// Letters, digits, hyphens and underscores between single dots. Names in other scripts come as `xn--` labels.
    private static func isDomainName(_ host: String) -> Bool {
        guard host.utf8.count <= 253 else { return false }
        return host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
    }
}
