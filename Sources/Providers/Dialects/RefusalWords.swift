internal import JSON

/// What a provider's answer says is wrong, in whichever shape that comes. Nothing of it is fit for a log as it is.
struct RefusalWords {
    /// Its names for the fault, the likeliest first; empty for one that has no name.
    var names: [String]
    var description: String?
    /// What is told by number, as Entra and Facebook do.
    var numbers: [String] = []

    /// Reads an answer's object.
    ///
    /// - Parameter isSuccess: whether the status is one. Then nothing but `error`, or an `ok` that is false, is a
    ///   refusal: other members that providers refuse by may be a user's attributes.
    /// - Returns: nil where it says of nothing that it is wrong.
    init?(_ document: JSONValue, isSuccess: Bool) {
        let error = document["error"]
        // Some have a place for it in every answer.
        let isEmpty = error == nil || error?.isNull == true || error == .boolean(false) || isSuccess && error == ""
        if isEmpty {
            if document["ok"] == .boolean(false) {
                names = []
            } else {
                guard !isSuccess, let own = Self.withoutError(document) else { return nil }
                self = own
            }
            return
        }
        switch error {
        case .string(let name):
            names = [name]
            description = document["error_description"]?.string ?? document["message"]?.string
            numbers = Self.numbers(document["error_codes"]?.array ?? [])
            numbers += ["suberror", "error_subtype"].compactMap { document[$0]?.string }
        case .object(let details):
            names = ["code", "type", "status"].compactMap { details[$0]?.string }
            description = details["message"]?.string ?? document["error_description"]?.string
            numbers = Self.numbers(["code", "error_subcode"].compactMap { details[$0] })
        // Whatever it is, no tokens are taken beside it.
        default:
            guard isSuccess else { return nil }
            names = []
        }
    }

    private init(_ names: [String], _ description: String?, _ numbers: [String]) {
        (self.names, self.description, self.numbers) = (names, description, numbers)
    }

    /// Okta's envelope, and LinkedIn's.
    private static func withoutError(_ document: JSONValue) -> RefusalWords? {
        if let code = document["errorCode"]?.string {
            return RefusalWords([code], document["errorSummary"]?.string, [])
        }
        let number = document["serviceErrorCode"]?.integer
        guard number != nil || document["status"]?.integer != nil, let message = document["message"]?.string else {
            return nil
        }
        return RefusalWords([document["code"]?.string].compactMap(\.self), message, number.map { ["\($0)"] } ?? [])
    }

    private static func numbers(_ values: [JSONValue]) -> [String] { values.compactMap { $0.integer.map { "\($0)" } } }
}
