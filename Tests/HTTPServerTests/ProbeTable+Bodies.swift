extension Probe {
    static let lengths: [Probe] = [
        .fields("a body by its length", "Content-Length: 5", "hello", hello),
        .fields("an empty body", "Content-Length: 0", "", .answers(["POST / "])),
        .fields("no length at all", "X: a", "", .answers(["POST / "])),
        .fields(
            "no length in PUT, PATCH and DELETE", "X: a",
            ["PUT", "PATCH", "DELETE"].map { "\($0) / HTTP/1.1\r\nHost: a\r\n\r\n" }.joined(),
            .answers(["POST / ", "PUT / ", "PATCH / ", "DELETE / "])),
        .fields("an expectation and its body", "Content-Length: 5\r\nExpect: 100-continue", "hello", hello),
        Probe(
            "an expectation in HTTP/1.0, which has no 100",
            "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
            .answersAndEnds(["POST / hello"])),
        Probe(
            "a body of GET, which is no request", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /",
            .answers(["GET / GET /"])),
        Probe(
            "a body of OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /",
            .answers(["OPTIONS * GET /"])),
        .fields("a length with a blank behind and two before", "Content-Length:  5 ", "hello", hello),
        .fields("a tab before a length", "Content-Length:\t5", "hello", hello),
        .fields("a length of letters", "Content-Length: abc"),
        .fields("a length with a sign", "Content-Length: +5"),
        .fields("a negative length", "Content-Length: -1"),
        .fields("minus zero", "Content-Length: -0", ""),
        .fields("a negative length beyond 64 bits", "Content-Length: -123456789123456789123456789"),
        .fields("a length beyond 64 bits", "Content-Length: 99999999999999999999"),
        .fields("a length with a blank inside", "Content-Length: 1 0"),
        .fields("a length with an underscore inside", "Content-Length: 1_0"),
        .fields("an octal length", "Content-Length: 0o5"),
        .fields("a hexadecimal length", "Content-Length: 0x5"),
        .fields("zeros before a length", "Content-Length: 005"),
        .fields("two zeros", "Content-Length: 00", ""),
        .fields("a length that could be octal", "Content-Length: 0200", String(repeating: "A", count: 200)),
        .fields("a length of nothing", "Content-Length:"),
        .fields("two lengths", "Content-Length: 5\r\nContent-Length: 10"),
        .fields("one length twice", "Content-Length: 5\r\nContent-Length: 5"),
        .fields("a list of lengths", "Content-Length: 5, 10"),
        .fields("a list of equal lengths", "Content-Length: 5, 5, 5"),
        .fields("a blank before the colon", "Content-Length : 5"),
        .fields("an underscore in the name", "Content_Length: 5"),
        .fields("a length beyond what is taken", "Content-Length: 999999999", "", .refuses(413)),
    ]

    static let codings: [Probe] =
        [
            "chunked", "Chunked", "chunked ", ", chunked", "chunked,", "xchunked", "chunked, chunked", "chunked, gzip",
            "chunked;a=b", "identity", "\u{0b}chunked", "\u{0c}chunked", "chunked\0", "\tchunked", "", "\r\n chunked",
            "chunked\r\nTransfer-Encoding: identity",
        ].flatMap { coding in
            [
                Probe.fields(
                    "a length and Transfer-Encoding: \(coding.debugDescription)",
                    "Content-Length: \(smuggled.utf8.count)\r\nTransfer-Encoding: \(coding)", smuggled),
                .fields(
                    "Transfer-Encoding: \(coding.debugDescription) and a length",
                    "Transfer-Encoding: \(coding)\r\nContent-Length: 4", smuggled),
            ]
        } + [
            .fields("a length with a sign and chunked", "Content-Length: +5\r\nTransfer-Encoding: chunked", smuggled),
            .fields("a length of letters and chunked", "Content-Length: 5a\r\nTransfer-Encoding: chunked", smuggled),
            .fields("two lengths before a request", "Content-Length: 0\r\nContent-Length: 40", smuggled),
            .fields("an unknown coding", "Transfer-Encoding: gzip", smuggled, .refuses(501)),
            .fields("a coding with a space before the colon", "Transfer-Encoding : chunked", smuggled),
            .fields("a coding whose name has an underscore", "Transfer_Encoding: chunked\r\nContent-Length: 5"),
            .fields("chunked in capitals", "TRANSFER-ENCODING: CHUNKED", "5\r\nhello\r\n0\r\n\r\n", hello),
            Probe("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(smuggled)"),
            Probe(
                "a folded coding of OPTIONS",
                "OPTIONS * HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n\(smuggled)"),
        ]

    static let chunked: [Probe] = [
        .chunks("one chunk", "5\r\nhello\r\n0\r\n\r\n", hello),
        .chunks("several", "1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", hello),
        .chunks("none", "0\r\n\r\n", .answers(["POST / "])),
        .chunks("a size in capitals", "A\r\nhelloworld\r\n0\r\n\r\n", .answers(["POST / helloworld"])),
        .chunks("a trailer", "5\r\nhello\r\n0\r\nX-Checksum: a\r\n\r\n", hello),
        .chunks("an extension", "5;ext=value\r\nhello\r\n0\r\n\r\n", hello),
        .chunks("blanks around an extension's parts", "5 ; a\t=\t\"b\" ;c\r\nhello\r\n0\r\n\r\n", hello),
        .chunks("a semicolon alone", "5;\r\nhello\r\n0\r\n\r\n"),
        .chunks("an extension whose name is no token", "5;bad[=x\r\nhello\r\n0\r\n\r\n"),
        .chunks("a NUL in an extension", "5;\0ext\r\nhello\r\n0\r\n\r\n"),
        .chunks("CR in an extension", "5;a\rX\r\nhello\r\n0\r\n\r\n"),
        .chunks("LF in an extension", "5;\nhello\r\n0\r\n\r\n"),
        .chunks("64 KiB of extension", "5;" + String(repeating: "a", count: 65_536) + "\r\nhello\r\n0\r\n\r\n"),
        .chunks("a size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"),
        .chunks("a size with an underscore", "1_0\r\nhello\r\n0\r\n\r\n"),
        .chunks("a blank before a size", " 5\r\nhello\r\n0\r\n\r\n"),
        .chunks("a blank behind a size", "5 \r\nhello\r\n0\r\n\r\n"),
        .chunks("a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"),
        .chunks("a negative size", "-1\r\nhello\r\n0\r\n\r\n"),
        .chunks("a size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        .chunks("a size of zero with a sign, and more", "+0\r\n\r\nX"),
        .chunks("no line's end after a chunk", "5\r\nhello0\r\n\r\n"),
        .chunks("a chunk longer than its size", "5\r\nhello!!\r\n0\r\n\r\n"),
        .chunks("LF after a chunk", "5\r\nhello\n0\r\n\r\n"),
        .chunks("CR after a size", "5\rhello\r\n0\r\n\r\n"),
        .chunks("LF at the end of the trailers", "5\r\nhello\r\n0\r\n\n"),
        .chunks("a length as a trailer", "5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n"),
        .chunks("a coding as a trailer", "5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        .chunks("a host as a trailer", "5\r\nhello\r\n0\r\nHost: b\r\n\r\n"),
        .chunks("credentials as a trailer", "5\r\nhello\r\n0\r\nAuthorization: Bearer a\r\n\r\n"),
        .chunks("a type as a trailer", "5\r\nhello\r\n0\r\nContent-Type: text/plain\r\n\r\n"),
    ]
}
