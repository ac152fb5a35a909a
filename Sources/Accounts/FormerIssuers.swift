/// Which issuers were called otherwise before: users who are stored under a former name are found under the current
/// one, and are the same users.
///
/// The operator says so. A name stands for one issuer only, or one provider could claim another's users.
public struct FormerIssuers: Equatable, Sendable {
    /// No issuer has ever changed its name.
    public static let none = FormerIssuers([:])

    /// By the former name.
    private let current: [String: String]
    /// By the current name, in an order that is always the same.
    private let former: [String: [String]]

    /// - Parameter current: the current name of an issuer by each of its former ones.
    public init(_ current: [String: String]) {
        self.current = current
        former = Dictionary(grouping: current.keys.sorted()) { current[$0] ?? $0 }
    }

    /// The former names of an issuer; none for nearly every one.
    public func names(of issuer: String) -> [String] { former.isEmpty ? [] : former[issuer] ?? [] }

    /// Each former name with the current one, in an order that is always the same.
    public var all: [(former: String, current: String)] {
        former.keys.sorted().flatMap { current in names(of: current).map { ($0, current) } }
    }

    /// How a subject may be stored besides.
    public func subjects(_ subject: Subject) -> [Subject] {
        names(of: subject.issuer).map { Subject(issuer: $0, value: subject.value) }
    }

    /// A subject under its issuer's current name.
    public func current(_ subject: Subject) -> Subject {
        guard let name = current[subject.issuer] else { return subject }
        return Subject(issuer: name, value: subject.value)
    }
}
