import EventLoop

/// What the connections of one loop share, so that none of them holds it while it waits.
struct LoopSupplies {
    /// One read takes no more than this.
    private static let receiveBytes = 16_384
    /// A buffer that an unusually long answer has made large is not kept.
    private static let largestOutputKept = 65_536

    /// The connections that wait for a request.
    var idle = IdleList()
    /// Whether every answer is to be the last of its connection.
    var isDraining = false
    private var receiveBuffer = [UInt8](repeating: 0, count: receiveBytes)
    private var output: [UInt8] = []
    private var date = DateField()
    /// The handler's common fields as they are sent.
    private let commonFields: [UInt8]
    private var identifiers: RequestIdentifiers
    private var gzip: GzipEncoder?

    init(commonFields: [(name: String, value: String)]) {
        var lines: [UInt8] = []
        for (name, value) in commonFields { ResponseWriter.writeField(name, value, into: &lines) }
        self.commonFields = lines
        var generator = SystemRandomNumberGenerator()
        identifiers = RequestIdentifiers(seededBy: &generator)
    }

    mutating func takeReceiveBuffer() -> [UInt8] {
        let buffer = receiveBuffer
        receiveBuffer = []
        return buffer
    }

    mutating func giveBack(receiveBuffer: [UInt8]) { self.receiveBuffer = receiveBuffer }

    mutating func requestIdentifier() -> String { identifiers.next() }

    /// Writes an answer into the shared buffer and hands that out.
    mutating func render(_ response: HTTPResponse, _ context: ResponseContext, at now: MonotonicTime) -> [UInt8] {
        var output = output
        self.output = []
        date.renew(at: now)
        ResponseWriter.write(response, context, date: date.line, commonFields: commonFields, into: &output) {
            encode($0)
        }
        return output
    }

    mutating func giveBack(output: [UInt8]) {
        guard output.capacity <= Self.largestOutputKept else { return }
        self.output = output
        self.output.removeAll(keepingCapacity: true)
    }

    private mutating func encode(_ body: [UInt8]) -> [UInt8]? {
        if gzip == nil { gzip = GzipEncoder() }
        return gzip?.encode(body)
    }
}
