/// The misbehaviours of one sign-in, as the authorization parameter `misbehave` names them and its code carries them.
///
/// The text is names joined by full stops, each with an endpoint and a hyphen before it where one is meant:
/// `id_token_no_kid.userinfo-reset`. All of it may stand in a URL unescaped.
struct MisbehaviourPlan: Sendable {
    private struct Item: Sendable {
        let misbehaviour: Misbehaviour
        let endpoints: [SimulatedEndpoint]
    }

    private let items: [Item]
    /// As it was read; empty for a sign-in in which nothing is wrong.
    let text: String

    static let none = MisbehaviourPlan()

    private init() {
        items = []
        text = ""
    }

    /// - Returns: nil when a name or an endpoint is unknown.
    init?(_ text: some StringProtocol) {
        var items: [Item] = []
        for piece in text.split(separator: ".") {
            let halves = piece.split(separator: "-", maxSplits: 1)
            guard let name = halves.last, let misbehaviour = Misbehaviour(name: name) else { return nil }
            if halves.count == 2 {
                guard let endpoint = SimulatedEndpoint(rawValue: String(halves[0])) else { return nil }
                items.append(Item(misbehaviour: misbehaviour, endpoints: [endpoint]))
            } else {
                // Of the endpoints that a sign-in reaches with its code, the first.
                items.append(Item(misbehaviour: misbehaviour, endpoints: misbehaviour.ownEndpoints ?? [.token]))
            }
        }
        self.items = items
        self.text = String(text)
    }

    func misbehaviours(at endpoint: SimulatedEndpoint) -> [Misbehaviour] {
        items.filter { $0.endpoints.contains(endpoint) }.map(\.misbehaviour)
    }
}
