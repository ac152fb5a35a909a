internal import Syntax

/// The apps that a browser's user has confirmed in it, as a cookie of that browser keeps them, the latest last.
///
/// Each stands for one registered address of one app: who has confirmed an app by its private scheme has said nothing
/// of a program that waits for its answers at a port. Nothing is sealed here: who can set a cookie in somebody's
/// browser could also set one that we have given to them.
public struct ConfirmedApps: Sendable {
    /// One more makes the earliest give way, as a cookie has to stay small.
    public static let maximum = 16
    private static let separator: Character = "."

    private var marks: [String] = []

    public init() {}

    /// - Parameter text: as ``text``.
    /// - Returns: nil for what this service has never given out.
    public init?(_ text: String) {
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        let length = AppAddress.markCharacters
        guard parts.count <= Self.maximum,
            parts.allSatisfy({ $0.utf8.count == length && Base64URL.decode($0) != nil })
        else { return nil }
        marks = parts
    }

    /// What a cookie has; never empty once an app is confirmed.
    public var text: String { marks.joined(separator: String(Self.separator)) }

    /// Whether the user has confirmed the app at this address.
    public func contains(_ address: AppAddress) -> Bool { address.mark.map(marks.contains) ?? false }

    public mutating func confirm(_ address: AppAddress) {
        guard let mark = address.mark else { return }
        marks = marks.filter { $0 != mark }.suffix(Self.maximum - 1) + [mark]
    }
}
