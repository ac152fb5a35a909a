/// For how long the parent of a refresh token gets the same successor again, as the operator has chosen.
///
/// Phones lose answers, and may come back days later. So what ends it is that the successor was presented, rather than
/// a time. A thief of the parent gains by that what the app has, and no second token beside it; and what comes late is
/// counted, since a bad network is late now and then and hardly ever three times running.
public struct RefreshRepeat: Equatable, Sendable {
    /// Within this time a repeat is what any lost answer makes, in seconds.
    public static let promptSeconds: Int64 = 60
    /// How many late repeats there are of one generation.
    public static let mostLateRepeats: Int64 = 3
    /// Late repeats in so many generations running are reuse.
    public static let fewestLateGenerations: Int64 = 3

    /// How long after its rotation, in seconds; nil for as long as its successor has not been presented.
    public let seconds: Int64?
    /// Whether late repeats are bounded.
    public let boundsLateOnes: Bool

    private init(seconds: Int64?, boundsLateOnes: Bool) {
        (self.seconds, self.boundsLateOnes) = (seconds, boundsLateOnes)
    }

    public static let untilSuccessor = RefreshRepeat(seconds: nil, boundsLateOnes: true)
    public static let never = RefreshRepeat(seconds: 0, boundsLateOnes: true)

    public static func within(seconds: Int64) -> RefreshRepeat {
        RefreshRepeat(seconds: seconds, boundsLateOnes: true)
    }

    /// As versions before counted: within that time as often as the client likes. 0 for never.
    public static func grace(seconds: Int64) -> RefreshRepeat {
        RefreshRepeat(seconds: seconds, boundsLateOnes: false)
    }

    /// For how long any answer with tokens is given again to the one who has shown what it was for, in seconds.
    public var promptly: Int64 { min(seconds ?? Self.promptSeconds, boundsLateOnes ? Self.promptSeconds : .max) }

    /// What a repeat is, so long after the rotation.
    ///
    /// - Parameters:
    ///   - elapsed: seconds since the parent was replaced; less than 0 while the clock is put back.
    ///   - lateRepeats: of this generation so far.
    ///   - lateGenerations: how many of the generations right before this one had late repeats.
    func standing(elapsed: Int64, lateRepeats: Int64, lateGenerations: Int64) -> Standing {
        if let seconds {
            guard seconds > 0 else { return .over }
            // How long ago it was can't be told, so that a clock that was put back makes no time longer.
            guard elapsed >= -RefreshDecision.clockSlackSeconds else { return .untold }
            guard elapsed <= seconds else { return .over }
        }
        guard boundsLateOnes, elapsed > Self.promptSeconds else { return .prompt }
        guard lateRepeats < Self.mostLateRepeats else { return .over }
        let isThirdRunning = lateRepeats == 0 && lateGenerations >= Self.fewestLateGenerations - 1
        return isThirdRunning ? .over : .late
    }

    enum Standing {
        case prompt, late, over, untold
    }
}
