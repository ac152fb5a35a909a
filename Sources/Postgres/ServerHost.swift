import Dispatch
import EventLoop
import System

/// One of the servers that a connection string names, or one address of it.
struct ServerHost: Sendable, Equatable {
    /// Concurrent: a name server that does not answer for one name says nothing of another.
    private static let lookUps = DispatchQueue(label: "gatehouse.postgres.names", attributes: .concurrent)

    /// A name, an address, or the folder of a Unix socket; empty for libpq's own choice of these.
    let name: String
    /// Empty for a Unix socket, and for a name that is still to be looked up.
    var address: String
    let port: String

    /// Reads libpq's lists.
    ///
    /// - Returns: nil when they are not of the same length.
    static func list(hosts: String?, addresses: String?, ports: String?) -> [ServerHost]? {
        let (names, addresses, ports) = (entries(hosts), entries(addresses), entries(ports))
        let count = max(names.count, addresses.count, 1)
        guard [0, count].contains(names.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count)
        else { return nil }
        return (0..<count).map { index in
            ServerHost(
                name: names.isEmpty ? "" : names[index], address: addresses.isEmpty ? "" : addresses[index],
                port: ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index])
        }
    }

    private static func entries(_ list: String?) -> [String] {
        list?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    private var needsLookUp: Bool { address.isEmpty && !name.isEmpty && !name.hasPrefix("/") && !name.hasPrefix("@") }

    /// Looks up every name, off the loop, since libpq would do so on it. A name stays beside its addresses: the
    /// server's certificate and the password file go by it.
    ///
    /// - Returns: each address of each host; none for names that have none.
    static func lookUp(_ hosts: [ServerHost]) async -> [ServerHost] {
        guard hosts.contains(where: \.needsLookUp) else { return hosts }
        return await withCheckedContinuation { continuation in
            lookUps.async { continuation.resume(returning: hosts.flatMap(\.addressed)) }
        }
    }

    private var addressed: [ServerHost] {
        guard needsLookUp else { return [self] }
        let addresses = (try? ListeningSocket.addresses(of: name)) ?? []
        return addresses.map { ServerHost(name: name, address: $0, port: port) }
    }
}
