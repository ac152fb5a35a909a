import Composition
import JSON
import Settings

/// What `doctor` has found in one place.
struct Diagnosis: Sendable {
    enum Verdict: String, Sendable, Comparable {
        case good, warning, bad

        static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .good: 0
            case .warning: 1
            case .bad: 2
            }
        }
    }

    /// What was looked at: a key of the configuration, or the name of a part.
    let about: String
    let verdict: Verdict
    /// What was found, beside what is expected.
    let sentence: String
    /// What to do about it; nil where the sentence says so, or nothing is to be done.
    let remedy: String?

    init(_ about: String, _ verdict: Verdict, _ sentence: String, remedy: String? = nil) {
        (self.about, self.verdict, self.sentence, self.remedy) = (about, verdict, sentence, remedy)
    }

    init(_ fault: SettingsError) { self.init("configuration", .bad, "\(fault)") }

    init(_ notice: SettingsNotice) { self.init("configuration", .warning, "\(notice)") }
}

extension [Diagnosis] {
    /// 0: all is well; 1: there are warnings; 2: something is bad.
    var exitStatus: Int32 {
        switch map(\.verdict).max() {
        case .good, nil: 0
        case .warning: 1
        case .bad: 2
        }
    }

    /// The worst first, and in the order in which they were found otherwise.
    private var sorted: [Diagnosis] {
        [.bad, .warning, .good].flatMap { verdict in filter { $0.verdict == verdict } }
    }

    var text: String {
        sorted.map { found in
            "\(found.verdict.rawValue)  \(found.about): \(found.sentence)\n"
                + (found.remedy.map { "      do: \($0)\n" } ?? "")
        }.joined()
    }

    var json: JSONValue {
        [
            "exit_status": .integer(Int64(exitStatus)),
            "found": .array(
                sorted.map { found in
                    [
                        "about": .string(found.about), "verdict": .string(found.verdict.rawValue),
                        "sentence": .string(found.sentence), "remedy": found.remedy.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }
}
