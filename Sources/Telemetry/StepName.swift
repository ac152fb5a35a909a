internal import Synchronization

/// A name in a step: of a provider, of a route, of what went wrong. A configuration and the code have some hundreds.
///
/// Each is kept once and known by its number, so that a step is copied and compared as numbers are. The number stays
/// for the life of the process, so nothing that was sent may become one.
public struct StepName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    private struct Known {
        var texts: [String] = []
        var numbers: [String: UInt32] = [:]
    }

    private static let known = Mutex(Known())

    private let number: UInt32

    public init(_ text: String) {
        number = Self.known.withLock { known in
            if let number = known.numbers[text] { return number }
            let number = UInt32(known.texts.count)
            known.texts.append(text)
            known.numbers[text] = number
            return number
        }
    }

    public init(stringLiteral text: String) { self.init(text) }

    public var text: String { Self.known.withLock { $0.texts[Int(number)] } }
    public var description: String { text }
}
