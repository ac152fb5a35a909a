import HTTPTesting
import Testing

/// What is sent over a connection, and what has to come back on it.
///
/// The situations are those of Http11Probe and of h1spec, two batteries that others send at servers of HTTP/1.1; rows
/// and words are ours. Where either leaves a choice, the row has the stricter one, unless that would refuse what
/// somebody sends in earnest.
struct Probe: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// Each of these is the body of an answer with status 200, and the connection goes on.
        case answers([String])
        /// The same, and the server ends the connection.
        case answersAndEnds([String])
        /// One answer with this status, whatever follows; and the end of the connection.
        case refuses(Int)
    }

    let testDescription: String
    /// Characters up to U+00FF stand for bytes.
    let sent: String
    let outcome: Outcome

    init(_ name: String, _ sent: String, _ outcome: Outcome = .refuses(400)) {
        (testDescription, self.sent, self.outcome) = (name, sent, outcome)
    }

    var bytes: [UInt8] { sent.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    /// A POST with these fields.
    static func fields(_ name: String, _ fields: String, _ body: String = "hello", _ outcome: Outcome = .refuses(400))
        -> Probe
    {
        Probe(name, "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)", outcome)
    }

    /// A POST with this chunked body.
    static func chunks(_ name: String, _ chunks: String, _ outcome: Outcome = .refuses(400)) -> Probe {
        .fields(name, "Transfer-Encoding: chunked", chunks, outcome)
    }

    /// A GET with this request line.
    static func line(_ name: String, _ line: String, _ outcome: Outcome = .refuses(400)) -> Probe {
        Probe(name, "\(line)\r\nHost: a\r\n\r\n", outcome)
    }

    static let plain = Outcome.answers(["GET / "])
    static let hello = Outcome.answers(["POST / hello"])
    static let smuggled = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
}

