public import Providers

/// Named as in a configuration; a name that is none there is nobody's own, which the test then sees.
extension DialectName: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self = DialectName(rawValue: name) ?? .standard }
}
