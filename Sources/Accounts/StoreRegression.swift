/// What a database lacks that was acknowledged: it was put back in time, promoted without all of the log, or another
/// one has gone on in its place.
public enum StoreRegression: Error, Equatable, Sendable {
    /// An operator has had the store go on elsewhere (`gatehouse store recovered`).
    case epoch(found: Int64, acknowledged: Int64)
    /// Another server has gone on from this one's history.
    case timeline(found: Int64, acknowledged: Int64)
    /// The log ends, or was left, before what was acknowledged.
    case log(timeline: Int64, reached: Int64, acknowledged: Int64, on: Int64)
    /// Transactions whose commits were acknowledged are not there.
    case commits(count: Int64)
    /// The count of seconds is behind.
    case beat(found: Int64, acknowledged: Int64)
    /// The ledger has records that the database knows nothing of.
    case record(found: Int64, acknowledged: Int64)
    /// It was started again since it went on by itself, and nobody has noted where that was.
    case unproven(timeline: Int64, acknowledged: Int64)
}

extension StoreRegression: CustomStringConvertible {
    /// What was found beside what was acknowledged, as a part of a sentence.
    public var description: String {
        switch self {
        case .epoch(let found, let acknowledged):
            "it is of epoch \(found), and the store has gone on elsewhere in epoch \(acknowledged)"
        case .timeline(let found, let acknowledged):
            "it is on timeline \(found), and another server has gone on with timeline \(acknowledged)"
        case .log(let timeline, let reached, let acknowledged, let on) where timeline == on:
            "its log has come to \(Self.position(reached)) of timeline \(timeline), and "
                + "\(Self.position(acknowledged)) was acknowledged"
        case .log(let timeline, let reached, let acknowledged, let on):
            "timeline \(timeline) has left the one before at \(Self.position(reached)), and "
                + "\(Self.position(acknowledged)) of timeline \(on) was acknowledged"
        case .commits(let count): "\(count) of the last acknowledged commits are not in it"
        case .beat(let found, let acknowledged):
            "it has counted to \(found), and \(acknowledged) was acknowledged"
        case .record(let found, let acknowledged):
            "it knows the ledger up to record \(found), which has \(acknowledged)"
        case .unproven(let timeline, let acknowledged):
            "it is on timeline \(timeline), was started again since, and does not tell where it has left timeline "
                + "\(acknowledged)"
        }
    }

    /// As PostgreSQL writes it.
    private static func position(_ bytes: Int64) -> String {
        let bits = UInt64(bitPattern: bytes)
        return
            "\(String(bits >> 32, radix: 16, uppercase: true))/\(String(bits & 0xFFFF_FFFF, radix: 16, uppercase: true))"
    }
}
