/// Something that one client address, or what its budget is for, may do only so often.
public struct AddressLimit: Hashable, Sendable {
    /// Tells it from all others.
    public let name: String
    /// What is told to those who must wait.
    public let sentence: String

    public init(_ name: String, _ sentence: String) {
        (self.name, self.sentence) = (name, sentence)
    }

    public static func == (left: AddressLimit, right: AddressLimit) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension AddressLimit {
    public static let signIns = AddressLimit("signIns", "Too many sign-ins come from this address.")
    public static let challenges = AddressLimit(
        "challenges", "Too many requests for a challenge come from this address.")
    public static let failedRefreshes = AddressLimit(
        "failedRefreshes", "Too many wrong tokens come from this address.")
    public static let failedAdminTokens = AddressLimit(
        "failedAdminTokens", "Too many wrong admin tokens come from this address.")
    public static let authorizations = AddressLimit(
        "authorizations", "Too many sign-ins through the browser come from this address.")
    public static let exchanges = AddressLimit(
        "exchanges", "This user was signed in by access tokens too often within an hour.")
    public static let refreshRepeats = AddressLimit(
        "refreshRepeats", "This user's replaced refresh tokens came again too often within an hour.")
    public static let attributeMatches = AddressLimit(
        "attributeMatches", "This user's attribute was compared too often within a day.")
}
