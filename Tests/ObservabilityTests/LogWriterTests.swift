import Glibc
import Synchronization
import Telemetry
import Testing

@testable import Observability

/// A pipe, and a writer into it.
private final class Piped: Sendable {
    let reader: Int32
    let writing: Int32
    let writer: LogWriter

    init(capacity: Int = LogWriter.usualCapacity, isBlocking: Bool = true) throws {
        // As the server does: who reads no more is an error of the write.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        let made = unsafe pipe(&ends)
        try #require(made == 0)
        (reader, writing) = (ends[0], ends[1])
        // F_SETPIPE_SZ, which Glibc does not show: the least that a pipe holds.
        _ = fcntl(writing, 1031, 4096)
        if !isBlocking { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
        let writer = LogWriter(descriptor: writing, capacity: capacity) { Array("\($0) dropped\n".utf8) }
        self.writer = try #require(writer)
    }

    deinit {
        close(reader)
    }

    func write(_ line: String) { writer.write(Array("\(line)\n".utf8)) }

    /// Reads on until such a line has come, and returns all that came.
    func lines(through last: (String) -> Bool) -> [String] {
        var (lines, line, byte): ([String], [UInt8], UInt8) = ([], [], 0)
        while unsafe read(reader, &byte, 1) == 1 {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            lines.append(String(decoding: line, as: UTF8.self))
            line = []
            if lines.last.map(last) == true { break }
        }
        return lines
    }
}

// More than a pipe takes, so that the writer is stuck while nobody reads.
private let longLine = String(repeating: "x", count: 8192)

@Suite struct `The writer of the log` {
    @Test func `writes every line once, in the order in which they came`() throws {
        let piped = try Piped()
        for number in 0..<100 { piped.write("line \(number)") }
        #expect(piped.lines { $0 == "line 99" } == (0..<100).map { "line \($0)" })
        #expect(piped.writer.flush(within: .seconds(30)))
    }

    @Test func `keeps the lines of many threads whole`() async throws {
        let piped = try Piped()
        await withTaskGroup { group in
            for writer in 0..<4 {
                group.addTask { for number in 0..<200 { piped.writer.write(Array("\(writer) \(number)\n".utf8)) } }
            }
            group.addTask {
                var left = 800
                let lines = piped.lines { _ in
                    left -= 1
                    return left == 0
                }
                #expect(Set(lines) == Set((0..<4).flatMap { writer in (0..<200).map { "\(writer) \($0)" } }))
            }
        }
    }

    @Test(arguments: [true, false])
    func `takes lines while nobody reads, drops those beyond its bound, and tells how many`(isBlocking: Bool) throws {
        let piped = try Piped(capacity: 9000, isBlocking: isBlocking)
        piped.write(longLine)
        // More than the bound.
        for number in 0..<1000 { piped.write("line \(number), and so on, and so on") }
        #expect(!piped.writer.flush(within: .zero))
        var (written, dropped) = (0, 0)
        _ = piped.lines { line in
            if line.hasPrefix("line ") { written += 1 }
            if line.hasSuffix(" dropped") { dropped += Int(line.prefix { $0 != " " }) ?? 0 }
            return written + dropped == 1000
        }
        // What waits and what the writer has in its hands are each within the bound, some 270 lines.
        #expect(dropped > 400)
        piped.write("afterwards")
        #expect(piped.lines { _ in true } == ["afterwards"])
    }

    @Test func `waits for a reader that has gone no longer than it is told to`() throws {
        let piped = try Piped()
        piped.write(longLine)
        let began = ContinuousClock.now
        #expect(!piped.writer.flush(within: .milliseconds(50)))
        #expect(ContinuousClock.now - began >= .milliseconds(50))
    }

    @Test func `counts what a descriptor refuses, and tells it when lines can be written again`() throws {
        let piped = try Piped()
        // A descriptor that is at its end, and then is another.
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        let kept = dup(piped.writing)
        dup2(full, piped.writing)
        close(full)
        for number in 0..<3 { piped.write("lost \(number)") }
        #expect(piped.writer.flush(within: .seconds(30)))
        dup2(kept, piped.writing)
        close(kept)
        piped.write("found")
        #expect(piped.lines { $0.hasSuffix("dropped") } == ["found", "3 dropped"])
        let metrics = String(decoding: Exposition.prometheus.text(piped.writer.readings()), as: UTF8.self)
        #expect(metrics.hasSuffix("gatehouse_log_lines_dropped_total 3\n"))
    }

    @Test func `writes what waits when it is given up, and its thread ends`() throws {
        var ends: [Int32] = [0, 0]
        let made = unsafe pipe(&ends)
        try #require(made == 0)
        let told = Told()
        do {
            let made = LogWriter(descriptor: ends[1]) { [told] in told.line($0) }
            let writer = try #require(made)
            writer.write(Array("last\n".utf8))
        }
        var bytes = [UInt8](repeating: 0, count: 5)
        #expect(unsafe read(ends[0], &bytes, 5) == 5)
        #expect(bytes == Array("last\n".utf8))
        weak let remembered = told
        _ = consume told
        let deadline = ContinuousClock.now + .seconds(60)
        while remembered != nil, ContinuousClock.now < deadline { usleep(1000) }
        #expect(remembered == nil)
        ends.forEach { close($0) }
    }
}

/// Lives as long as the thread that may ask it.
private final class Told: Sendable {
    func line(_ count: Int) -> [UInt8] { Array("\(count)\n".utf8) }
}
