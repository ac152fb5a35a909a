import Crypto
import EventLoop
import HTTPClient
import HTTPServer
import JSON
import Logging
import Observability
import Settings
import Synchronization
import Syntax
import System
import Telemetry
import Wings

/// Sends spans to a collector (OTLP over HTTP), batch by batch. Nobody waits for it: what a collector does not take in
/// time is dropped and counted.
final class SpanExporter: Sendable {
    /// Between two looks whether a batch has come together.
    private static let lookInterval = Duration.milliseconds(100)
    /// Before a batch is sent again for the first time; each time after, twice as long.
    private static let firstPause = Duration.seconds(1)
    /// How long the last spans may take when the server stops.
    private static let lastTime = Duration.seconds(2)
    private static let answerBytes = 65_536
    /// Between two lines that say that spans are lost.
    private static let toldInterval = Duration.seconds(60)

    private struct State {
        var sentAt = MonotonicTime.now
        /// When somebody was told that spans are lost; nil while none are.
        var toldAt: MonotonicTime?
    }

    private enum Outcome: Equatable {
        case taken
        /// - Parameter after: how long the collector wants to be left alone.
        case failed(String, after: Duration?)
        /// It would be the same with another try.
        case refused(String)
    }

    private let tracer: Tracer
    private let export: TraceExport
    private let request: TraceExportRequest
    private let transport: any HTTPTransport
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter transport: by which the collector is reached.
    init(
        _ tracer: Tracer, to export: TraceExport, _ request: TraceExportRequest, _ transport: any HTTPTransport,
        _ logger: Logger
    ) {
        (self.tracer, self.export, self.request) = (tracer, export, request)
        (self.transport, self.logger) = (transport, logger)
    }

    /// Sends, whenever a batch is there or spans have waited long enough.
    var job: HousekeepingJob {
        HousekeepingJob(interval: Self.lookInterval, complaint: "spans could not be sent") { await self.look() }
    }

    private func look() async {
        let isDue = state.withLock { .now - $0.sentAt >= export.delay }
        while !Task.isCancelled, tracer.waiting >= (isDue ? 1 : export.batchLimit) {
            await send(tracer.take(export.batchLimit))
        }
        if isDue { state.withLock { $0.sentAt = .now } }
    }

    /// Sends what is left, once each, for as long as that may take.
    func finish() async {
        let end = MonotonicTime.now + Self.lastTime
        while tracer.waiting > 0, end > .now {
            let batch = tracer.take(export.batchLimit)
            if await outcome(of: body(batch), within: min(export.timeout, end - .now)) != .taken {
                tracer.noteDropped(batch.count)
            }
        }
        tracer.noteDropped(tracer.waiting)
    }

    private func body(_ batch: [KeptSpan]) -> [UInt8] { request.body(batch, at: .now) }

    private func send(_ batch: [KeptSpan]) async {
        guard !batch.isEmpty else { return }
        let body = body(batch)
        let end = MonotonicTime.now + export.batchTimeout
        var pause = Self.firstPause
        while true {
            let outcome = await outcome(of: body, within: export.timeout)
            switch outcome {
            case .taken: return tellTaken()
            case .refused(let reason): return lose(batch, reason)
            case .failed(let reason, let asked):
                // Not all who failed together come back together.
                let wait = asked.map { max($0, Self.lookInterval) } ?? pause * Double.random(in: 0.5...1)
                if Task.isCancelled { return tracer.giveBack(batch) }
                guard .now + wait < end else { return lose(batch, reason) }
                guard (try? await Task.sleep(for: wait)) != nil else { return tracer.giveBack(batch) }
                pause = pause * 2
            }
        }
    }

    private func outcome(of body: [UInt8], within timeout: Duration) async -> Outcome {
        let zipped = export.isCompressed ? GzipEncoder(.least)?.encode(body) : nil
        var headers = [(name: "Content-Type", value: "application/json")]
        if zipped != nil { headers.append((name: "Content-Encoding", value: "gzip")) }
        headers += export.headers.map { (name: $0.name, value: $0.value.revealedText) }
        let request = OutboundRequest(
            method: .post, url: export.endpoint, headers: headers, body: zipped ?? body, timeout: timeout,
            policy: OutboundPolicy(
                caFile: export.caFile, allowsPrivateAddresses: true, connectionsPerHost: 1,
                maximumBodyBytes: Self.answerBytes, connectTimeout: export.timeout))
        do throws(HTTPClientError) {
            return outcome(of: try await transport.send(request))
        } catch {
            return .failed("it can't be reached, or does not answer in time", after: nil)
        }
    }

    private func outcome(of response: OutboundResponse) -> Outcome {
        switch response.status {
        case 200..<300:
            noteRejected(response.body)
            return .taken
        case 429, 502, 503, 504:
            return .failed("status \(response.status)", after: Self.pause(response.header("retry-after")))
        default: return .refused("status \(response.status)")
        }
    }

    /// How long it wants to be left alone; nil where it does not say, or says it as a date.
    private static func pause(_ retryAfter: String?) -> Duration? {
        retryAfter.flatMap { UInt16($0) }.map { .seconds(Int64($0)) }
    }

    /// Counts what a collector has not taken of a batch that it has (`partialSuccess`).
    private func noteRejected(_ body: [UInt8]) {
        guard let answer = try? JSONValue(parsing: body), let partial = answer["partialSuccess"] else { return }
        let rejected = partial["rejectedSpans"]
        let count = rejected?.string.flatMap { Int($0) } ?? rejected?.integer.map { Int($0) }
        guard let count, count > 0 else { return }
        tracer.noteDropped(count)
        tellLost(count, "it rejects some of them")
    }

    private func lose(_ batch: [KeptSpan], _ reason: String) {
        tracer.noteDropped(batch.count)
        tellLost(batch.count, reason)
    }

    private func tellLost(_ count: Int, _ reason: String) {
        let isTime = state.withLock { state in
            if let told = state.toldAt, .now - told < Self.toldInterval { return false }
            state.toldAt = .now
            return true
        }
        guard isTime else { return }
        logger.warning(
            "spans are lost, since the collector does not take them",
            metadata: [
                "endpoint": "\(export.endpoint.server)", "reason": "\(reason)", "spans": .stringConvertible(count),
            ])
    }

    private func tellTaken() {
        guard state.withLock({ $0.toldAt.take() }) != nil else { return }
        logger.notice("the collector takes spans again", metadata: ["endpoint": "\(export.endpoint.server)"])
    }
}
