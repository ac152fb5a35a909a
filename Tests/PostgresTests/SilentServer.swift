import EventLoop
import System

/// Accepts connections, as the kernel does for it, and never says a word.
struct SilentServer: ~Copyable {
    private let socket: ListeningSocket

    init() throws {
        socket = try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: false)
    }

    var port: UInt16 { socket.address.port }
}
