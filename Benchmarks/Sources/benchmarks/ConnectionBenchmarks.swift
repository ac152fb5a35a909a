internal import EventLoop
internal import Glibc
internal import HTTPServer
import System
internal import WebAPI

/// A request's whole way through the server: from a socket to the endpoint and back.
enum ConnectionBenchmarks {
    private static let request = Array("GET /healthz HTTP/1.1\r\nHost: gatehouse.example\r\nAccept: */*\r\n\r\n".utf8)

    /// - Parameter api: made for the loop it is given, which is not the one the benchmarks run on: they wait for
    ///   answers.
    static func all(_ api: WebAPI) async throws -> [Benchmark] {
        let loop = try EventLoop(label: "server")
        loop.start()
        let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: HTTPServerLimits()) { _, _ in api
        }
        try await server.start()
        let connection = try connect(server.address.port)
        var buffer = [UInt8](repeating: 0, count: 4096)
        return [
            Benchmark("answer-healthz", rounds: 5000) {
                let sent = unsafe send(connection, request, request.count, 0)
                let received = unsafe recv(connection, &buffer, buffer.count, 0)
                require(sent == request.count && received > 100, "the server answers")
            }
        ]
    }

    private static func connect(_ port: UInt16) throws -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw SystemError(call: "connect", code: errno) }
        return number
    }
}
