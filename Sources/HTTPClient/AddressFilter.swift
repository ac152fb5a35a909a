import Glibc
import Syntax

/// Which addresses the public internet routes, after the special-purpose registries (RFC 6890).
///
/// A provider's name is somebody else's DNS record: it may point into our own network. So the check is made on the
/// address that is about to be connected to, not on the name.
enum AddressFilter {
    /// - Parameter address: the four bytes, most significant first.
    private static func isPublic(ipv4 address: UInt32) -> Bool {
        let reserved: Bool =
            switch (address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF) {
            case (0, _, _), (10, _, _), (127, _, _): true
            case (100, 64...127, _): true  // shared by carriers' NATs, RFC 6598
            case (169, 254, _): true  // link-local, where clouds keep their metadata
            case (172, 16...31, _), (192, 168, _): true
            case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113): true
            case (224..., _, _): true  // multicast, reserved, broadcast
            default: false
            }
        return !reserved
    }

    /// - Parameters:
    ///   - high: the first eight bytes, most significant first.
    ///   - low: the last eight bytes.
    private static func isPublic(ipv6 high: UInt64, _ low: UInt64) -> Bool {
        // NAT64 (RFC 6052 §2.1): where IPv4 is reached only so, it is the address inside that counts.
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 {
            return isPublic(ipv4: UInt32(truncatingIfNeeded: low))
        }
        // Outside 2000::/3 nothing is global: ::, ::1, IPv4-mapped, fc00::/7, fe80::/10, ff00::/8, 64:ff9b:1::/48.
        guard high >> 61 == 0b001 else { return false }
        let first32 = high >> 32
        return first32 >> 9 != 0x2001_0000 >> 9  // 2001::/23, Teredo and other protocol assignments
            && first32 != 0x2001_0DB8  // documentation
            && first32 >> 16 != 0x2002  // 6to4, which wraps any IPv4 address
            && first32 >> 12 != 0x3FFF_0000 >> 12  // documentation, RFC 9637
    }

    /// Whether the public internet routes to the address.
    static func isPublic(_ address: IPAddress) -> Bool {
        address.v4.map(isPublic(ipv4:)) ?? isPublic(ipv6: address.high, address.low)
    }

    /// Names that never mean a host of the public internet (RFC 6761 §6.3, RFC 6762 §3, RFC 8375, and ICANN's own).
    private static let privateNames = ["localhost", "local", "home.arpa", "internal"]

    /// Whether a host, as a URL names it, can be one of the public internet: all that is known where a proxy looks the
    /// name up.
    ///
    /// - Parameter host: in lower case; an IPv6 address without its brackets.
    static func mayBePublic(_ host: String) -> Bool {
        if let address = IPAddress(host) { return isPublic(address) }
        return host.contains(".") && !privateNames.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    /// Judges what a socket is about to be connected to; an address of neither family is not public.
    static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            return isPublic(ipv4: UInt32(bigEndian: inner.sin_addr.s_addr))
        case AF_INET6:
            let (high, low) = words(unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
            return isPublic(ipv6: high, low)
        default: return false
        }
    }

    private static func words(_ address: in6_addr) -> (high: UInt64, low: UInt64) {
        unsafe withUnsafeBytes(of: address) { raw in
            unsafe (
                UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
