import HTTPServer
import Providers
package import Settings

/// How the descriptors of the process are shared out: the store and calls to providers keep theirs, however many
/// clients come, or a crowd that only holds connections open would end every sign-in.
package struct DescriptorShares: Equatable {
    /// Standard streams, signals, the store with its readers, and what is open for a moment: certificates, name
    /// look-ups, the store's temporary files.
    private static let own = 64
    /// epoll, its wake-up, and a listener.
    private static let ofLoop = 4
    /// Operators and their tools are few; a crowd on their port is none of theirs.
    private static let maximumOperators = 256
    /// How many connections clients may have at once; 0 when there is no limit of any kind.
    package let clients: Int
    /// How many operators may have.
    let operators: Int

    /// - Parameters:
    ///   - connections: how many clients may have as configured; nil when there is no limit.
    ///   - calls: how many connections there may be to providers.
    ///   - descriptors: how many the process may have; nil when nobody knows.
    ///   - loops: how many event loops there are.
    init(connections: Int?, calls: Int, descriptors: Int?, loops: Int) {
        guard let descriptors else {
            (clients, operators) = (connections ?? 0, Self.maximumOperators)
            return
        }
        let left = max(0, descriptors - Self.own - Self.ofLoop * loops)
        operators = min(Self.maximumOperators, max(8, left / 32))
        // Where there are few descriptors, calls get a quarter of them: a client that waits for its sign-in needs one
        // call at a time, and most clients wait for nothing.
        let free = left - min(calls, left / 4) - operators - HTTPServerLimits.refusals(beyond: operators)
        // Those who are told that there are too many have a descriptor meanwhile, too.
        let most = max(1, free - min(256, max(16, (free + 4) / 5)))
        clients = min(connections ?? most, most)
    }
}

extension DescriptorShares {
    /// Of a provider whose calls have no limit.
    private static let maximumCalls = 2000

    package init(_ settings: Settings, descriptors: Int?, loops: Int) {
        let calls = settings.providers.map { $0.connectionsPerHost == 0 ? Self.maximumCalls : $0.connectionsPerHost }
            .reduce(0, +)
        self.init(connections: settings.http.connections, calls: calls, descriptors: descriptors, loops: loops)
    }
}
