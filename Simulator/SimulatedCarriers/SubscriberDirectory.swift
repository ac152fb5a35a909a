internal import Crypto
internal import Synchronization
import Syntax

/// Which carrier serves whom, and what each issuer calls them.
final class SubscriberDirectory: Sendable {
    /// A change of carriers.
    struct Port: Sendable, Equatable {
        let from: SimulatedIssuer
        let to: SimulatedIssuer
        /// Unix time.
        let date: Int64
    }

    private let ports = Mutex<[String: Port]>([:])
    /// The team that has an Apple app now, by the subscribers who have come with it.
    private let teams = Mutex<[String: String]>([:])

    /// Moves a subscriber to a carrier. Nothing changes when that carrier serves the subscriber by an earlier port.
    ///
    /// - Returns: false when the target is no carrier or the name is no subscriber's.
    func port(_ name: String, to carrier: SimulatedIssuer, now: Int64) -> Bool {
        guard let from = carrier.otherCarrier, Subscriber.named(name) != nil else { return false }
        ports.withLock { ports in
            if ports[name]?.to != carrier { ports[name] = Port(from: from, to: carrier, date: now) }
        }
        return true
    }

    /// The subscriber's last change of carriers; nil for one who never ported, whom every carrier serves.
    func lastPort(of name: String) -> Port? { ports.withLock { $0[name] } }

    /// Whether the issuer signs the subscriber in: a carrier that a subscriber has left does not.
    func serves(_ name: String, _ issuer: SimulatedIssuer) -> Bool {
        guard issuer.isCarrier, let port = lastPort(of: name) else { return true }
        return port.to == issuer
    }

    /// Gives the app of a subscriber to another team.
    ///
    /// - Returns: false when the name is no subscriber's.
    func transfer(_ name: String, to team: String) -> Bool {
        guard Subscriber.named(name) != nil else { return false }
        teams.withLock { $0[name] = team }
        return true
    }

    /// Whose app has gone to another team.
    var transferred: [String] { teams.withLock { $0.keys.sorted() } }

    /// The team that a subscriber's Apple app is of.
    func team(of name: String) -> String { newTeam(of: name) ?? ClientAssertion.appleTeam }

    /// Nil for one whose app has stayed.
    func newTeam(of name: String) -> String? { teams.withLock { $0[name] } }

    /// What a subscriber is called to all clients of an issuer.
    static func crossClientKey(of name: String, at issuer: SimulatedIssuer) -> String {
        Base64URL.encode(Array(HMAC.sha256(Array(name.utf8), key: Array("person \(issuer.rawValue)".utf8)).prefix(16)))
    }

    /// The pairwise subject of a subscriber at an issuer for a client (OpenID Connect Core §8.1).
    ///
    /// It follows from the three names, so that it outlives a restart of the simulation.
    static func subject(of name: String, for clientID: String, at issuer: SimulatedIssuer) -> String {
        // There everybody has the one name that the directory has.
        if issuer == .beyond { return name }
        let hash = HMAC.sha256(Array("\(clientID)\u{0}\(name)".utf8), key: Array("pairwise \(issuer.rawValue)".utf8))
        let opaque = Base64URL.encode(Array(hash.prefix(16)))
        return "\(IssuerProfile.of(issuer)?.mccmnc ?? issuer.rawValue)-\(opaque)"
    }
}
