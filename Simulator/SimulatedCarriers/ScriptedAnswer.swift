internal import HTTPServer
internal import Synchronization

/// An answer to the byte, as some provider gives it, in the place of the simulation's own.
public struct ScriptedAnswer: Sendable, Hashable {
    /// One header field.
    public struct Field: Sendable, Hashable {
        let name: String
        let value: String
    }

    let status: Int
    let fields: [Field]
    let body: [UInt8]

    /// - Parameters:
    ///   - headers: all of them but those that tell where the body ends.
    ///   - body: its text.
    public init(
        _ status: Int, _ headers: KeyValuePairs<String, String> = ["Content-Type": "application/json"], _ body: String
    ) {
        self.status = status
        fields = headers.map { Field(name: $0.key, value: $0.value) }
        self.body = Array(body.utf8)
    }

    var response: HTTPResponse {
        HTTPResponse(
            status: HTTPStatus(status), headers: fields.map { (name: $0.name, value: $0.value) }, body: body)
    }
}

/// What holds answers back until it is released.
public final class HeldAnswer: Sendable, Hashable {
    private let released = Mutex(false)

    public init() {}

    public func release() { released.withLock { $0 = true } }

    var isReleased: Bool { released.withLock(\.self) }

    public static func == (one: HeldAnswer, other: HeldAnswer) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Something changed in a text that is right otherwise, byte by byte: what no JSON writer would write.
public struct TextEdit: Sendable, Hashable {
    private let found: [UInt8]
    private let replacement: [UInt8]

    /// - Parameters:
    ///   - found: the first place where it stands is changed; empty for the very beginning.
    ///   - replacement: what stands there afterwards.
    public init(_ found: String, _ replacement: [UInt8]) {
        self.found = Array(found.utf8)
        self.replacement = replacement
    }

    public init(_ found: String, _ replacement: String) {
        self.init(found, Array(replacement.utf8))
    }

    func edited(_ text: [UInt8]) -> [UInt8] {
        guard let range = found.isEmpty ? 0..<0 : text.firstRange(of: found) else { return text }
        var text = text
        text.replaceSubrange(range, with: replacement)
        return text
    }
}
