package import Logging
import ServiceLifecycle
package import UnixSignals

/// Waits to be told to stop, and then ends the group of services it belongs to.
///
/// SIGTERM is what orchestrators send: the server is not ready from then on, but goes on accepting until they have had
/// time to notice, so that no request meets a closed port. A second signal ends that time, and SIGINT, which comes from
/// somebody at a keyboard, has none of it.
package struct StopSignals: Service, CustomStringConvertible {
    /// How the log names it. Without one, it would be spelled out with all that it holds.
    package var description: String { "stop signals" }

    /// Trapped before anything says that the server runs.
    let signals: UnixSignalsSequence
    let lameDuck: Duration
    let server: Server
    let logger: Logger

    package init(signals: UnixSignalsSequence, lameDuck: Duration, server: Server, logger: Logger) {
        (self.signals, self.lameDuck, self.server, self.logger) = (signals, lameDuck, server, logger)
    }

    package func run() async throws {
        let (lameDuckBegins, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            // One loop for all signals: who stops listening to them can't begin again.
            group.addTask {
                var isLameDuck = false
                for await signal in signals.cancelOnGracefulShutdown() {
                    guard !isLameDuck, signal == .sigterm, lameDuck > .zero else { return }
                    isLameDuck = true
                    await server.beginLameDuck(for: lameDuck)
                    logger.notice(
                        "told to stop: not ready, and accepting for a while", metadata: ["for": "\(lameDuck)"])
                    continuation.finish()
                }
            }
            group.addTask {
                for await _ in lameDuckBegins {}
                try? await Task.sleep(for: lameDuck)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
