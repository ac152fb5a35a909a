// What comes out of the chunked decoder does not depend on how its bytes were split, and is within the body limit.
internal import FuzzSupport

@testable internal import HTTPServer

private let limits = ConnectionLimits(
    HTTPServerLimits(
        maximumHeaderBytes: 128, maximumHeaderFields: 4, maximumRequestTargetBytes: 64, maximumBodyBytes: 256))

private struct Outcome: Equatable {
    var body: [UInt8] = []
    var isFinished = false
    /// Where the message ends, when it does.
    var end = 0
    var violation: ProtocolError?
}

private func outcome(of pieces: [[UInt8]]) -> Outcome {
    var decoder = ChunkedDecoder()
    var outcome = Outcome()
    var buffer: [UInt8] = []
    var position = 0
    do throws(ProtocolError) {
        for piece in pieces where !decoder.isFinished {
            buffer += piece
            let next = try decoder.read(buffer, from: position, into: &outcome.body, limits)
            require(next >= position && next <= buffer.count, "reading goes forward, and no further than the bytes do")
            position = next
        }
    } catch {
        // How much of the body came before the fault depends on the pieces; nobody sees that body.
        return Outcome(violation: error)
    }
    require(outcome.body.count <= limits.bodyBytes, "a body is within its limit")
    outcome.isFinished = decoder.isFinished
    outcome.end = decoder.isFinished ? position : 0
    return outcome
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = PieceWise(unsafe fuzzInput(start, count))
    let whole = outcome(of: [input.whole])
    require(outcome(of: input.pieces) == whole, "the same bytes in pieces come out the same")
    require(outcome(of: input.whole.map { [$0] }) == whole, "the same bytes one by one come out the same")
    if whole.isFinished, !whole.body.isEmpty {
        let again = Array("\(String(whole.body.count, radix: 16))\r\n".utf8) + whole.body + Array("\r\n0\r\n\r\n".utf8)
        require(outcome(of: [again]).body == whole.body, "a body sent as one chunk is that body")
    }
    return 0
}
