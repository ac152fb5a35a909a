import EventLoop
import Glibc
import System
import Testing

/// Accepts one connection on its loop and reads it to its end.
private actor Reader: LoopBound, ReadinessHandler {
    nonisolated let loop: EventLoop
    private let listener: ListeningSocket
    private var stream: StreamSocket?
    private var bytes: [UInt8] = []
    private var finished: CheckedContinuation<[UInt8], Never>?

    init(_ loop: EventLoop, _ listener: consuming ListeningSocket) {
        self.loop = loop
        self.listener = listener
    }

    func readAll(connect: @Sendable () -> Void) async throws -> [UInt8] {
        try loop.register(listener.number, for: .readable, handler: self)
        connect()
        return await withCheckedContinuation { finished = $0 }
    }

    nonisolated func descriptorIsReady(_ readiness: Readiness) {
        assumeIsolated { $0.proceed() }
    }

    private func proceed() {
        if stream == nil, let accepted = try? listener.accept() {
            let accepted = accepted.takeStream()
            try? loop.register(accepted.number, for: [.readable, .peerClosed], handler: self)
            stream = consume accepted
        }
        while let received = try? stream?.receive(into: &bytes, upTo: 4) {
            switch received {
            case .bytes: continue
            case .wouldBlock: return
            case .endOfStream:
                if let number = stream?.number { loop.deregister(number) }
                loop.deregister(listener.number)
                finished?.resume(returning: bytes)
                finished = nil
                return
            }
        }
    }
}

@Suite struct `Sockets on a loop` {
    @Test func `accepts a connection and reads it to its end`() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        defer { loop.stop() }
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: true)
        let port = listener.address.port
        #expect(port != 0)
        #expect(listener.address.description == "127.0.0.1:\(port)")
        let bytes = try await Reader(loop, listener).readAll {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let connected = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(client, $0, 16) }
            }
            #expect(connected == 0)
            _ = unsafe write(client, "hello, loop", 11)
            close(client)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "hello, loop")
    }

    @Test func `refuses a host that does not exist with the call that failed`() {
        #expect(throws: SystemError(call: "getaddrinfo", code: EADDRNOTAVAIL)) {
            _ = try ListeningSocket(host: "no such host", port: 0, sharesPort: true)
        }
    }

    @Test func `listen at each address of a host`() throws {
        #expect(try ListeningSocket.addresses(of: "127.0.0.2") == ["127.0.0.2"])
        #expect(try ListeningSocket.addresses(of: "::1") == ["::1"])
        let addresses = try ListeningSocket.addresses(of: "localhost")
        #expect(Set(addresses).isSubset(of: ["127.0.0.1", "::1"]) && !addresses.isEmpty)
        #expect(throws: SystemError(call: "getaddrinfo", code: EADDRNOTAVAIL)) {
            try ListeningSocket.addresses(of: "no-such-host.invalid")
        }
    }
}
