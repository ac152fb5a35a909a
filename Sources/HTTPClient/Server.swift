/// One server of a pool, `host:port`, and its connections.
final class Server {
    let name: String
    /// Those that carry nothing, the latest to be used last.
    var idle: [OutboundConnection] = []
    /// How many connections there are, those being made included.
    var open = 0
    /// Who waits for a connection, in the order of their coming; some of them may be over meanwhile.
    private var waiting: [Exchange] = []
    /// How many at the front have left the line.
    private var gone = 0

    init(_ name: String) {
        self.name = name
    }

    func wait(_ exchange: Exchange) { waiting.append(exchange) }

    /// The next that waits.
    func nextWaiting() -> Exchange? {
        while gone < waiting.count {
            let exchange = waiting[gone]
            gone += 1
            if gone > 64, 2 * gone > waiting.count {
                waiting.removeFirst(gone)
                gone = 0
            }
            if !exchange.isOver { return exchange }
        }
        waiting.removeAll(keepingCapacity: true)
        gone = 0
        return nil
    }
}
