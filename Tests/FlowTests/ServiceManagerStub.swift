import Foundation
import Glibc
import Synchronization

/// A service manager as a process sees it: what it has been told, datagram by datagram.
final class ServiceManagerStub: Sendable {
    struct NotBound: Error {}

    let path: String
    private let number: Int32
    private let heard = Mutex<[String]>([])

    /// - Parameter folder: where the socket lies; its path must be short.
    init(in folder: URL) throws {
        path = folder.appending(path: "notify").path
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, size) }
        }
        guard bound == 0 else { throw NotBound() }
        Thread.detachNewThread { self.listen() }
    }

    /// Everything that it was told, in order.
    var messages: [String] { heard.withLock(\.self) }

    /// The first lines of all of them.
    var states: [String] { messages.compactMap { $0.split(separator: "\n").first.map(String.init) } }

    func forget() { heard.withLock { $0 = [] } }

    func close() {
        shutdown(number, Int32(SHUT_RDWR))
        unsafe unlink(path)
    }

    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(number, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            heard.withLock { $0.append(String(decoding: buffer.prefix(count), as: UTF8.self)) }
        }
        Glibc.close(number)
    }
}
