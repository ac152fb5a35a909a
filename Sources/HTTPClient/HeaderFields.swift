/// The fields of one head, in one piece of memory.
struct HeaderFields: Sendable {
    private struct Field {
        let name: Range<Int>
        var value: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    var count: Int { fields.count }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        fields.append(Field(name: store(name), value: store(value)))
    }

    /// Adds a folded line to the value before it, with one blank between (RFC 9112 §5.2).
    ///
    /// - Returns: false when there is no field to add to.
    mutating func extendLast(_ continuation: Span<UInt8>) -> Bool {
        guard let last = fields.indices.last else { return false }
        bytes.append(UInt8(ascii: " "))
        // The last value always lies at the end of the bytes.
        fields[last].value = fields[last].value.lowerBound..<store(continuation).upperBound
        return true
    }

    /// The value of the first field of that name, in any case.
    func first(_ name: String) -> String? {
        fields.first { isNamed($0, name) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// Whether the last field has that name, and an earlier one of the same name has another value.
    func lastDisagrees(named name: String) -> Bool {
        guard let last = fields.last, isNamed(last, name) else { return false }
        return fields.contains { isNamed($0, name) && bytes[$0.value] != bytes[last.value] }
    }

    private func isNamed(_ field: Field, _ name: String) -> Bool {
        let (own, other) = (bytes.span.extracting(field.name), name.utf8.span)
        guard own.count == other.count else { return false }
        for index in own.indices where !Self.sameLetter(own[index], other[index]) { return false }
        return true
    }

    private static func sameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
        left == right || left | 0x20 == right | 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(left | 0x20)
    }

    private mutating func store(_ part: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        for index in part.indices { bytes.append(part[index]) }
        return start..<bytes.count
    }
}
