internal import Accounts
public import AccountsSQL
internal import Wings

extension StoreTables {
    /// Those of the service with all its wings, and some more.
    public static let tested =
        (try? StoreTables(adding: Wing.all.flatMap(\.tables) + [Sample.notes, Sample.tokens, Sample.marks])) ?? .own
}
