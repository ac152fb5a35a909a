// What is read of a provider's answer does not depend on how its bytes were split, and keeps to its bounds.
internal import FuzzSupport

@testable internal import HTTPClient

private let limits = HTTPClientLimits(headerBytes: 256, headerFields: 6)
private let bodyLimit = 256

private struct Outcome: Equatable {
    var progress = ResponseParser.Progress.unfinished
    var isWholeAtItsEnd = false
    var status = 0
    var body: [UInt8] = []
    var type: String?
    var violation: HTTPClientError?
}

private func outcome(of pieces: [[UInt8]]) -> Outcome {
    var parser = ResponseParser(limits: limits, maximumBodyBytes: bodyLimit)
    var outcome = Outcome()
    do throws(HTTPClientError) {
        for piece in pieces {
            outcome.progress = try parser.receive(piece.span)
            // The connection is read no further then, and what else it holds makes it one that is not kept.
            if outcome.progress != .unfinished { break }
        }
        if outcome.progress == .unfinished {
            guard (try? parser.endOfStream()) != nil else { return Outcome() }
            outcome.isWholeAtItsEnd = true
        }
        let response = try parser.response()
        (outcome.status, outcome.body, outcome.type) = (
            response.status, response.body, response.header("content-type")
        )
    } catch {
        return Outcome(violation: error)
    }
    // Whether something follows is seen only where it comes along.
    if outcome.progress != .unfinished { outcome.progress = .finished(keepsConnection: false) }
    return outcome
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = PieceWise(unsafe fuzzInput(start, count))
    let whole = outcome(of: [input.whole])
    require(outcome(of: input.pieces) == whole, "the same bytes in pieces come out the same")
    require(outcome(of: input.whole.map { [$0] }) == whole, "the same bytes one by one come out the same")
    require(whole.body.count <= bodyLimit, "a body is within its limit")
    guard whole.status != 0 else { return 0 }
    require((200...999).contains(whole.status), "an interim answer is not the answer")
    require(whole.status != 204 && whole.status != 304 || whole.body.isEmpty, "some answers have no body")
    require(whole.type.map { !$0.utf8.contains { $0 == 0x0A || $0 == 0x0D } } ?? true, "a field is one line")
    return 0
}
