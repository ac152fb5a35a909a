import Accounts

/// In which part of `code_uses` the use of something is remembered: codes by the half-hour in which they are forgotten,
/// so that a part is emptied as a whole when its half-hour is over; what is remembered for longer in one of its own.
///
/// Two requests that claim one code may compute different half-hours. So a claim looks into all parts; and in the first
/// minutes of a half-hour it is made in the part before as well, where one that came a moment earlier, and is not to be
/// seen yet, has made its own: there the second of the two meets the first.
struct CodeSlot: Equatable {
    /// How long a part is written to, in seconds.
    static let seconds: Int64 = 1800
    /// Three take turns: two are in use, and the third is empty before it is its turn.
    static let turns: Int64 = 3
    /// The part of what is not an authorization code, and has a time of its own.
    static let lasting = CodeSlot(number: turns, before: nil)

    let number: Int64
    /// The part before, for a claim in the first minutes of a half-hour.
    let before: Int64?

    private init(number: Int64, before: Int64?) {
        (self.number, self.before) = (number, before)
    }

    /// - Parameters:
    ///   - expiresAt: until when the use is remembered, in seconds since 1970.
    ///   - overlap: how much later one who claims at the same moment may believe it to be, in seconds.
    init(expiresAt: Int64, overlap: Int64 = 0) {
        let turn = expiresAt / Self.seconds
        self.init(
            number: turn % Self.turns,
            before: expiresAt % Self.seconds < overlap ? (turn + Self.turns - 1) % Self.turns : nil)
    }

    /// Of what proves a sign-in.
    init(of evidence: Evidence) {
        guard case .authorizationCode(let code) = evidence else {
            self = .lasting
            return
        }
        self.init(expiresAt: code.expiresAt)
    }

    /// The parts that nothing is in by now that anybody could need, and that nobody writes to soon.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - memory: how long a use is remembered at most, in seconds.
    ///   - margin: how far clocks may be apart, with what rows stay beyond their time, in seconds.
    static func idle(now: Int64, memory: Int64, margin: Int64) -> [Int64] {
        let used = Set(((now - margin) / seconds...(now + memory + margin) / seconds).map { $0 % turns })
        return (0..<turns).filter { !used.contains($0) }
    }
}
