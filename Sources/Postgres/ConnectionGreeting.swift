import System

/// Who decides whether a connection that has just been made may serve anybody: behind a name there may be another
/// server than a moment ago.
public protocol ConnectionGreeting: Sendable {
    /// - Parameter session: the connection, which nobody else uses meanwhile.
    /// - Returns: whether it may serve. One that may not is closed, and another is tried after a pause.
    func greet(_ session: GreetedSession) async -> Greeting
}

/// What has come of looking at a connection.
public enum Greeting: Sendable {
    case admitted
    /// The server may not serve.
    case refused
    /// It has not answered as it should, which tells nothing of whether it may.
    case failed
}

/// A connection while it is greeted.
public struct GreetedSession: Sendable {
    let pool: PostgresPool
    let connection: PostgresConnection

    /// Runs commands as one transaction on this connection.
    ///
    /// - Returns: what each of them has given back.
    public func run(_ commands: [Command], timeout: Duration) async throws(PostgresError) -> [Rows] {
        guard commands.allSatisfy(\.isWellFormed) else { throw .wrongParameters }
        return try await pool.run(commands, on: connection, deadline: .now + timeout)
    }
}
