/// How long a connection waits before the next try to connect.
struct Backoff {
    private static let first = Duration.milliseconds(50)
    private static let longest = Duration.seconds(2)

    private var longestNext = first

    /// - Parameter chance: from 0 to below 1, so that the connections of all instances do not come back together.
    /// - Returns: at least half of what it may be, which doubles with each try.
    mutating func next(chance: Double) -> Duration {
        defer { longestNext = min(longestNext * 2, Self.longest) }
        return longestNext * (0.5 + chance / 2)
    }

    /// Notes that there is a connection.
    mutating func reset() { longestNext = Self.first }
}
