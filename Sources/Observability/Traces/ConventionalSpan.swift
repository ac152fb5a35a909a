internal import Telemetry

/// A span in the words of OpenTelemetry's semantic conventions (v1.44), and of ours (`gatehouse.…`) where they have
/// none.
///
/// No address of a client is in it, and no path but the operation's as the table has it: paths may name a user.
struct ConventionalSpan {
    enum Kind: Int64 {
        case `internal` = 1
        case server, client
    }

    let name: String
    let kind: Kind
    let attributes: [SpanAttribute]
    /// Whether it failed through no fault of who asked.
    let isError: Bool

    /// - Parameter store: what the store is, `sqlite` or `postgresql`.
    init(_ span: Span, store: String) {
        let failure: String? =
            switch span.outcome {
            case .done: nil
            case .failed(let name): name.text
            case .abandoned: "abandoned"
            }
        switch (span.step, span.detail) {
        case (.request(let route), .request(let answer)?):
            name = "\(answer.method) \(route.text)"
            kind = .server
            attributes = Self.attributes(of: answer, route.text)
            isError = answer.status >= 500
        case (.request(let route), _):
            (name, kind) = (route.text, .server)
            attributes = [SpanAttribute("http.route", route.text), SpanAttribute("error.type", "abandoned")]
            isError = true
        case (.providerCall(let provider, let use), .call(let call)?):
            (name, kind) = (call.method, .client)
            attributes = Self.attributes(of: call, provider.text, use.text, failure)
            isError = failure != nil
        case (.commit, let detail):
            (name, kind, isError) = ("COMMIT", .client, failure != nil)
            var all = [SpanAttribute("db.system.name", store), SpanAttribute("db.operation.name", "COMMIT")]
            if case .commit(let writes)? = detail, writes > 1 {
                all.append(SpanAttribute("db.operation.batch.size", writes))
            }
            attributes = all + Self.error(failure)
        case (let step, _):
            let ours = Self.ours(step, store)
            (name, kind, isError) = (ours.name, .internal, failure != nil)
            attributes = ours.attributes + Self.error(failure)
        }
    }

    private static func attributes(of answer: AnsweredRequest, _ route: String) -> [SpanAttribute] {
        var all = [
            SpanAttribute("http.request.method", answer.method), SpanAttribute("url.path", route),
            SpanAttribute("url.scheme", "http"), SpanAttribute("http.route", route),
            SpanAttribute("http.response.status_code", answer.status), SpanAttribute("network.protocol.version", "1.1"),
        ]
        if answer.status >= 500 { all.append(SpanAttribute("error.type", "\(answer.status)")) }
        if let error = answer.error { all.append(SpanAttribute("gatehouse.error", error)) }
        if let provider = answer.provider { all.append(SpanAttribute("gatehouse.provider", provider)) }
        return all
    }

    private static func attributes(
        of call: OutboundCall, _ provider: String, _ use: String, _ failure: String?
    ) -> [SpanAttribute] {
        var all = [
            SpanAttribute("http.request.method", call.method), SpanAttribute("server.address", call.host),
            SpanAttribute("server.port", Int(call.port)), SpanAttribute("url.full", call.shownURL),
            SpanAttribute("gatehouse.provider", provider), SpanAttribute("gatehouse.provider.step", use),
        ]
        if let status = call.status { all.append(SpanAttribute("http.response.status_code", status)) }
        if call.resends > 0 { all.append(SpanAttribute("http.request.resend_count", call.resends)) }
        // The convention for an answer is its status as text.
        return all + error(call.status.flatMap { $0 >= 400 ? "\($0)" : nil } ?? failure)
    }

    private static func ours(_ step: Step, _ store: String) -> (name: String, attributes: [SpanAttribute]) {
        switch step {
        case .bulkhead(let provider): ("provider.bulkhead", [SpanAttribute("gatehouse.provider", provider.text)])
        case .providerCall(let provider, let use):
            (
                "provider.call",
                [
                    SpanAttribute("gatehouse.provider", provider.text),
                    SpanAttribute("gatehouse.provider.step", use.text),
                ]
            )
        case .storeQueue: ("store.queue", [SpanAttribute("db.system.name", store)])
        case .hashing: ("password.hash", [])
        case .delivery(let provider, let kind):
            ("delivery \(kind.text)", [SpanAttribute("gatehouse.provider", provider.text)])
        case .request(let route): (route.text, [])
        case .commit: ("COMMIT", [])
        }
    }

    private static func error(_ type: String?) -> [SpanAttribute] {
        type.map { [SpanAttribute("error.type", $0)] } ?? []
    }
}
