internal import JSON
public import Logging
internal import Synchronization
internal import System

/// How lines of the log are written: for people, or as JSON for machines.
public enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}

/// Makes log lines: as text for people, or as one JSON object a line for machines.
///
/// Values come from outside now and then, so they are escaped: no value can begin a line of its own or colour a
/// terminal.
public struct LogOutput: LogHandler {
    /// Where lines go, each as a whole.
    public typealias Sink = @Sendable ([UInt8]) -> Void

    /// Room for nearly every line, in bytes.
    private static let usualLength = 256

    public var metadata: Logger.Metadata = [:]
    private let threshold: LogThreshold
    /// A level that one logger was given for itself.
    private var ownLevel: Logger.Level?
    private let format: LogFormat
    private let sink: Sink
    private let timestamp: @Sendable () -> String

    /// - Parameters:
    ///   - timestamp: the present time as text.
    ///   - sink: takes a whole line with its end.
    ///   - threshold: the level from which on lines are written, which may change while the server runs.
    public init(
        format: LogFormat, threshold: LogThreshold, timestamp: @escaping @Sendable () -> String, sink: @escaping Sink
    ) {
        (self.format, self.threshold, self.timestamp, self.sink) = (format, threshold, timestamp, sink)
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
        let values = event.metadata.map { metadata.isEmpty ? $0 : metadata.merging($0) { _, new in new } } ?? metadata
        let fields = values.sorted { $0.key < $1.key }
        switch format {
        case .text: sink(text(event.level, event.message.description, fields))
        case .json: sink(json(event.level, event.message.description, fields))
        }
    }

    /// A line about the log itself, in its form.
    public static func line(
        _ level: Logger.Level, _ message: String, format: LogFormat, timestamp: @escaping @Sendable () -> String
    ) -> [UInt8] {
        let output = LogOutput(format: format, threshold: LogThreshold(level), timestamp: timestamp) { _ in }
        return switch format {
        case .text: output.text(level, message, [])
        case .json: output.json(level, message, [])
        }
    }

    private typealias Fields = [(key: String, value: Logger.MetadataValue)]

    private func text(_ level: Logger.Level, _ message: String, _ fields: Fields) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(Self.usualLength)
        line.append(contentsOf: timestamp().utf8)
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: level.rawValue.utf8)
        line.append(UInt8(ascii: " "))
        Self.append(message, quoting: false, to: &line)
        for (name, value) in fields {
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: name.utf8)
            line.append(UInt8(ascii: "="))
            Self.append(Self.text(of: value), quoting: true, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private func json(_ level: Logger.Level, _ message: String, _ fields: Fields) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: Self.usualLength)
        writer.object { line in
            line.member("time", timestamp())
            line.member("level", level.rawValue)
            line.member("message", message)
            for (name, value) in fields { line.member(name, Self.json(value)) }
        }
        writer.endLine()
        return writer.bytes
    }

    /// A value that was given as a number or a flag is one; everything else is text.
    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        guard case .stringConvertible(let value) = value else { return .string("\(value)") }
        if let flag = value as? Bool { return .boolean(flag) }
        if let number = value as? any BinaryInteger { return .integer(Int64(clamping: number)) }
        if let number = value as? Double { return .number(number) }
        return .string("\(value)")
    }

    private static func text(of value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { text } else { value.description }
    }

    /// Appends a value as one word, or in quotes with everything escaped that could be taken for something else.
    private static func append(_ value: String, quoting: Bool, to line: inout [UInt8]) {
        let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
        if isPlain && !value.isEmpty { return line.append(contentsOf: value.utf8) }
        if quoting { line.append(UInt8(ascii: "\"")) }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"" where quoting, "\\" where quoting:
                line.append(UInt8(ascii: "\\"))
                line.append(UInt8(ascii: scalar))
            // Control characters, also those past ASCII, the separators that some viewers break lines at, and what
            // turns the direction of text.
            case _
            where [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory):
                line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
            default: line.append(contentsOf: String(scalar).utf8)
            }
        }
        if quoting { line.append(UInt8(ascii: "\"")) }
    }
}

extension LogOutput {
    /// Tells the present time in UTC to the millisecond (RFC 3339).
    public static let currentTimestamp: @Sendable () -> String = {
        let now = WallClock.now
        return CalendarTime(secondsSince1970: now.seconds).rfc3339(milliseconds: now.nanoseconds / 1_000_000)
    }
}

/// The level from which on log lines are written, shared by all loggers of a server.
public final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    public init(_ level: Logger.Level) {
        current = Mutex(level)
    }

    public var level: Logger.Level {
        get { current.withLock(\.self) }
        set { current.withLock { $0 = newValue } }
    }
}
