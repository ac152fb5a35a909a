import Glibc
import System
import Testing

@Suite struct `Sockets that block` {
    /// Two ends of one connection.
    private struct Pair: ~Copyable {
        let left: OwnedDescriptor
        let right: OwnedDescriptor

        init() throws {
            var numbers: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try systemCall("socketpair") { unsafe socketpair(AF_UNIX, kind, 0, &numbers) }
            left = OwnedDescriptor(owning: numbers[0])
            right = OwnedDescriptor(owning: numbers[1])
        }
    }

    @Test func `send, receive, and tell the end`() throws {
        let pair = try Pair()
        let sender = ConnectedSocket(owning: try OwnedDescriptor(duplicating: pair.left.number))
        let receiver = ConnectedSocket(owning: try OwnedDescriptor(duplicating: pair.right.number))
        #expect(try sender.send([1, 2, 3]) == 3)
        let hadEnded = receiver.peerHasEnded
        #expect(!hadEnded)
        #expect(try receiver.receive(atMost: 2) == [1, 2])
        #expect(try receiver.receive(atMost: 2) == [3])
        sender.shutDown()
        let hasEnded = receiver.peerHasEnded
        #expect(hasEnded)
        #expect(try receiver.receive(atMost: 2) == [])
        #expect(throws: SystemError.self) { try sender.send([4]) }
    }

    @Test func `sockets that block are found at every address of a host, and at none of no host`() {
        let addresses = SocketName.addresses(of: "127.0.0.1", port: 0x1234)
        #expect(addresses.map(\.family) == [AF_INET])
        // The port and the address in network order, behind the family (ip(7)).
        #expect(addresses.first?.bytes.dropFirst(2).prefix(6) == [0x12, 0x34, 127, 0, 0, 1])
        #expect(SocketName.addresses(of: "::1", port: 1).map(\.family) == [AF_INET6])
        #expect(SocketName.addresses(of: "no host at all", port: 1) == [])
    }

    @Test func `sockets that block have names while they are connected`() throws {
        let pair = try Pair()
        #expect(SocketName.peer(of: pair.left.number)?.family == AF_UNIX)
        #expect(SocketName.own(of: pair.right.number)?.family == AF_UNIX)
        #expect(SocketName.peer(of: -1) == nil)
    }

    @Test func `connect where somebody listens, and nowhere else`() throws {
        let listener = OwnedDescriptor(
            owning: try systemCall("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) })
        // Bound to a port that the kernel chose, and not listening yet.
        let unbound = try #require(SocketName.addresses(of: "127.0.0.1", port: 0).first)
        try systemCall("bind") {
            unsafe unbound.bytes.withUnsafeBytes { raw in
                unsafe raw.withMemoryRebound(to: sockaddr.self) {
                    unsafe bind(listener.number, $0.baseAddress, socklen_t(raw.count))
                }
            }
        }
        let name = try #require(SocketName.own(of: listener.number))
        #expect(throws: SystemError(call: "connect", code: ECONNREFUSED)) {
            _ = try ConnectedSocket(to: name, seconds: 5)
        }
        try systemCall("listen") { listen(listener.number, 1) }
        let connection = try ConnectedSocket(to: name, seconds: 5)
        #expect(try connection.send([1]) == 1)
        connection.reset()
        #expect(throws: SystemError.self) { try connection.send([1]) }
    }
}
