/// `application/x-www-form-urlencoded`, as RFC 6749 appendix B wants it: UTF-8, everything but the unreserved
/// characters escaped, a space as `+`.
public enum FormEncoding {
    /// Appends `name=value`, after an `&` when something stands before.
    public static func append(_ name: StaticString, _ value: String, to body: inout [UInt8]) {
        if !body.isEmpty { body.append(.ampersand) }
        body.append(contentsOf: name.description.utf8)
        body.append(.equalsSign)
        append(value.utf8.span, to: &body)
    }

    /// Appends one encoded value.
    public static func append(_ value: Span<UInt8>, to body: inout [UInt8]) {
        PercentEncoding.append(value, to: &body, spaceIsPlus: true)
    }
}
