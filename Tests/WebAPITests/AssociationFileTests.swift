import HTTPServer
import HTTPTesting
import Testing

@testable import WebAPI

@Suite struct `The files that phones fetch` {
    private static let paths = [AssociationFiles.applePath, AssociationFiles.androidPath]
    private static let apple = Array("{\"applinks\":  {}}\r\n".utf8)
    private static let android = Array("\n[ ]".utf8) + [0x20]

    private static func stage(apiKeys: [String] = []) async throws -> APIStage {
        try await APIStage(apiKeys: apiKeys, associationFiles: AssociationFiles(apple: apple, android: android))
    }

    @Test func `are answered byte for byte as application json, to every caller and whatever is sent besides`()
        async throws
    {
        let app = try await Self.stage(apiKeys: ["my-api-key"])
        for (path, file) in zip(Self.paths, [Self.apple, Self.android]) {
            for query in [nil, "a=b"] {
                let answer = await app.send(.get, path, query: query)
                #expect(answer.status == 200)
                #expect(answer.body == file)
                #expect(
                    answer.headers.filter { $0.name == "Content-Type" }.map(\.value) == ["application/json"])
                #expect(answer.header("location") == nil)
            }
            #expect(await app.send(.head, path).status == 200)
            #expect(await app.send(.post, path).status == 405)
        }
    }

    @Test func `are sent as they are also to those who take gzip, and are made for all loops once`() async throws {
        let long = [UInt8](repeating: 0x20, count: 128 << 10)
        let app = try await APIStage(associationFiles: AssociationFiles(apple: Self.apple + long, android: nil))
        let answer = await app.send(.get, Self.paths[0], headers: [("Accept-Encoding", "gzip")])
        #expect(answer.isCompressible == false)
        #expect(answer.body.count == Self.apple.count + long.count)
    }

    @Test func `are not there where none is configured, as any path that nobody knows`() async throws {
        let app = try await APIStage()
        let unknown = await app.send(.get, "/.well-known/nothing")
        for path in Self.paths {
            let answer = await app.send(.get, path)
            #expect(answer.status == 404)
            #expect(answer.text == unknown.text)
            #expect(answer.headers.map(\.name) == unknown.headers.map(\.name))
        }
        let half = try await APIStage(associationFiles: AssociationFiles(apple: nil, android: Self.android))
        #expect(await half.send(.get, Self.paths[0]).status == 404)
        #expect(await half.send(.get, Self.paths[1]).status == 200)
    }
}
