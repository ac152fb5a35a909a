import Accounts
import Composition
import JSON

/// What came of preparing for an app's move.
struct TransferSummary {
    /// How far it is altogether, this run and those before.
    var counts = TransferCounts(identities: 0, noted: 0)
    /// How many were noted by this run.
    var noted = 0
    /// Of how many nothing was told.
    var failed = 0
    /// How many nobody has here, or nobody any more.
    var unknown = 0
    /// For how many it was told what is another user's already.
    var taken = 0
    /// Why it ended before the end.
    var stopped: String?

    /// Whether everybody is noted who can be.
    var isComplete: Bool { failed == 0 && taken == 0 && stopped == nil }

    mutating func add(_ note: TransferNote) {
        switch note {
        case .noted: noted += 1
        case .unknown: unknown += 1
        case .taken: taken += 1
        }
    }

    var document: JSONValue {
        [
            "identities": .integer(Int64(counts.identities)), "prepared": .integer(Int64(counts.noted)),
            "noted": .integer(Int64(noted)), "failed": .integer(Int64(failed)),
            "unknown": .integer(Int64(unknown)), "taken": .integer(Int64(taken)),
            "stopped": stopped.map { .string($0) } ?? .null,
        ]
    }

    var text: String {
        var text = "\(counts.noted) of \(counts.identities) identities are prepared, \(noted) of them now."
        if failed > 0 { text += " Of \(failed) Apple told nothing." }
        if unknown > 0 { text += " \(unknown) are nobody's here." }
        if taken > 0 {
            text += " For \(taken) it was told what leads to another identity: run it again, or look who told it."
        }
        if let stopped { text += " Stopped: \(stopped). Run it again to go on." }
        return text + "\n"
    }
}
