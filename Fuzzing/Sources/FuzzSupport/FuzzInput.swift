/// The bytes the fuzzer has made up, copied, so that nothing read beyond them goes unnoticed.
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: start, count: count))
}

/// Stops the fuzzer, which then keeps the input, when something does not hold that always must.
public func require(_ holds: Bool, _ sentence: String) {
    // Not a precondition: that says nothing in an optimized build.
    if !holds { fatalError("does not hold: \(sentence)") }
}

/// What arrives on a connection, and in what pieces.
///
/// The input's first byte says how many lengths follow, at most seven; each of those bytes is the length of a piece, 0
/// standing for 256; the rest is what arrives, whatever the pieces leave over coming as a last one.
public struct PieceWise {
    public let whole: [UInt8]
    public let pieces: [[UInt8]]

    public init(_ input: [UInt8]) {
        let lengths = input.dropFirst().prefix(Int(input.first ?? 0) & 7)
        whole = Array(input.dropFirst(1 + lengths.count))
        var pieces: [[UInt8]] = []
        var left = whole[...]
        for length in lengths where !left.isEmpty {
            let piece = left.prefix(length == 0 ? 256 : Int(length))
            pieces.append(Array(piece))
            left = left.dropFirst(piece.count)
        }
        if !left.isEmpty { pieces.append(Array(left)) }
        self.pieces = pieces
    }
}
