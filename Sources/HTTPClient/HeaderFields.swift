internal import Syntax
internal import System

/// The fields of one head, in one piece of memory.
struct HeaderFields: Sendable {
    private struct Field {
        let name: Range<Int>
        var value: Range<Int>
    }

    /// What the fields of nearly every head fit into.
    private static let (usualBytes, usualFields) = (512, 12)

    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    /// Forgets the fields of an interim answer.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        if fields.isEmpty {
            bytes.reserveCapacity(Self.usualBytes)
            fields.reserveCapacity(Self.usualFields)
        }
        fields.append(Field(name: store(name), value: store(value)))
    }

    /// Takes one line of a head, which is not empty, without its end.
    ///
    /// - Parameter limit: how many fields there may be.
    /// - Throws: `responseTooLarge`, or `malformedResponse` for what is neither `name: value` nor a folded line, or
    ///   holds a control character (RFC 9110 §5.5).
    mutating func append(line: Span<UInt8>, limit: Int) throws(HTTPClientError) {
        guard line.isFieldContent else { throw .malformedResponse }
        if line[0].isBlank {
            guard extendLast(line.extracting(line.trimmingBlanks(0..<line.count))) else { throw .malformedResponse }
            return
        }
        var colon = 0
        while colon < line.count, line[colon].isToken { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == .colon else { throw .malformedResponse }
        guard fields.count < limit else { throw .responseTooLarge }
        append(name: line.extracting(..<colon), value: line.extracting(line.trimmingBlanks(colon + 1..<line.count)))
        // RFC 9112 §6.3: a reader of the other length takes part of the body for the next answer.
        guard !lastDisagrees(named: "content-length") else { throw .malformedResponse }
    }

    /// Adds a folded line to the value before it, with one blank between (RFC 9112 §5.2).
    ///
    /// - Returns: false when there is no field to add to.
    private mutating func extendLast(_ continuation: Span<UInt8>) -> Bool {
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

    /// Whether there is a second field of that name.
    func hasAnother(_ name: String) -> Bool {
        var count = 0
        for field in fields where isNamed(field, name) { count += 1 }
        return count > 1
    }

    /// Whether a field of that name lists the token, in any case (RFC 9110 §5.6.1).
    func has(_ name: String, token: String) -> Bool {
        fields.contains { field in
            guard isNamed(field, name) else { return false }
            var isListed = false
            bytes.span.forEachListElement(field.value) { element in
                if bytes.span.equalsIgnoringCase(element, token) { isListed = true }
            }
            return isListed
        }
    }

    /// Whether the last field has that name, and an earlier one of the same name has another value.
    private func lastDisagrees(named name: String) -> Bool {
        guard let last = fields.last, isNamed(last, name) else { return false }
        return fields.contains { isNamed($0, name) && bytes[$0.value] != bytes[last.value] }
    }

    private func isNamed(_ field: Field, _ name: String) -> Bool {
        bytes.span.equalsIgnoringCase(field.name, name)
    }

    private mutating func store(_ part: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(addingCapacity: part.count) { $0.append(part) }
        return start..<bytes.count
    }
}
