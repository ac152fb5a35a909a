package import Accounts
package import System

extension SessionRepository {
    /// Ends all sessions of a scope, by an operator's word. They are over as soon as the line is on disk, at every
    /// instance; then their rows go.
    ///
    /// - Parameter reauthenticate: whether users have to authenticate anew at their provider.
    /// - Returns: how many there were.
    package func endAll(
        _ scope: SessionScope, reauthenticate: Bool, _ clock: Clock
    ) async throws(RepositoryError) -> Int {
        // What another instance was storing while the first line was, and could not see it, lies before the second.
        for isNoted in [true, false] {
            let line = NotBefore(drawnAt: clock.milliseconds, reauthenticate: reauthenticate)
            try await draw(line, for: scope, isNoted: isNoted, now: clock.seconds)
        }
        var ended = 0
        var position: SessionID?
        repeat {
            let step = try await removeBarredSessions(after: position, now: clock.seconds)
            ended += step.ended
            position = step.next
        } while position != nil
        return ended
    }
}
