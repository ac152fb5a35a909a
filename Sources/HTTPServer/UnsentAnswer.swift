/// What of an answer the client has still to take: of the head a copy, since it was rendered into a buffer that others use,
/// and the body itself, which other answers may share.
struct UnsentAnswer {
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    /// How many bytes of both have been taken.
    var offset = 0

    init() {}

    /// - Parameter sent: how many bytes of both were taken at the first try. When that was all, nothing is kept.
    init(head: [UInt8], body: [UInt8], sent: Int) {
        guard sent < head.count + body.count else { return }
        if sent < head.count { self.head = Array(head[sent...]) }
        self.body = body
        offset = max(0, sent - head.count)
    }

    var isEmpty: Bool { offset == head.count + body.count }
}
