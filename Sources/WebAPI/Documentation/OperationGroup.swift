/// A group of operations in the document.
package struct OperationGroup: Hashable, Sendable {
    package let name: String
    package let description: String

    package init(_ name: String, _ description: String) {
        (self.name, self.description) = (name, description)
    }
}

extension OperationGroup {
    static let signIn = OperationGroup("Signing in", "From an authorization code to a session.")
    static let sessions = OperationGroup("Sessions", "Renew them, list them, end them.")
    package static let user = OperationGroup(
        "The user", "What is known of the signed-in user, and what the user approves.")
    package static let identities = OperationGroup("Identities", "By which carriers and providers the user signs in.")
    package static let browser = OperationGroup(
        "Through the browser",
        "For apps of ours that use an OAuth library: this service is their issuer, and these ask for no API key.")
    package static let service = OperationGroup(
        "The service", "For other services and for tools; these ask for no API key.")
    static let probes = OperationGroup("Probes", "For load balancers and supervisors; these ask for no token.")
    static let users = OperationGroup("Users", "Who there is, what is kept of them, and their end.")
    static let records = OperationGroup("Records", "What has happened.")

    /// In the order that a reader wants them.
    ///
    /// - Parameter wings: those of wings.
    static func all(with wings: [OperationGroup]) -> [OperationGroup] {
        [signIn, sessions, user, identities, browser] + wings + [service, probes, users, records]
    }
}
