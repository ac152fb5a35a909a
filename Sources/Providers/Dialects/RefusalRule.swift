/// One line of a provider's table of refusals.
struct RefusalRule: Sendable {
    /// The provider's name for the fault, to the letter; nil where the mark alone tells.
    let name: String?
    /// With which status; nil for any.
    var statuses: ClosedRange<Int>?
    /// Of which calls; nil for any.
    var calls: Set<Dialect.Call>?
    /// What stands in the description, and does not go on there as a longer number; nil where the name says it all.
    var mark: String?
    /// What is one of the numbers; nil likewise.
    var number: String?
    let meaning: OAuthError
    /// What the operator does about it; nil where there is nothing.
    var remedy: String?

    init(
        _ name: String?, with statuses: ClosedRange<Int>? = nil, of calls: Set<Dialect.Call>? = nil,
        mark: String? = nil,
        number: String? = nil, means meaning: OAuthError, remedy: String? = nil
    ) {
        (self.name, self.statuses, self.calls, self.mark, self.number) = (name, statuses, calls, mark, number)
        (self.meaning, self.remedy) = (meaning, remedy)
    }

    func covers(_ words: RefusalWords, _ status: Int, _ call: Dialect.Call) -> Bool {
        if let name, !words.names.contains(name) { return false }
        if let statuses, !statuses.contains(status) { return false }
        if let calls, !calls.contains(call) { return false }
        if let mark, words.description?.containsWhole(mark) != true { return false }
        return number.map(words.numbers.contains) ?? true
    }
}

extension String {
    /// Whether a mark stands in it and does not go on as a longer number.
    fileprivate func containsWhole(_ mark: String) -> Bool {
        guard let range = firstRange(of: mark) else { return false }
        guard range.upperBound < endIndex, mark.last?.isNumber == true else { return true }
        return !self[range.upperBound].isNumber
    }
}
