internal import HTTPServer
internal import SignIn
internal import Telemetry

/// `GET /metrics`: what is counted and measured, in the form that the scraper takes (`Accept`).
struct MetricsEndpoint: Sendable {
    let metrics: MetricRegistry

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let exposition = Exposition(accept: context.request.header("accept"))
        return HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: exposition.contentType), (name: "Cache-Control", value: "no-store"),
            ], body: exposition.text(metrics.readings()))
    }
}
