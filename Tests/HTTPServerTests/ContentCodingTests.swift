internal import CZlib
import Testing

@testable import HTTPServer

/// Undoes gzip; nil when it is not whole.
func gunzip(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe czlib_gunzip_init(&stream) == Z_OK else { return nil }
    defer { unsafe inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 1_000_000)
    let result = unsafe input.withUnsafeMutableBufferPointer { source in
        unsafe output.withUnsafeMutableBufferPointer { target in
            unsafe stream.next_in = source.baseAddress
            unsafe stream.avail_in = UInt32(source.count)
            unsafe stream.next_out = target.baseAddress
            unsafe stream.avail_out = UInt32(target.count)
            return unsafe inflate(&stream, Z_FINISH)
        }
    }
    return unsafe result == Z_STREAM_END ? Array(output.prefix(Int(stream.total_out))) : nil
}

@Suite struct `Content coding` {
    @Test func `gives back what was compressed, one body after the other`() throws {
        let encoder = try #require(GzipEncoder())
        for count in [1024, 5000, 200_000] {
            let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let encoded = try #require(encoder.encode(body))
            #expect(encoded.count < count)
            #expect(gunzip(encoded) == body)
        }
    }

    @Test func `leaves a body alone that gzip makes no shorter`() throws {
        let encoder = try #require(GzipEncoder())
        var generator = SystemRandomNumberGenerator()
        #expect(encoder.encode((0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }) == nil)
        #expect(encoder.encode([]) == nil)
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip", true), ("gzip;q=0.5", true), ("*", true),
        ("gzip; q=1", true), ("gzip ;Q=0.001", true), ("*;q=0, gzip", true), ("gzip;q=1.000", true),
        ("gzip;q=0", false), ("gzip;q=0.000", false), ("*, gzip;q=0", false), ("*;q=0", false), ("br", false),
        ("", false), ("identity", false), ("gzipped", false), ("gzip;q=", false), ("gzip;q=2", false),
        ("gzip;q=1.5", false), ("gzip;q=0.0001", false), ("gzip;x=1", false), ("gzip;q=-1", false),
    ]) func `content coding is what the client asks for`(_ value: String, accepts: Bool) {
        #expect(ContentCoding.acceptsGzip(RequestHead([("Host", "a"), ("accept-encoding", value)])) == accepts)
    }

    @Test func `reads Accept-Encoding over several fields, and takes none as no`() {
        let head = RequestHead([("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")])
        #expect(ContentCoding.acceptsGzip(head))
        #expect(!ContentCoding.acceptsGzip(RequestHead([])))
    }

    @Test(arguments: [
        ("application/json", true), ("text/html; charset=utf-8", true), ("Application/Problem+JSON", true),
        ("image/svg+xml", true), ("application/javascript", true), ("image/png", false),
        ("application/octet-stream", false), ("application/jsonx", false),
    ]) func `content coding is for text`(_ type: String, suits: Bool) {
        var response = HTTPResponse(
            status: .ok, headers: [("content-type", type)], body: [UInt8](repeating: 0, count: 1024))
        #expect(response.suitsGzip == suits)
        response.isCompressible = false
        #expect(!response.suitsGzip)
        response.isCompressible = true
        response.body.removeLast()
        #expect(!response.suitsGzip)
    }
}
