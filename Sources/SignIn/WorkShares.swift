/// The lines before work that costs others something, of one process: in each, every key and every address has its
/// turn, so that who asks without end takes nobody else's.
public struct WorkShares: Sendable {
    /// How many may wait for each place.
    private static let waitingForEach = 16
    /// As an absent configuration has them.
    public static var standard: WorkShares { WorkShares(introspectionsAtOnce: 64) }

    /// Tokens that services ask about, by the service.
    let introspections: FairLine

    public init(introspectionsAtOnce: Int) {
        introspections = FairLine(
            places: introspectionsAtOnce, maximumWaiting: introspectionsAtOnce * Self.waitingForEach)
    }
}
