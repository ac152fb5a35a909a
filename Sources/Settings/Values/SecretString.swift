/// A secret read from the configuration, which every way of printing shows as `<redacted>`.
///
/// It is not `Equatable` on purpose: a secret sent by somebody is compared in constant time, never with `==`.
public struct SecretString: Sendable {
    /// What stands in the place of a secret wherever one would be printed.
    public static let redacted = "<redacted>"

    /// The secret itself. Named so that a review finds every place that takes one out.
    public let revealed: String

    public init(_ secret: String) {
        revealed = secret
    }
}

extension SecretString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.redacted }
    public var debugDescription: String { Self.redacted }
    /// Without children, so that `dump` and everything else that reflects finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
