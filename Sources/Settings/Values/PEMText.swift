internal import Crypto
internal import Syntax

/// A private key as somebody has written it into the configuration. Environments and YAML do things to the lines of a
/// PEM text that leave no doubt about what it was; and what is none can be told by what it looks like.
struct PEMText {
    /// As PEM has it: each line by itself (RFC 7468 §2).
    let text: String

    private static let boundary = "-----"
    private static let lineLength = 64

    init(_ written: String) {
        var text = written.replacing("\\r", with: "").replacing("\\n", with: "\n")
        text = Self.withoutQuotes(Self.trimmed(text))
        var lines = text.split(whereSeparator: \.isNewline).map { Self.trimmed(String($0)) }.filter { !$0.isEmpty }
        if lines.count == 1, let apart = Self.apart(lines[0]) { lines = apart }
        self.text = lines.joined(separator: "\n") + "\n"
    }

    /// What there is instead of a private key that can be read, as it completes "and what is there is …"; nil where
    /// nothing shows.
    var mistake: String? {
        if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED") {
            return "a key that takes a password"
        }
        for (mark, name) in [
            ("BEGIN CERTIFICATE", "a certificate"), ("PUBLIC KEY", "a public key"),
            ("BEGIN OPENSSH PRIVATE KEY", "a key in OpenSSH's own form (ssh-keygen -p -m PKCS8 makes a PEM of it)"),
            ("PuTTY-User-Key-File", "a key in PuTTY's own form"),
        ] where text.contains(mark) { return name }
        if text.contains(Self.boundary + "BEGIN ") {
            return text.contains(Self.boundary + "END ")
                ? "a PEM text that can't be read, or another kind of key" : "a PEM text without its last line"
        }
        if text.hasPrefix("{") { return "JSON, such as a JWK" }
        if let inner = Base64.decode(text.filter { !$0.isNewline && $0 != " " }) {
            let inner = String(decoding: inner, as: UTF8.self)
            return inner.contains(Self.boundary + "BEGIN ")
                ? "a PEM text in base64 once more: decode it" : "base64 without the lines -----BEGIN … and -----END …"
        }
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasSuffix(".pem\n") || text.hasSuffix(".p8\n") {
            return "the path of a file, which the key's …File twin takes"
        }
        return "a text without a line -----BEGIN …"
    }

    private static func trimmed(_ text: String) -> String {
        let rest = text.drop(while: \.isWhitespace)
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
    }

    /// Files of variables for containers know no quotes, and leave those that are there.
    private static func withoutQuotes(_ text: String) -> String {
        for quote: Character in ["\"", "'"] where text.count > 1 && text.first == quote && text.last == quote {
            return trimmed(String(text.dropFirst().dropLast()))
        }
        return text
    }

    /// The lines of a PEM text that was written into one; nil where it is none.
    private static func apart(_ line: String) -> [String]? {
        guard line.hasPrefix(boundary + "BEGIN "), line.hasSuffix(boundary) else { return nil }
        let begin = line.dropFirst(boundary.count)
        guard let labelEnd = begin.firstRange(of: boundary),
            let end = begin[labelEnd.upperBound...].firstRange(of: boundary + "END ")
        else { return nil }
        var rest = begin[labelEnd.upperBound..<end.lowerBound].filter { !$0.isWhitespace }[...]
        var lines = [String(line[..<labelEnd.upperBound])]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(lineLength)))
            rest = rest.dropFirst(lineLength)
        }
        return lines + [String(line[end.lowerBound...])]
    }
}
