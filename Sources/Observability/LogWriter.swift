internal import Glibc
internal import System
public import Telemetry

/// Writes log lines on a thread of its own, so that a thread that logs never waits for the reader of the log.
///
/// What waits to be written is bounded. When the reader is slower than the log, or reads no more, further lines are
/// dropped and counted; how many is told in a line of its own as soon as lines can be written again.
public final class LogWriter: Sendable {
    /// How many bytes may wait unless another number is asked for: about 20,000 lines.
    public static let usualCapacity = 4 << 20

    private let queue: LogQueue

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - descriptor: where lines go; it stays open as long as the writer lives. It may block.
    ///   - capacity: how many bytes may wait.
    ///   - told: the line, with its end, that says that so many lines were dropped.
    /// - Returns: nil when the system has no thread left.
    public init?(
        descriptor: Int32, capacity: Int = LogWriter.usualCapacity, told: @escaping @Sendable (Int) -> [UInt8]
    ) {
        queue = LogQueue(capacity: capacity)
        let work = Work(queue: queue, descriptor: descriptor, told: told)
        guard DetachedThread.start({ work.run() }) else { return nil }
    }

    /// What still waits is written first, by the thread, which ends then.
    deinit {
        queue.end()
    }

    /// Takes a line with its end, or drops it when too much waits. It never blocks for longer than it takes to copy the
    /// line.
    public func write(_ line: [UInt8]) {
        queue.append(line)
    }

    /// Where loggers send their lines; see ``write(_:)``. Holding it keeps the writer alive.
    public var sink: LogOutput.Sink { { line in self.write(line) } }

    /// Waits until every line taken so far is written. It blocks its thread, so it is for a program's end.
    ///
    /// - Returns: whether they were all written within that time.
    @discardableResult
    public func flush(within time: Duration) -> Bool {
        queue.awaitWritten(within: time)
    }
}

extension LogWriter: MetricSource {
    private static let dropped = MetricFamily(
        .counter, "gatehouse_log_lines_dropped", "Lines of the log that were not written, since nobody read them.")

    public func readings() -> [MetricReading] {
        [MetricReading(Self.dropped, [MetricSample(Double(queue.droppedInAll))])]
    }
}

/// What the thread of a ``LogWriter`` does.
private final class Work: Sendable {
    /// After a write the thread rests, so that a busy log is written in pieces of many lines. A line that comes after a
    /// quiet time is written at once.
    private static let restMicroseconds: UInt32 = 5000
    /// A buffer that has grown beyond this while the reader was away is given back.
    private static let keptCapacity = 1 << 18

    private let queue: LogQueue
    private let output: DescriptorOutput
    private let told: @Sendable (Int) -> [UInt8]

    init(queue: LogQueue, descriptor: Int32, told: @escaping @Sendable (Int) -> [UInt8]) {
        self.queue = queue
        output = DescriptorOutput(descriptor)
        self.told = told
    }

    func run() {
        var batch: [UInt8] = []
        while queue.take(&batch) {
            let written = output.write(batch.span)
            if written < batch.count {
                queue.drop(batch[written...].count { $0 == UInt8(ascii: "\n") })
                // Nobody must take the rest of a broken line for the beginning of the next.
                if written > 0, batch[written - 1] != UInt8(ascii: "\n") { output.write([UInt8(ascii: "\n")].span) }
            } else if let dropped = queue.dropped() {
                let line = told(dropped)
                if output.write(line.span) < line.count { queue.drop(dropped) }
            }
            queue.noteWritten()
            if batch.capacity > Self.keptCapacity { batch = [] } else { batch.removeAll(keepingCapacity: true) }
            usleep(Self.restMicroseconds)
        }
    }
}
