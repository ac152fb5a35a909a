import Foundation

/// How long a session may do what, in nanoseconds; nil for as long as it likes.
struct EngineLimits {
    var lock: Int64?
    var statement: Int64?
    var idleInTransaction: Int64?
}

/// What a client has sent and nobody has handed on yet, by PostgreSQL's protocol (version 3).
final class EngineMessages {
    /// What is answered together: all up to a Sync.
    struct Segment {
        var bytes: [UInt8] = []
        /// Whether it prepares a statement that others rely on.
        var parses = false
        var executes = false
        /// Whether it commits a transaction that was begun before.
        var commits = false
        /// Whether the client takes its leave.
        var isEnd = false
    }

    struct Startup {
        fileprivate let bytes: [UInt8]

        private static let encryption: Set<UInt32> = [80_877_103, 80_877_104]
        var asksForEncryption: Bool { Self.encryption.contains(bytes.number(at: 4)) }

        private var parameters: [(name: String, value: String)] {
            let words = bytes.dropFirst(8).split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            return stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
                .filter { !$0.name.isEmpty }
        }

        /// The same without settings of the session: the limits of time among them are kept by the world's clock.
        var withoutOptions: [UInt8] {
            var rest: [UInt8] = []
            for (name, value) in parameters where name != "options" {
                for word in [name, value] { rest += Array(word.utf8) + [0] }
            }
            rest.append(0)
            return UInt32(8 + rest.count).bytes + Array(bytes[4..<8]) + rest
        }

        var limits: EngineLimits {
            let words = parameters.first { $0.name == "options" }?.value.split(separator: " ") ?? []
            func limit(_ name: String) -> Int64? {
                words.first { $0.hasPrefix(name + "=") }.flatMap { Int64($0.dropFirst(name.count + 1)) }
                    .map { $0 * 1_000_000 }
            }
            return EngineLimits(
                lock: limit("lock_timeout"), statement: limit("statement_timeout"),
                idleInTransaction: limit("idle_in_transaction_session_timeout"))
        }
    }

    private var bytes: [UInt8] = []

    func add(_ more: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: more) }

    func nextStartup() -> Startup? {
        guard bytes.count >= 8, bytes.count >= Int(bytes.number(at: 0)) else { return nil }
        let count = Int(bytes.number(at: 0))
        defer { bytes.removeFirst(count) }
        return Startup(bytes: Array(bytes[..<count]))
    }

    func nextSegment() -> Segment? {
        var segment = Segment()
        var position = 0
        while bytes.count >= position + 5 {
            let end = position + 1 + Int(bytes.number(at: position + 1))
            guard bytes.count >= end else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "P"): segment.parses = true
            case UInt8(ascii: "E"): segment.executes = true
            case UInt8(ascii: "B"):
                segment.commits = Self.boundStatement(bytes[(position + 5)..<end]).hasPrefix("commit")
            case UInt8(ascii: "X"): segment.isEnd = true
            default: break
            }
            let isLast = [UInt8(ascii: "S"), UInt8(ascii: "Q"), UInt8(ascii: "X")].contains(bytes[position])
            position = end
            guard isLast else { continue }
            segment.bytes = Array(bytes[..<position])
            bytes.removeFirst(position)
            return segment
        }
        return nil
    }

    private static func boundStatement(_ body: ArraySlice<UInt8>) -> String {
        let names = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        return names.count > 1 ? String(decoding: names[1], as: UTF8.self) : ""
    }

    /// What is no statement, which the engine refuses.
    static let nonsense = message("P", [0] + Array("!".utf8) + [0, 0, 0]) + message("S", [])
    static let rollback = message("Q", Array("ROLLBACK".utf8) + [0])

    private static func message(_ type: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
        [UInt8(ascii: type)] + UInt32(4 + body.count).bytes + body
    }
}

/// What a backend answers, up to where it is ready for the next.
struct EngineReply {
    private(set) var bytes: [UInt8] = []
    /// Up to where whole messages were seen.
    private var position = 0
    /// Whether the backend is ready, or gone.
    private(set) var isWhole = false
    /// Of its transaction.
    private(set) var status = UInt8(ascii: "I")
    /// The backend's number, and where its secret is.
    private(set) var backend: Int32 = 0
    private var secret: Range<Int>?

    mutating func add(_ more: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: more)
        while bytes.count >= position + 5 {
            let end = position + 1 + Int(bytes.number(at: position + 1))
            guard bytes.count >= end else { return }
            switch bytes[position] {
            case UInt8(ascii: "Z"): (isWhole, status) = (true, bytes[position + 5])
            case UInt8(ascii: "K"):
                backend = Int32(bitPattern: bytes.number(at: position + 5))
                secret = (position + 5)..<end
            default: break
            }
            position = end
        }
    }

    mutating func end() { isWhole = true }

    /// Without what is another in each run.
    var withoutSecrets: [UInt8] {
        var bytes = bytes
        for index in secret ?? 0..<0 { bytes[index] = 1 }
        return bytes
    }

    func replacing(_ state: String, with other: String) -> EngineReply {
        var changed = self
        let sought = Array("C\(state)\0".utf8), put = Array("C\(other)\0".utf8)
        for start in bytes.indices.dropLast(sought.count - 1)
        where bytes[start..<(start + sought.count)].elementsEqual(sought) {
            changed.bytes.replaceSubrange(start..<(start + sought.count), with: put)
        }
        return changed
    }

    /// With another's word on the transaction.
    func withStatus(of other: EngineReply) -> EngineReply {
        var changed = self
        changed.status = other.status
        if let last = bytes.indices.last { changed.bytes[last] = other.status }
        return changed
    }
}

extension [UInt8] {
    fileprivate func number(at index: Int) -> UInt32 {
        self[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
