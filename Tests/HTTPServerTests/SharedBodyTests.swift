import EventLoop
import HTTPTesting
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct `A shared body` {
    @Test func `a shared body is compressed once for all requests, and kept also where that is of no use`() {
        for encoded in [[UInt8]?.some([1, 2]), nil] {
            let body = SharedBody(Array("text".utf8))
            let calls = Mutex(0)
            for _ in 0..<3 {
                let found = body.gzip { bytes in
                    #expect(bytes == Array("text".utf8))
                    calls.withLock { $0 += 1 }
                    return encoded
                }
                #expect(found == encoded)
            }
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test func `a shared body is sent from where it is, and nothing of it is copied`() {
        let body = SharedBody([UInt8](repeating: 0x61, count: 100_000))
        let response = HTTPResponse(status: .ok, headers: [], shared: body)
        let context = ResponseContext(
            requestID: "r", dropsBody: false, isVersion10: false, acceptsGzip: false, closes: false)
        var output: [UInt8] = []
        let behind = ResponseWriter.write(
            response, context, gzip: nil, date: [], commonFields: [], transportFields: [],
            into: &output)
        #expect(output.count < 1000)
        #expect(Self.haveOneMemory(behind, body.bytes))
        let unsent = UnsentAnswer(head: output, body: behind, sent: 10)
        #expect(unsent.head == Array(output[10...]))
        #expect(Self.haveOneMemory(unsent.body, body.bytes))
        let later = UnsentAnswer(head: output, body: behind, sent: output.count + 7)
        #expect(later.head.isEmpty && later.offset == 7)
        let taken = UnsentAnswer(head: output, body: behind, sent: output.count + behind.count)
        #expect(taken.isEmpty && taken.body.isEmpty)
    }

    private static func haveOneMemory(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { unsafe first.baseAddress == $0.baseAddress && first.count == $0.count }
        }
    }

    @Test(arguments: [1, 2047, 2048, 2049, 100_000, 3_000_000])
    func `arrives whole, also at a client that takes it slowly`(_ count: Int) async throws {
        let body = SharedBody((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await withServer { _ in
            HTTPResponse(status: .ok, headers: [], shared: body)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port, receiveBuffer: 4096)
            for _ in 0..<2 {
                await client.send(get("/"))
                // Long enough for the server to have to wait.
                try await Task.sleep(for: .milliseconds(20))
                #expect(try await client.answer().body == body.bytes)
            }
        }
    }
}
