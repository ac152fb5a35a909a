public import Providers

/// Named as in a configuration; a test that names none there is has a mistake, and ends with it.
extension DialectName: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self = DialectName(rawValue: name)! }
}
