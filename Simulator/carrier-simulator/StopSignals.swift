internal import Dispatch
internal import Glibc
internal import System

/// Turns SIGTERM and SIGINT into something to wait for.
struct StopSignals {
    private let sources: [any DispatchSourceSignal]
    private let received: AsyncStream<String>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        received = stream
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            // Dispatch only watches; the signal's own effect must be off.
            IgnoredSignals.add(number)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(name) }
            source.resume()
            return source
        }
    }

    /// The first of them to arrive since this was made.
    func first() async -> String {
        defer { for source in sources { source.cancel() } }
        for await name in received { return name }
        return ""
    }
}
