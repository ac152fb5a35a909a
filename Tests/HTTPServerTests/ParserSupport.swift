@testable import HTTPServer

/// What a parser made of some bytes.
struct Outcome: Equatable, CustomStringConvertible {
    /// `METHOD path?query|body` of each request.
    var requests: [String] = []
    var violation: ProtocolError?

    var description: String { "\(requests) \(violation.map { "\($0)" } ?? "")" }
}

extension ConnectionLimits {
    /// Small enough to reach in a test.
    static let small = ConnectionLimits(
        HTTPServerLimits(
            maximumHeaderBytes: 400, maximumHeaderFields: 10, maximumRequestTargetBytes: 60, maximumBodyBytes: 40))
}

/// Feeds pieces to a new parser, asking it for requests after each.
func parse(_ pieces: [[UInt8]], _ limits: ConnectionLimits = .small) -> Outcome {
    var parser = RequestParser()
    var outcome = Outcome()
    do throws(ProtocolError) {
        for piece in pieces {
            parser.append(piece[...])
            while let request = try parser.next(limits) {
                let query = request.query.map { "?" + $0 } ?? ""
                let body = request.body.isEmpty ? "" : "|" + String(decoding: request.body, as: UTF8.self)
                outcome.requests.append("\(request.method.rawValue) \(request.path)\(query)\(body)")
            }
        }
    } catch {
        outcome.violation = error
    }
    return outcome
}

/// The same bytes whole, in two pieces split at every place, and byte by byte: all must come out the same.
func parseEverySplit(_ text: String, _ limits: ConnectionLimits = .small) -> (whole: Outcome, differing: [String]) {
    let bytes = Array(text.utf8)
    let whole = parse([bytes], limits)
    var differing: [String] = []
    for place in 1..<bytes.count {
        let split = parse([Array(bytes[..<place]), Array(bytes[place...])], limits)
        if split != whole { differing.append("split at \(place): \(split)") }
    }
    let single = parse(bytes.map { [$0] }, limits)
    if single != whole { differing.append("byte by byte: \(single)") }
    return (whole, differing)
}

/// The only request in `text`.
func parseOne(_ text: String) throws -> ParsedRequest? {
    var parser = RequestParser()
    parser.append(Array(text.utf8)[...])
    return try parser.next(.small)
}
