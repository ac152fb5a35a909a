public import EventLoop
import System

/// A few connections to one server for everything that happens on one event loop.
///
/// A batch goes to the connection with the fewest before it, and does not wait for those (pipeline mode). A connection that is
/// lost is opened anew, after a pause that grows while that fails; who asks meanwhile waits for as long as he has.
public actor PostgresPool: LoopBound {
    public struct Settings: Sendable {
        /// How many connections there are.
        public var connections = 3
        /// How many batches may wait, for a connection or for results.
        public var maximumWaiting = 4_096
        /// For connecting, all hosts included.
        public var connectTimeout: Duration = .seconds(5)
        /// The first pause after a connection could not be opened, and the longest.
        public var pauses: ClosedRange<Duration> = .milliseconds(50) ... .seconds(2)
        /// See ``PostgresConnection/open(_:on:timeout:preparesStatements:)``.
        public var preparesStatements = true

        public init() {}
    }

    public nonisolated let loop: EventLoop
    private let address: PostgresAddress
    private let settings: Settings
    private var connections: [PostgresConnection] = []
    private var opening = 0
    /// How many batches wait, for a connection or for results.
    public private(set) var load = 0
    /// Who waits for a connection, and by when; in the order of coming.
    private var queue: [(id: Int, continuation: CheckedContinuation<PostgresError?, Never>)] = []
    private var lastID = 0
    private var lastError = PostgresError.notSent(.connectionLost)
    private var isClosed = false

    public init(_ address: PostgresAddress, on loop: EventLoop, settings: Settings = Settings()) {
        self.address = address
        self.loop = loop
        self.settings = settings
    }

    /// Sends statements that belong together, and waits until they are committed.
    ///
    /// - Throws: as ``PostgresConnection/run(_:timeout:)``.
    public func run(_ calls: [PostgresCall], timeout: Duration) async throws(PostgresError) -> [PostgresRows] {
        guard load < settings.maximumWaiting else { throw .notSent(.overloaded) }
        load += 1
        defer { load -= 1 }
        let deadline = MonotonicTime.now + timeout
        let connection = try await connection(until: deadline)
        return try await connection.run(calls, timeout: deadline - .now)
    }

    /// Closes all connections. What waits is told so.
    public func close() async {
        isClosed = true
        lastError = .notSent(.closed)
        release(lastError)
        for connection in connections { await connection.close() }
        connections = []
    }

    /// The one with the fewest batches before it.
    private func connection(until deadline: MonotonicTime) async throws(PostgresError) -> PostgresConnection {
        while true {
            if isClosed { throw .notSent(.closed) }
            // All of them live on this loop.
            connections.removeAll { !$0.assumeIsolated { $0.isOpen } }
            openMissing()
            let best = connections.min { $0.assumeIsolated { $0.load } < $1.assumeIsolated { $0.load } }
            if let best { return best }
            if let error = await opened(until: deadline) { throw error }
        }
    }

    private func openMissing() {
        while connections.count + opening < settings.connections {
            opening += 1
            Task { await open() }
        }
    }

    /// Tries until it has a connection.
    private func open() async {
        defer { opening -= 1 }
        var pause = settings.pauses.lowerBound
        while !isClosed {
            do throws(PostgresError) {
                let connection = try await PostgresConnection.open(
                    address, on: loop, timeout: settings.connectTimeout,
                    preparesStatements: settings.preparesStatements)
                guard !isClosed else { return await connection.close() }
                connections.append(connection)
                return release(nil)
            } catch {
                lastError = error
            }
            // Half of it is left to chance, so that instances that have lost a server together don't come back together.
            await rest(pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, settings.pauses.upperBound)
        }
    }

    private func rest(_ pause: Duration) async {
        await withCheckedContinuation { continuation in
            loop.schedule(after: pause) { continuation.resume() }
        }
    }

    /// - Returns: nil when there is a connection now, and otherwise why there was none in time.
    private func opened(until deadline: MonotonicTime) async -> PostgresError? {
        lastID += 1
        let id = lastID
        let timer = loop.schedule(after: deadline - .now) { [weak self] in
            self?.assumeOnLoop(id) { this, id in this.giveUp(id) }
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { queue.append((id, $0)) }
    }

    private func giveUp(_ id: Int) {
        guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
        queue.remove(at: index).continuation.resume(returning: lastError)
    }

    private func release(_ error: PostgresError?) {
        let released = queue
        queue = []
        for waiter in released { waiter.continuation.resume(returning: error) }
    }
}
