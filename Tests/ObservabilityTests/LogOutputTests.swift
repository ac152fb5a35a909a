import JSON
import Logging
import Synchronization
import Testing

@testable import Observability

/// Collects the lines that a logger writes.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func logger(_ format: LogFormat, threshold: LogThreshold = LogThreshold(.info)) -> Logger {
        Logger(label: "gatehouse") { _ in
            LogOutput(format: format, threshold: threshold, timestamp: { "2026-09-21T12:00:00.000Z" }) { line in
                self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    var all: [String] { lines.withLock(\.self) }
}

@Suite struct `A line of the log as text` {
    private func line(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) -> String? {
        let lines = Lines()
        lines.logger(.text).info(message, metadata: metadata)
        return lines.all.count == 1 ? lines.all.first : nil
    }

    @Test func `a line of the log as text has time, level, message and the values in the order of their names`() {
        #expect(
            line("request", ["status": "200", "method": "GET"])
                == "2026-09-21T12:00:00.000Z info request method=GET status=200\n")
    }

    @Test(
        arguments: [
            ("plain", "plain"), ("a b", "\"a b\""), ("", "\"\""), ("a=b", "\"a=b\""), ("say \"hi\"", #""say \"hi\"""#),
            ("back\\slash", #""back\\slash""#), ("a\nb", #""a\u{a}b""#), ("a\r\nb", #""a\u{d}\u{a}b""#),
            ("a\tb", #""a\u{9}b""#), ("\u{1B}[31mred", #""\u{1b}[31mred""#), ("a\u{0}b", #""a\u{0}b""#),
            ("a\u{7F}b", #""a\u{7f}b""#), ("a\u{9B}31m", #""a\u{9b}31m""#), ("a\u{85}b", #""a\u{85}b""#),
            ("a\u{2028}b\u{2029}c", #""a\u{2028}b\u{2029}c""#), ("Zoë", "\"Zoë\""),
        ])
    func `a line of the log as text has its values as one word or in quotes`(value: String, written: String) {
        #expect(line("m", ["value": "\(value)"]) == "2026-09-21T12:00:00.000Z info m value=\(written)\n")
    }

    @Test(
        arguments: [
            ("two words", "two words"), ("a\nfake line", #"a\u{a}fake line"#), ("\u{1B}[2J", #"\u{1b}[2J"#),
            ("\r", #"\u{d}"#), ("it's \"fine\"", "it's \"fine\""), ("a\u{2028}b", #"a\u{2028}b"#),
        ])
    func `a line of the log as text has a message that ends where it ends`(message: String, written: String) {
        #expect(line("\(message)") == "2026-09-21T12:00:00.000Z info \(written)\n")
    }
}

@Suite struct `A line of the log as JSON` {
    @Test(arguments: ["plain", "a\nb", "\"quoted\"", "\u{1B}[31m", "back\\slash", "a\u{0}b", "Zoë 😀", "\u{2028}"])
    func `a line of the log as JSON is one object in one line, whatever is in it`(text: String) throws {
        let lines = Lines()
        lines.logger(.json).warning("\(text)", metadata: ["value": "\(text)"])
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1)
        #expect(line.hasSuffix("}\n"))
        #expect(!line.dropLast().utf8.contains { $0 < 0x20 || $0 == 0x7F })
        let object = try #require(try JSONValue(parsing: Array(line.utf8)).object)
        #expect(object.members.map(\.name) == ["time", "level", "message", "value"])
        #expect(object["time"] == "2026-09-21T12:00:00.000Z")
        #expect(object["level"] == "warning")
        #expect(object["message"] == .string(text))
        #expect(object["value"] == .string(text))
    }
}

@Suite struct `Numbers of the log` {
    private func line(_ format: LogFormat, _ metadata: Logger.Metadata) -> String {
        let lines = Lines()
        lines.logger(format).info("m", metadata: metadata)
        return lines.all.joined()
    }

    private static let numbers: Logger.Metadata = [
        "status": .stringConvertible(200), "ms": .stringConvertible(Int64(7)),
        "limit": .stringConvertible(UInt64(1 << 40)), "share": .stringConvertible(0.5),
        "ready": .stringConvertible(true), "id": "007",
    ]

    @Test func `numbers of the log are numbers in JSON, and flags are flags`() throws {
        let object = try JSONValue(parsing: Array(line(.json, Self.numbers).utf8.dropLast()))
        #expect(object["status"] == 200)
        #expect(object["ms"] == 7)
        #expect(object["limit"] == .integer(1 << 40))
        #expect(object["share"] == .number(0.5))
        #expect(object["ready"] == true)
        #expect(object["id"] == "007")
    }

    @Test func `numbers of the log are words in text`() {
        #expect(
            line(.text, Self.numbers).hasSuffix(
                "info m id=007 limit=1099511627776 ms=7 ready=true share=0.5 status=200\n"))
    }
}

@Suite struct `The log` {
    @Test func `leaves out what is below its level`() {
        let lines = Lines()
        let logger = lines.logger(.text, threshold: LogThreshold(.warning))
        logger.info("quiet")
        logger.warning("loud")
        #expect(lines.all == ["2026-09-21T12:00:00.000Z warning loud\n"])
    }

    @Test func `follows its threshold, but for a logger with a level of its own`() {
        let lines = Lines()
        let threshold = LogThreshold(.error)
        let follower = lines.logger(.text, threshold: threshold)
        var own = follower
        own.logLevel = .info
        follower.info("before")
        own.info("own")
        threshold.level = .debug
        follower.debug("after")
        own.debug("too low")
        #expect(follower.logLevel == .debug)
        #expect(lines.all == ["2026-09-21T12:00:00.000Z info own\n", "2026-09-21T12:00:00.000Z debug after\n"])
    }

    @Test func `takes a logger's own values unless a line has others`() {
        let lines = Lines()
        var logger = lines.logger(.text)
        logger[metadataKey: "a"] = "1"
        logger[metadataKey: "b"] = "2"
        #expect(logger[metadataKey: "a"] == "1")
        logger.info("m", metadata: ["b": "3"])
        logger.info("m")
        #expect(
            lines.all == ["2026-09-21T12:00:00.000Z info m a=1 b=3\n", "2026-09-21T12:00:00.000Z info m a=1 b=2\n"])
    }

    @Test func `writes the present time`() throws {
        let now = LogOutput.currentTimestamp()
        #expect(now.wholeMatch(of: /20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\.\d{3}Z/) != nil)
    }
}
