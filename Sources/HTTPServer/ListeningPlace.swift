import EventLoop
import Syntax
import System

/// Where a server listens.
public enum ListeningPlace: Sendable, CustomStringConvertible {
    /// On a host, which is an address or a name, and a port. It binds to those addresses of a name that the machine
    /// has; port 0 lets the kernel choose.
    case bound(host: String, port: UInt16)
    /// On sockets that somebody else has opened and keeps open, by their descriptors. Connections wait in them also
    /// while no server runs.
    case inherited([Int32])

    /// For those who read why nobody listens there.
    public var description: String {
        switch self {
        case .bound(let host, let port): Authority.text(host: host, port: port)
        case .inherited(let descriptors):
            "what was opened before, descriptor \(descriptors.map(String.init).joined(separator: ", "))"
        }
    }

    /// Opens a socket for each loop at each address.
    ///
    /// - Parameters:
    ///   - loops: how many.
    ///   - use: takes the socket of the loop with that index; beside it the first address of all.
    /// - Returns: the first address, with the real port.
    func open(
        for loops: Int, _ use: (_ index: Int, consuming ListeningSocket, _ first: SocketAddress) -> Void
    ) throws(SystemError) -> SocketAddress {
        switch self {
        case .bound(let host, let port): try Self.bind(host, port, loops, use)
        case .inherited(let descriptors): try Self.share(descriptors, loops, use)
        }
    }

    private static func bind(
        _ host: String, _ port: UInt16, _ loops: Int, _ use: (Int, consuming ListeningSocket, SocketAddress) -> Void
    ) throws(SystemError) -> SocketAddress {
        var first: SocketAddress?
        var missing: SystemError?
        for name in try ListeningSocket.addresses(of: host) {
            do throws(SystemError) {
                // The loops share the port, and so would any other server of this user's, which would get half of the
                // connections: a socket that shares with nobody finds out.
                if port != 0 { _ = try ListeningSocket(host: name, port: port, sharesPort: false) }
                for index in 0..<loops {
                    let socket = try ListeningSocket(host: name, port: first?.port ?? port, sharesPort: true)
                    let address = first ?? socket.address
                    first = address
                    use(index, socket, address)
                }
            } catch {
                // A name may have an address of a family that the machine does without.
                guard error.meansNoSuchAddress else { throw error }
                missing = error
            }
        }
        guard let first else { throw missing ?? .hostNotFound }
        return first
    }

    private static func share(
        _ descriptors: [Int32], _ loops: Int, _ use: (Int, consuming ListeningSocket, SocketAddress) -> Void
    ) throws(SystemError) -> SocketAddress {
        var first: SocketAddress?
        for descriptor in descriptors {
            for index in 0..<loops {
                let socket = try ListeningSocket(sharing: descriptor)
                let address = first ?? socket.address
                first = address
                use(index, socket, address)
            }
        }
        guard let first else { throw .hostNotFound }
        return first
    }
}
