/// The part of a statement that holds lines in time which stand in no row that a sign-in locks anyway: those of a
/// provider's session, and of a subject that is nobody's yet.
///
/// What a statement reads is as old as its beginning, so a line that is drawn meanwhile would not be seen. The row of
/// the line is made, or met, in the way that sees the newest one. The one that comes second waits for the first: a
/// sign-in then reads the line, and a logout begins anew and finds the session.
enum HeldLine {
    /// As long as no statement takes.
    private static let seconds = 30

    /// - Parameters:
    ///   - keys: rows of one column; what is null holds nothing.
    ///   - source: what has a row where the statement goes on.
    ///   - now: seconds since 1970.
    static func insert(_ keys: String, from source: String, now: String) -> String {
        """
        INSERT INTO not_before (key, at, expires)
            SELECT line.key, 0, \(now)::int8 + \(seconds) FROM \(source), (\(keys)) AS line (key)
            WHERE line.key IS NOT NULL
            ON CONFLICT (key) DO UPDATE SET expires = greatest(not_before.expires, excluded.expires)
            RETURNING at, authenticated_after
        """
    }

    /// Whether one of them bars a sign-in.
    ///
    /// - Parameter least: the earliest line that could, in milliseconds since 1970.
    static func bars(_ least: String) -> String { "at >= \(least) OR authenticated_after IS NOT NULL" }
}
