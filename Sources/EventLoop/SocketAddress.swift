internal import CLinux
import Glibc
public import Syntax

/// An address with its port.
public struct SocketAddress: Sendable, Equatable, Hashable, CustomStringConvertible {
    public let address: IPAddress
    public let port: UInt16

    public init(address: IPAddress, port: UInt16) {
        (self.address, self.port) = (address, port)
    }

    /// Reads what the system filled in. An IPv4 address mapped into IPv6 (RFC 4291 §2.5.5.2) comes out as IPv4, so that
    /// one client is one address whichever listener it reached.
    init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let inner = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in.self) }
            self.init(
                address: IPAddress(v4: UInt32(bigEndian: inner.sin_addr.s_addr)),
                port: UInt16(bigEndian: inner.sin_port))
        case AF_INET6:
            let inner = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in6.self) }
            let words = unsafe withUnsafeBytes(of: inner.sin6_addr) { raw in
                unsafe (raw.load(as: UInt64.self), raw.load(fromByteOffset: 8, as: UInt64.self))
            }
            let (high, low) = (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
            let isMapped = high == 0 && low >> 32 == 0xFFFF
            self.init(
                address: isMapped ? IPAddress(v4: UInt32(truncatingIfNeeded: low)) : IPAddress(v6: high, low),
                port: UInt16(bigEndian: inner.sin6_port))
        default: return nil
        }
    }

    /// As it stands in a URL: an IPv6 address in brackets.
    public var description: String { Authority.text(host: address.description, port: port) }
}
