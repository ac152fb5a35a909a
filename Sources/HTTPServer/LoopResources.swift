import EventLoop
import System

/// What the connections of one loop share, so that none of them holds it while it waits.
struct LoopResources {
    /// One read takes no more than this.
    private static let receiveBytes = 16_384
    /// A buffer that unusually long fields have made large is not kept.
    private static let maximumOutputKept = 16_384

    /// The connections that wait for a request.
    var idle = IdleList()
    /// Whether every answer is to be the last of its connection.
    var announcesClose = false
    /// Whether nobody may wait for long any more.
    var isDraining = false
    /// What was read last, from its beginning on.
    var receiveBuffer = [UInt8](repeating: 0, count: receiveBytes)
    /// The answer that was rendered last, but for a body that is sent from where it is.
    private(set) var output: [UInt8] = []
    private var date = DateField()
    /// The handler's fields as they are sent: the common ones, and those that no answer goes without.
    private let commonFields: [UInt8]
    private let transportFields: [UInt8]
    private var identifiers: RequestIdentifiers
    private var gzip: GzipEncoder?

    init(commonFields: [(name: String, value: String)], transportFields: [(name: String, value: String)]) {
        self.commonFields = Self.lines(of: commonFields)
        self.transportFields = Self.lines(of: transportFields)
        var generator = SystemRandomNumberGenerator()
        identifiers = RequestIdentifiers(seededBy: &generator)
    }

    private static func lines(of fields: [(name: String, value: String)]) -> [UInt8] {
        var lines: [UInt8] = []
        for (name, value) in fields { ResponseWriter.writeField(name, value, into: &lines) }
        return lines
    }

    mutating func requestIdentifier() -> String { identifiers.next() }

    /// Writes an answer into ``output``, over the one before.
    ///
    /// - Returns: the body to be sent behind it, as ``ResponseWriter`` says.
    mutating func render(_ response: HTTPResponse, _ context: ResponseContext, at now: MonotonicTime) -> [UInt8] {
        date.renew(at: now)
        let encoded = context.acceptsGzip ? response.gzip { encode($0) } : nil
        output.removeAll(keepingCapacity: output.capacity <= Self.maximumOutputKept)
        return ResponseWriter.write(
            response, context, gzip: encoded, date: date.line, commonFields: commonFields,
            transportFields: transportFields, into: &output)
    }

    private mutating func encode(_ body: [UInt8]) -> [UInt8]? {
        if gzip == nil { gzip = GzipEncoder() }
        return gzip?.encode(body)
    }
}

/// The Date field (RFC 9110 §6.6.1), made once a second.
struct DateField {
    /// The whole line with its CRLF; made by ``renew(at:)``.
    private(set) var line: [UInt8] = []
    private var validUntil = MonotonicTime(nanoseconds: .min)

    /// Makes the line anew when its second is over.
    mutating func renew(at now: MonotonicTime) {
        guard now >= validUntil else { return }
        let time = WallClock.now
        line = Array("Date: \(CalendarTime(secondsSince1970: time.seconds).imfFixdate)\r\n".utf8)
        validUntil = MonotonicTime(nanoseconds: now.nanoseconds + 1_000_000_000 - time.nanoseconds)
    }
}
