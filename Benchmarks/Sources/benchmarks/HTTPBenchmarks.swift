@testable internal import HTTPServer

/// What every request costs before and after its endpoint.
enum HTTPBenchmarks {
    static var all: [Benchmark] {
        let limits = ConnectionLimits(HTTPServerLimits())
        let sent = SignInRequest.bytes
        let middle = sent.count / 2
        let bodyCount = SignInRequest.body(code: 0).utf8.count
        let response = HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store"),
                (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
            ], body: [UInt8](repeating: 0x20, count: 800))
        let context = ResponseContext(
            requestID: "0123456789abcdef0123456789abcdef", dropsBody: false, isVersion10: false, acceptsGzip: false,
            closes: false)
        let date = Array("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n".utf8)
        var output: [UInt8] = []
        let form = SignInRequest.form(code: 0)
        return [
            Benchmark("parse-request", rounds: 20_000) {
                var parser = RequestParser()
                parser.append(sent[..<middle])
                let early = try parser.next(limits)
                parser.append(sent[middle...])
                let request = try parser.next(limits)
                require(early == nil && request?.body.count == bodyCount, "the request is whole")
            },
            Benchmark("write-response", rounds: 20_000) {
                output.removeAll(keepingCapacity: true)
                _ = ResponseWriter.write(
                    response, context, gzip: nil, date: date, commonFields: [], transportFields: [],
                    into: &output)
                require(output.count > response.body.count, "head and body are written")
            },
            Benchmark("parse-form", rounds: 20_000) {
                let fields = try FormFields(parsing: form.span, limit: 64)
                require(fields.fields.count == 8, "every field is read")
            },
        ]
    }
}
