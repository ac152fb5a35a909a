import EventLoop
package import Logging
import ServiceLifecycle
import WebAPI

/// Tells the service manager that the process lives, as often as it wants to hear that, and only while every loop that
/// answers apps takes up work: one that is stuck answers nobody, and only a new process does.
package struct Watchdog: Service, CustomStringConvertible {
    /// How the log names it.
    package var description: String { "watchdog" }

    let manager: ServiceManager
    let pulse: LoopPulse
    let logger: Logger

    package init(manager: ServiceManager, server: Server, logger: Logger) {
        (self.manager, pulse, self.logger) = (manager, server.pulse, logger)
    }

    init(manager: ServiceManager, loops: [EventLoop], logger: Logger) {
        (self.manager, pulse, self.logger) = (manager, LoopPulse(loops), logger)
    }

    package func run() async throws {
        guard let interval = manager.watchdog else {
            try? await gracefulShutdown()
            return
        }
        await watch(every: interval / 2)
    }

    private func watch(every pause: Duration) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if await pulse.areAlive(within: pause / 2) {
                    manager.tell(.alive)
                } else if !Task.isCancelled {
                    logger.error("a loop takes up no work: the service manager is not told that this process lives")
                }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
