/// Why Apple has not told by what a user will be known.
public struct TransferFailure: Error, Sendable, Equatable {
    /// Whether it is about this one user, who may have left Apple, and others may fare better.
    public let isOfUser: Bool
    /// What went wrong, and what to do; nothing in it is secret or somebody's.
    public let sentence: String

    /// As many calls are under way already as the provider's section allows.
    public static let noPlace = TransferFailure(isOfUser: false, sentence: "inFlight allows no more calls")

    private init(isOfUser: Bool, sentence: String) {
        (self.isOfUser, self.sentence) = (isOfUser, sentence)
    }

    /// - Parameter facts: of that failure.
    public init(_ error: ProviderError, _ facts: CallContext.Facts?) {
        if case .call(let problem) = error, case .refused(let refusal) = problem.failure, Self.isOfUser(refusal) {
            isOfUser = true
            let words = facts?.words.map { " (\($0))" } ?? ""
            sentence = "refuses the subject, or the team\(words)"
        } else {
            isOfUser = false
            sentence = ProbeWords.sentence(error, facts, by: Apple.dialect.title)
        }
    }

    private static func isOfUser(_ refusal: OAuthError) -> Bool {
        switch refusal {
        case .invalidGrant, .userNotFound, .accessDenied, .interactionRequired, .unknown,
            .clientFault("invalid_request"):
            true
        default: false
        }
    }
}