extension Probe {
    static let requestLines: [Probe] = [
        .line("a plain request", "GET / HTTP/1.1", plain),
        .line("a request line that ends in LF", "GET / HTTP/1.1\nX: a"),
        .line("spaces between", "GET  /  HTTP/1.1"),
        .line("a tab between", "GET\t/ HTTP/1.1"),
        .line("a space inside the target", "GET /pa th HTTP/1.1"),
        .line("no target", "GET HTTP/1.1"),
        .line("no version", "GET / "),
        .line("a version without a minor one", "GET / HTTP/1"),
        .line("a version with zeros before it", "GET / HTTP/01.01"),
        .line("a version with a blank inside", "GET / HTTP/ 1.1"),
        .line("a version in lower case", "GET / http/1.1"),
        .line("a version of no protocol", "GET / FTP/1.1"),
        .line("version 9.9", "GET / HTTP/9.9", .refuses(505)),
        .line("version 1.2", "GET / HTTP/1.2", plain),
        Probe("the request of HTTP/0.9", "GET /\r\n"),
        Probe("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refuses(505)),
        Probe("HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", .answersAndEnds(["GET / "])),
        Probe(
            "HTTP/1.0 without Host, as probes of load balancers are", "GET / HTTP/1.0\r\n\r\n",
            .answersAndEnds(["GET / "])),
        .line("something before the method", "Extra lineGET / HTTP/1.1"),
        .line("a fragment", "GET /a#b HTTP/1.1"),
        .line("a backslash", "GET /a\\b HTTP/1.1"),
        .line("a byte over 127 in the target", "GET /\u{e9} HTTP/1.1"),
        .line("an overlong slash", "GET /\u{c0}\u{af} HTTP/1.1"),
        .line("a NUL in the target", "GET /\0 HTTP/1.1"),
        .line("an encoded NUL", "GET /%00 HTTP/1.1"),
        .line("an encoded line's end", "GET /%0d%0aX:%20a HTTP/1.1"),
        .line(
            "a target of 7900 characters", "GET /" + String(repeating: "a", count: 7900) + " HTTP/1.1",
            .answers(["GET /" + String(repeating: "a", count: 7900) + " "])),
        .line("a target of 100,000", "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1", .refuses(414)),
        .line("a method of 100,000 letters", String(repeating: "A", count: 100_000) + " / HTTP/1.1"),
        .line("the asterisk for GET", "GET * HTTP/1.1"),
        .line("the asterisk for OPTIONS", "OPTIONS * HTTP/1.1", .answers(["OPTIONS * "])),
        .line("an absolute-form target", "GET http://a/ HTTP/1.1", plain),
        .line("one for another host than Host has, which does not count", "GET http://b/ HTTP/1.1", plain),
        .line("a method that nobody knows", "FOOBAR / HTTP/1.1", .refuses(501)),
        .line("a method in lower case", "get / HTTP/1.1", .refuses(501)),
        .line("CONNECT", "CONNECT a:443 HTTP/1.1", .refuses(501)),
        .line("TRACE", "TRACE / HTTP/1.1\r\nAuthorization: Bearer a", .refuses(501)),
        Probe("TRACE with a body", "TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", .refuses(501)),
        Probe("an empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", plain),
        Probe("a line of blanks first", "   \r\n\r\n"),
        Probe("binary garbage", "\u{0}\u{1}\u{2}\u{fe}\u{ff}\u{16}\r\n\r\n"),
        Probe("a space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
    ]

    static let fields: [Probe] = [
        .line("a field line that ends in LF", "GET / HTTP/1.1\r\nX: a\nY: b"),
        .line("lines that end in CR", "GET / HTTP/1.1\rX: a"),
        Probe("a head that ends in CR", "GET / HTTP/1.1\r\nHost: a\r\n\rX: a\r\n\r\n"),
        .line("a folded line", "GET / HTTP/1.1\r\nX: a\r\n b"),
        .line("a space before the colon", "GET / HTTP/1.1\r\nX : a"),
        .line("a tab inside a name", "GET / HTTP/1.1\r\nX\tY: a"),
        .line("an empty name", "GET / HTTP/1.1\r\n: a"),
        .line("brackets in a name", "GET / HTTP/1.1\r\nX[]: a"),
        .line("a name beyond ASCII", "GET / HTTP/1.1\r\nX\u{e9}: a"),
        .line("no colon", "GET / HTTP/1.1\r\nX"),
        .line("a bell in a value", "GET / HTTP/1.1\r\nX: a\u{07}"),
        .line("a NUL in a value", "GET / HTTP/1.1\r\nX: a\0b"),
        .line("CR in a value", "GET / HTTP/1.1\r\nX: a\rb"),
        .line("an empty value, a tab before one, names in any case", "GET / HTTP/1.1\r\nX:\r\nyY:\ta", plain),
        .line("200 fields", "GET / HTTP/1.1" + String(repeating: "\r\nX: a", count: 200), .refuses(431)),
        .line("a value of 100,000", "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 100_000), .refuses(431)),
        .line(
            "a name of 100,000", "GET / HTTP/1.1\r\n" + String(repeating: "a", count: 100_000) + ": a", .refuses(431)),
        Probe("no Host", "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"),
        Probe("an empty Host", "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
        .line("Host twice, with one value", "GET / HTTP/1.1\r\nHost: a"),
        .line("Host twice, with two", "GET / HTTP/1.1\r\nHost: b"),
        Probe("user information in Host", "GET / HTTP/1.1\r\nHost: b@a\r\n\r\n"),
        Probe("a path in Host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Probe("two hosts in Host", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        .line("close", "GET / HTTP/1.1\r\nConnection: close", .answersAndEnds(["GET / "])),
        .line("an expectation without a body", "GET / HTTP/1.1\r\nExpect: 100-continue", plain),
        .line("another expectation", "GET / HTTP/1.1\r\nExpect: 200-ok", .refuses(417)),
        .line(
            "an upgrade, which nobody has to take", "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket", plain
        ),
        .line("an upgrade to nothing known", "GET / HTTP/1.1\r\nUpgrade: a/1", plain),
        .line("ranges that overlap", "GET / HTTP/1.1\r\nRange: bytes=0-9,0-9,5-", plain),
        .fields("a range of a POST", "Range: bytes=0-1\r\nContent-Length: 5", "hello", hello),
        .fields("two types", "Content-Length: 5\r\nContent-Type: text/plain\r\nContent-Type: text/html"),
        .line("cookies without sense", "GET / HTTP/1.1\r\nCookie: =; ;a;=b; \"", plain),
    ]
}
