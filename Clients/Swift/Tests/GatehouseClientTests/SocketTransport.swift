import Foundation
import GatehouseClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One connection a request, by plain sockets: an answer is whole, or there is none. On Linux `URLSession` ends the
/// process where a connection closes before the first line of an answer is there, which is what these tests are about.
struct SocketTransport: Transport {
    struct NoWholeAnswer: Error {}

    func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        guard let url = request.url, let port = url.port else { throw NoWholeAnswer() }
        let body = request.httpBody ?? Data()
        var head = "\(request.httpMethod ?? "GET") \(url.path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
        let bytes = Data("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        let answer = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: CuttingProxy.exchange(bytes, UInt16(port))) }
        }
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else { throw NoWholeAnswer() }
        let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        let fields = lines.dropFirst().map {
            $0.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        .filter { $0.count == 2 }
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            length == answer.count - end.upperBound,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: Dictionary(fields.map { ($0[0], $0[1]) }) { first, _ in first })
        else { throw NoWholeAnswer() }
        return (Data(answer[end.upperBound...]), response)
    }
}
