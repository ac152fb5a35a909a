internal import CLinux
import Glibc

/// An IPv4 or IPv6 address with its port.
public struct SocketAddress: Sendable, Equatable, Hashable, CustomStringConvertible {
    /// The 16 bytes of an IPv6 address; an IPv4 address fills the first four, the rest is zero.
    public let bytes: InlineBytes
    public let isIPv6: Bool
    public let port: UInt16

    /// Sixteen bytes in two words, so that an address is stored and compared without memory of its own.
    public struct InlineBytes: Sendable, Equatable, Hashable {
        /// The first eight bytes, most significant first.
        public let high: UInt64
        /// The last eight bytes, most significant first.
        public let low: UInt64

        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    public init(bytes: InlineBytes, isIPv6: Bool, port: UInt16) {
        self.bytes = bytes
        self.isIPv6 = isIPv6
        self.port = port
    }

    /// Reads what the system filled in. An IPv4 address mapped into IPv6 (RFC 4291 §2.5.5.2) comes out as IPv4, so that
    /// one client is one address whichever listener it reached.
    init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in.self) }
            let word = UInt64(UInt32(bigEndian: address.sin_addr.s_addr))
            self.init(bytes: .init(high: word << 32, low: 0), isIPv6: false, port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in6.self) }
            let words = unsafe withUnsafeBytes(of: address.sin6_addr) { raw in
                unsafe (raw.load(as: UInt64.self), raw.load(fromByteOffset: 8, as: UInt64.self))
            }
            let (high, low) = (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
            let port = UInt16(bigEndian: address.sin6_port)
            if high == 0, low >> 32 == 0xFFFF {
                self.init(bytes: .init(high: low << 32, low: 0), isIPv6: false, port: port)
            } else {
                self.init(bytes: .init(high: high, low: low), isIPv6: true, port: port)
            }
        default: return nil
        }
    }

    /// The address without its port, as text: `192.0.2.1` or `2001:db8::1` (RFC 5952 §4).
    public var host: String {
        if isIPv6 {
            let groups = [bytes.high, bytes.low].flatMap { word in
                stride(from: 48, through: 0, by: -16).map { word >> UInt64($0) & 0xFFFF }
            }
            func text(_ groups: some Sequence<UInt64>) -> String {
                groups.map { String($0, radix: 16) }.joined(separator: ":")
            }
            guard let zeros = Self.longestZeros(groups) else { return text(groups) }
            return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
        }
        return stride(from: 56, through: 32, by: -8).map { String(bytes.high >> UInt64($0) & 0xFF) }
            .joined(separator: ".")
    }

    /// The first of the longest runs of zeros; a lone zero is none.
    private static func longestZeros(_ groups: [UInt64]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            let run = start..<index + 1
            if run.count > max(1, longest?.count ?? 0) { longest = run }
        }
        return longest
    }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
