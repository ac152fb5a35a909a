import System

/// Who waits at the door to begin something, while what has begun before them waits for connections. Few are let in at
/// a time, so that what they come back with finds a short line; who has waited too long is told so, and has begun
/// nothing.
struct Admissions {
    struct Applicant {
        let continuation: CheckedContinuation<PostgresError?, Never>
        /// When they are refused.
        let end: MonotonicTime
    }

    /// Between two looks at the line of those who are in.
    static let window = Duration.milliseconds(20)
    private static let perWindow = 128
    /// How many callers may wait for a connection before nobody else is let in.
    private static let longestLine = 64
    /// Up to how many at the door wait as long as they may.
    private static let longestPatientLine = 512

    /// In the order of their coming.
    private(set) var applicants: ArraySlice<Applicant> = []
    private var windowEnd = MonotonicTime(nanoseconds: 0)
    private var admitted = 0

    /// Whether somebody who comes now may begin at once.
    ///
    /// - Parameter line: how many callers wait for a connection.
    mutating func admits(line: Int, now: MonotonicTime) -> Bool {
        guard applicants.isEmpty, hasRoom(line, now) else { return false }
        admitted += 1
        return true
    }

    /// How long somebody waits who comes now: as long as one may where few do, and the less the more there are. Behind
    /// a long line one waits in vain mostly, and is served the later the longer it was.
    func patience(atMost longest: Duration) -> Duration {
        longest / max(1, Double(applicants.count) / Double(Self.longestPatientLine))
    }

    mutating func wait(_ applicant: Applicant) { applicants.append(applicant) }

    /// Takes out those who may begin now, and those who have waited too long.
    mutating func next(line: Int, now: MonotonicTime) -> (admitted: [Applicant], refused: [Applicant]) {
        // Those who came when the line was longer are refused before others who came earlier.
        let refused = applicants.filter { $0.end <= now }
        if !refused.isEmpty { applicants.removeAll { $0.end <= now } }
        guard hasRoom(line, now) else { return ([], refused) }
        let admitted = Array(applicants.prefix(Self.perWindow - self.admitted))
        applicants.removeFirst(admitted.count)
        self.admitted += admitted.count
        return (admitted, refused)
    }

    /// Takes out everybody.
    mutating func removeAll() -> [Applicant] {
        defer { applicants = [] }
        return Array(applicants)
    }

    private mutating func hasRoom(_ line: Int, _ now: MonotonicTime) -> Bool {
        if now >= windowEnd {
            windowEnd = now + Self.window
            admitted = 0
        }
        return line < Self.longestLine && admitted < Self.perWindow
    }
}
