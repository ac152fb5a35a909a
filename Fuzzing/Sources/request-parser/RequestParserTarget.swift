internal import FuzzSupport
// What comes out of the request parser does not depend on how its bytes were split, and keeps to the limits.
import Syntax

@testable internal import HTTPServer

/// Small enough that inputs reach every one of them.
private let limits = ConnectionLimits(
    HTTPServerLimits(
        maximumHeaderBytes: 512, maximumHeaderFields: 8, maximumRequestTargetBytes: 64, maximumBodyBytes: 64))

private struct Outcome: Equatable {
    struct Request: Equatable {
        let method: HTTPMethod
        let path: String
        let query: String?
        let fields: [[UInt8]]
        let body: [UInt8]
        let isVersion10: Bool
        let keepsAlive: Bool
    }

    var requests: [Request] = []
    var violation: ProtocolError?
    /// What is left over, when nothing was wrong.
    var bufferedBytes = 0
    var stage = RequestParser.Stage.idle
}

private func outcome(of pieces: [[UInt8]]) -> Outcome {
    var parser = RequestParser()
    var outcome = Outcome()
    do throws(ProtocolError) {
        for piece in pieces {
            parser.append(piece[...])
            while let request = try parser.next(limits) { outcome.requests.append(read(request)) }
        }
        outcome.bufferedBytes = parser.bufferedBytes
        outcome.stage = parser.stage
    } catch {
        outcome.violation = error
    }
    return outcome
}

private func read(_ request: ParsedRequest) -> Outcome.Request {
    require(request.body.count <= limits.bodyBytes, "a body is within its limit")
    require(request.head.fields.count <= limits.headerFields, "there are as many fields as the limit allows")
    require(request.path.hasPrefix("/") || request.path == "*", "a path begins with a slash")
    var fields: [[UInt8]] = []
    for field in request.head.fields {
        let (name, value) = (request.head.bytes[field.name], request.head.bytes[field.value])
        require(!name.isEmpty && name.allSatisfy(\.isToken), "a field name is a token")
        require(value.allSatisfy(\.isFieldContent), "a field value has no control characters")
        fields += [Array(name), Array(value)]
    }
    return Outcome.Request(
        method: request.method, path: request.path, query: request.query, fields: fields, body: request.body,
        isVersion10: request.isVersion10, keepsAlive: request.keepsAlive)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = PieceWise(unsafe fuzzInput(start, count))
    let whole = outcome(of: [input.whole])
    require(outcome(of: input.pieces) == whole, "the same bytes in pieces come out the same")
    require(outcome(of: input.whole.map { [$0] }) == whole, "the same bytes one by one come out the same")
    return 0
}
