internal import Glibc
internal import JSON
public import Logging

/// Writes log lines to standard error: as text for people, or as one JSON object a line for machines.
///
/// Values come from outside now and then, so they are escaped: no value can begin a line of its own or colour a
/// terminal.
public struct LogOutput: LogHandler {
    public enum Format: Sendable {
        case text
        case json
    }

    /// Where lines go. One write is one line, so that lines of several threads never mix.
    public typealias Sink = @Sendable ([UInt8]) -> Void

    public var metadata: Logger.Metadata = [:]
    private let threshold: LogThreshold
    /// A level that one logger was given for itself.
    private var ownLevel: Logger.Level?
    private let format: Format
    private let sink: Sink
    private let timestamp: @Sendable () -> String

    /// - Parameters:
    ///   - timestamp: the present time as text.
    ///   - sink: takes a whole line with its end.
    ///   - threshold: the level from which on lines are written, which may change while the server runs.
    public init(
        format: Format, threshold: LogThreshold, timestamp: @escaping @Sendable () -> String, sink: @escaping Sink
    ) {
        self.format = format
        self.threshold = threshold
        self.timestamp = timestamp
        self.sink = sink
    }

    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let values = event.metadata.map { metadata.merging($0) { _, new in new } } ?? metadata
        let fields = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        switch format {
        case .text: sink(text(event.level, "\(event.message)", fields))
        case .json: sink(json(event.level, "\(event.message)", fields))
        }
    }

    private func text(_ level: Logger.Level, _ message: String, _ fields: [(String, Logger.MetadataValue)]) -> [UInt8] {
        var line = "\(timestamp()) \(level.rawValue) \(Self.escaped(message, quoting: false))"
        for (name, value) in fields { line += " \(name)=\(Self.escaped("\(value)", quoting: true))" }
        return Array((line + "\n").utf8)
    }

    private func json(_ level: Logger.Level, _ message: String, _ fields: [(String, Logger.MetadataValue)]) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.object { line in
            line.member("time", timestamp())
            line.member("level", level.rawValue)
            line.member("message", message)
            for (name, value) in fields { line.member(name, Self.json(value)) }
        }
        return writer.bytes + [0x0A]
    }

    /// A value that was given as a number or a flag is one; everything else is text.
    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        guard case .stringConvertible(let value) = value else { return .string("\(value)") }
        if let flag = value as? Bool { return .boolean(flag) }
        if let number = value as? any BinaryInteger { return .integer(Int64(clamping: number)) }
        if let number = value as? Double { return .number(number) }
        return .string("\(value)")
    }

    /// A value as one word, or in quotes with everything escaped that could be taken for something else.
    static func escaped(_ value: String, quoting: Bool) -> String {
        let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
        if isPlain && !value.isEmpty { return value }
        let escaped = value.unicodeScalars.map { scalar in
            switch scalar {
            case "\"" where quoting, "\\" where quoting: "\\\(scalar)"
            // Control characters, also those past ASCII, the separators that some viewers break lines at, and what
            // turns the direction of text.
            case _
            where [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory):
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
        return quoting ? "\"\(escaped)\"" : escaped
    }
}

extension LogOutput {
    /// Writes a line to standard error with one call. A log that can't be written stops no sign-in.
    @Sendable public static func standardError(_ line: [UInt8]) {
        _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }

    /// The present time in UTC to the millisecond (RFC 3339).
    @Sendable public static func currentTimestamp() -> String {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return timestamp(seconds: Int64(time.tv_sec), milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }

    /// RFC 3339 of so many seconds since 1970.
    static func timestamp(seconds: Int64, milliseconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&time, &parts)
        func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let date = unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        let clock = unsafe "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return "\(date)T\(clock).\(padded(milliseconds, 3))Z"
    }
}
