import Composition
import JSON

/// What came of an import.
struct ImportSummary {
    /// What other products' exports hold and nothing here has a place for.
    struct LeftOut {
        private static let maximumNames = 32
        private static let maximumNameBytes = 64
        private static let others = "others"

        /// Users of whom no identity is a provider's of ours.
        var users = 0
        var passwords = 0
        var secondFactors = 0
        /// Users who can't sign in there, and can here.
        /// Not left out, but locked here as they were there.
        var locked = 0
        /// How many identities, by what the product calls their provider.
        private(set) var unmapped: [String: Int] = [:]

        mutating func addUnmapped(_ name: String) {
            // The file is somebody else's: what is told of it is a short word, and there are not many.
            let isWord = name.utf8.count <= Self.maximumNameBytes && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            let isTold = isWord && (unmapped[name] != nil || unmapped.count < Self.maximumNames)
            unmapped[isTold ? name : Self.others, default: 0] += 1
        }

        /// Whether somebody would lose a way to sign in that a provider gives.
        var needsConsent: Bool { users > 0 || !unmapped.isEmpty }

        /// Such as `2 identities of github.com, 1 of twitter.com`.
        var unmappedText: String {
            let counts = unmapped.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
            return "identities of providers without a --map: " + counts.joined(separator: ", ")
        }
    }

    var (lines, bad) = (0, 0)
    var (created, alreadyThere, completed, conflicts) = (0, 0, 0, 0)
    /// Nil for our own format, which has a place for all it holds.
    var leftOut: LeftOut?

    var document: JSONValue {
        var members: [JSONObject.Member] = [
            ("lines", .integer(Int64(lines))), ("bad", .integer(Int64(bad))), ("created", .integer(Int64(created))),
            ("already_there", .integer(Int64(alreadyThere))), ("completed", .integer(Int64(completed))),
            ("conflicts", .integer(Int64(conflicts))),
        ]
        if let leftOut {
            let unmapped = leftOut.unmapped.sorted { $0.key < $1.key }
            members.append(
                (
                    "left_out",
                    [
                        "users": .integer(Int64(leftOut.users)), "passwords": .integer(Int64(leftOut.passwords)),
                        "second_factors": .integer(Int64(leftOut.secondFactors)),
                        "identities": .object(JSONObject(unmapped.map { ($0.key, .integer(Int64($0.value))) })),
                    ]
                ))
            members.append(("locked", .integer(Int64(leftOut.locked))))
        }
        return .object(JSONObject(members))
    }

    /// What is left out, a sentence a line; empty where there is nothing.
    var leftOutText: String {
        guard let leftOut else { return "" }
        var text = ""
        func tell(_ count: Int, _ sentence: String) { if count > 0 { text += "\(count) \(sentence)\n" } }
        tell(leftOut.passwords, "users had a password, or a code by e-mail or text message. These were left out.")
        tell(leftOut.secondFactors, "users had a second factor. These were left out.")
        if !leftOut.unmapped.isEmpty { text += "Left out were \(leftOut.unmappedText).\n" }
        tell(leftOut.users, "users without an identity for here were left out.")
        tell(
            leftOut.locked,
            "users were disabled there. They are locked here, if they are new; users unlock lets one in.")
        return text
    }
}
