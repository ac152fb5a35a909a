import Accounts

/// How far a database has come, as it tells itself.
struct ServerPosition: Equatable, Sendable {
    /// Where the server's log stands, which each write makes longer.
    struct Log: Equatable, Sendable {
        /// Names the cluster that the database lies in; a copy of its files keeps it, a dump does not.
        var system: Int64
        /// The history that the log belongs to: a promotion, and each recovery to a point in time, begins another.
        var timeline: Int64
        /// The end of the log (LSN), in bytes since its beginning.
        var end: Int64
        /// Where the last recovery of this server's ended, a crash's too; nil where it has begun in good order.
        var recovered: Int64?
        /// When the server process began, in microseconds since 1970.
        var startedAt: Int64
    }

    /// How often operators have had the store go on after a loss, or somewhere else.
    var epoch: Int64
    /// Counts the seconds of all instances together.
    var beat: Int64
    /// The newest record of the ledger, by its number.
    var record: Int64
    /// Nil where the engine hides it.
    var log: Log?
    /// What the store has written down of the timeline that it was last seen on: its number, and where it has left the
    /// one before.
    var noted: (system: Int64, timeline: Int64, fork: Int64)

    static func == (one: ServerPosition, other: ServerPosition) -> Bool {
        one.epoch == other.epoch && one.beat == other.beat && one.record == other.record && one.log == other.log
            && one.noted == other.noted
    }

    /// Whether it is a server that is known, and that nothing has happened to since.
    func isSameServer(as other: ServerPosition) -> Bool {
        guard epoch == other.epoch else { return false }
        guard let log, let known = other.log else { return self.log == nil && other.log == nil }
        return log.system == known.system && log.timeline == known.timeline && log.recovered == known.recovered
            && log.startedAt == known.startedAt
    }

    /// Where the present timeline has left that before it, as far as it can be told.
    var fork: Int64? {
        guard let log else { return nil }
        if noted.system == log.system, noted.timeline == log.timeline { return noted.fork }
        return log.recovered
    }
}

/// How far a store had come when it was last seen, as what outlives it says.
struct StoreMark: Equatable, Sendable {
    var epoch: Int64
    var beat: Int64
    var record: Int64
    /// The cluster, the timeline and the end of its log, of what was acknowledged; of the timelines that were seen in
    /// this epoch each has its own.
    var ends: [End]

    struct End: Equatable, Sendable {
        var system: Int64
        var timeline: Int64
        var end: Int64
    }

    /// What both say together.
    func merged(with other: StoreMark) -> StoreMark {
        if epoch != other.epoch { return epoch > other.epoch ? self : other }
        var merged = self
        merged.beat = max(beat, other.beat)
        merged.record = max(record, other.record)
        for end in other.ends { merged.note(end) }
        return merged
    }

    mutating func note(_ end: End) {
        guard let place = ends.firstIndex(where: { $0.system == end.system && $0.timeline == end.timeline }) else {
            return ends.append(end)
        }
        ends[place].end = max(ends[place].end, end.end)
    }
}

extension StoreMark {
    /// What a database is worth that has just been written to.
    init(_ position: ServerPosition) {
        self.init(epoch: position.epoch, beat: position.beat, record: position.record, ends: [])
        if let log = position.log { note(End(system: log.system, timeline: log.timeline, end: log.end)) }
    }

    private static let version = "1"

    /// One line: a version, epoch, beat, record, and each end as `system:timeline:end`.
    var text: String {
        let ends = ends.map { "\($0.system):\($0.timeline):\($0.end)" }
        return ([Self.version, "\(epoch)", "\(beat)", "\(record)"] + ends).joined(separator: " ")
    }

    /// - Returns: nil for what is no such line.
    init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count >= 4, words[0] == Self.version, let epoch = Int64(words[1]), let beat = Int64(words[2]),
            let record = Int64(words[3])
        else { return nil }
        self.init(epoch: epoch, beat: beat, record: record, ends: [])
        for word in words[4...] {
            let numbers = word.split(separator: ":").compactMap { Int64($0) }
            guard numbers.count == 3 else { return nil }
            note(End(system: numbers[0], timeline: numbers[1], end: numbers[2]))
        }
    }
}
