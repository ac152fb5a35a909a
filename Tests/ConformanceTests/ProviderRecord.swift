import Synchronization

/// What a scripted provider has been asked, and what it has to remember of it.
final class ProviderRecord: Sendable {
    enum Endpoint: String, CaseIterable, Sendable {
        case configuration = "/.well-known/openid-configuration"
        case keys = "/jwks"
        case authorize = "/authorize"
        case token = "/token"
        case userinfo = "/userinfo"
    }

    /// What a code, or a refresh token, was given for.
    struct Grant: Sendable {
        let nonce: String?
        /// RFC 7636 §4.3.
        let challenge: String?
        let redirectURI: String
    }

    private struct State {
        var counts: [Endpoint: Int] = [:]
        var faults: [String] = []
        var grants: [String: Grant] = [:]
        var accessTokens: Set<String> = []
        var generation = 0
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func count(_ endpoint: Endpoint) { state.withLock { $0.counts[endpoint, default: 0] += 1 } }

    func requests(at endpoint: Endpoint) -> Int { state.withLock { $0.counts[endpoint] ?? 0 } }

    /// What a relying party must not do, and this one has done.
    var faults: [String] { state.withLock { $0.faults } }

    func note(fault: String) { state.withLock { $0.faults.append(fault) } }

    /// How often the keys have changed.
    var generation: Int { state.withLock { $0.generation } }

    func rotate() { state.withLock { $0.generation += 1 } }

    /// Gives something out that is known again.
    ///
    /// - Parameter kind: what it is, such as `code`.
    func issue(_ kind: String, for grant: Grant) -> String {
        state.withLock { state in
            let name = Self.name(kind, &state)
            state.grants[name] = grant
            return name
        }
    }

    func issueAccessToken() -> String {
        state.withLock { state in
            let name = Self.name("access-token", &state)
            state.accessTokens.insert(name)
            return name
        }
    }

    /// - Returns: nil for what was not given out, or was redeemed.
    func redeem(_ name: String?) -> Grant? {
        guard let name else { return nil }
        return state.withLock { $0.grants.removeValue(forKey: name) }
    }

    func knows(accessToken: String) -> Bool { state.withLock { $0.accessTokens.contains(accessToken) } }

    private static func name(_ kind: String, _ state: inout State) -> String {
        state.lastNumber += 1
        return "\(kind)-\(state.lastNumber)-of-the-scripted-provider"
    }
}
