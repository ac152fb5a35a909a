import Accounts
import EventLoop
import HTTPServer
import Logging
import Settings
import Synchronization
import System
import UnixSignals
import WebAPI

/// Opens a server's store, and waits for a database server that is not there yet: instances and database come up
/// together, in whatever order.
///
/// Meanwhile the listener for operators says that the process lives and is not ready, and there is no other.
struct StoreWait: Sendable {
    private static let pause = Duration.seconds(1)
    /// About a minute's.
    private static let triesBetweenWords = 60
    private static let connections = 64

    let settings: Settings
    /// Those of the listener for operators.
    let certificates: ListenerCertificates?
    let sockets: InheritedSockets
    /// That of the listener for operators.
    let loop: EventLoop
    let logger: Logger

    /// Whether somebody has told the process to stop.
    private final class Stop: Sendable {
        let isTold = Atomic(false)
    }

    /// - Throws: `.stoppedWhileWaiting`; what `open` throws where waiting is of no use.
    func opened(_ open: () async throws(StartError) -> OpenStore) async throws(StartError) -> OpenStore {
        do throws(StartError) {
            return try await open()
        } catch {
            guard error.isOfAbsentServer else { throw error }
            tell(error)
        }
        // Before anything says that the process waits, so that a reader of that line may stop it at once. A process
        // that is a container's first has no end by a signal that nobody listens for.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let listeners = try await listening()
        let outcome = await tried(until: signals, open)
        for listener in listeners { await listener.drain(within: .zero) }
        return try outcome.get()
    }

    private func tried(
        until signals: UnixSignalsSequence, _ open: () async throws(StartError) -> OpenStore
    ) async -> Result<OpenStore, StartError> {
        let stop = Stop()
        let listening = Task {
            for await _ in signals { return stop.isTold.store(true, ordering: .relaxed) }
        }
        defer { listening.cancel() }
        var tries = 0
        while true {
            try? await Task.sleep(for: Self.pause)
            if stop.isTold.load(ordering: .relaxed) { return .failure(.stoppedWhileWaiting) }
            do throws(StartError) {
                return .success(try await open())
            } catch {
                guard error.isOfAbsentServer else { return .failure(error) }
                tries += 1
                if tries.isMultiple(of: Self.triesBetweenWords) { tell(error) }
            }
        }
    }

    private func listening() async throws(StartError) -> [HTTPServer] {
        let place = sockets.place(of: .admin, host: settings.admin.host, port: settings.admin.port)
        let listener: HTTPServer
        do throws(SystemError) {
            listener = try HTTPServer(
                at: place, loops: [loop],
                limits: HTTPServerLimits(settings.http, connections: Self.connections), tls: certificates?.server
            ) { _, _ in WaitingAPI() }
        } catch {
            throw .listen(place, error)
        }
        let listeners =
            [listener] + (try AdminListener.probes(settings, sockets, loop) { WaitingAPI() }.map { [$0] } ?? [])
        do throws(SystemError) {
            for listener in listeners { try await listener.start() }
        } catch {
            throw .system(error)
        }
        logger.notice("admin waiting", metadata: ["address": "\(listener.address)"])
        return listeners
    }

    private func tell(_ error: StartError) {
        logger.warning(
            "waiting for the database; until it is there nothing is served", metadata: ["reason": "\(error)"])
    }
}

extension StartError {
    /// Whether the store is on a server that may yet come.
    fileprivate var isOfAbsentServer: Bool {
        guard case .storage(_, .unavailable(let reason)) = self else { return false }
        return switch reason {
        // One that lacks something goes on when an operator has said so, or the right one is back. The last: it is
        // starting, or recovers from a crash.
        case .cannotConnect, .tooManyConnections, .uncertain, .behind, .server(sqlState: "57P03"): true
        default: false
        }
    }
}
