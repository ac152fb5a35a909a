import Providers
import Testing

@Suite struct `The bounds of a cache` {
    private let bounds = CacheBounds(
        usual: .seconds(900), shortest: .seconds(60), longest: .seconds(86_400), stale: .seconds(1),
        afterFailure: .seconds(1), afterMiss: .seconds(60))

    @Test(
        arguments: [
            (nil, 900), ("", 900), ("public", 900), ("max-age=300", 300), ("public, max-age=300", 300),
            ("Public,MAX-AGE=300", 300), ("max-age = 300", 300), (" \tmax-age=300\t ", 300), ("max-age=\"300\"", 300),
            ("max-age=0", 60), ("max-age=59", 60), ("max-age=-5", 60), ("max-age=-9223372036854775808", 60),
            ("no-store", 60), ("no-cache", 60),
            ("No-Store", 60), ("no-store, max-age=300", 60), ("max-age=999999999", 86_400),
            ("max-age=9223372036854775807", 86_400), ("max-age=99999999999999999999", 900), ("max-age=soon", 900),
            ("max-age", 900), ("max-age=", 900), ("s-maxage=300", 900), ("stale-max-age=300", 900),
            ("no-cache=\"set-cookie\", max-age=300", 300), (",,max-age=300", 300), ("max-age=300, max-age=500", 300),
        ] as [(String?, Int)])
    func `the bounds of a cache hold what an answer asks for`(cacheControl: String?, seconds: Int) {
        #expect(bounds.freshness(cacheControl: cacheControl) == .seconds(seconds))
    }

    @Test func `the bounds of a cache are a quarter of an hour, a minute, a day and another day usually`() {
        let standard = CacheBounds.standard
        #expect(standard.usual == .seconds(900))
        #expect(standard.shortest == .seconds(60))
        #expect(standard.longest == .seconds(86_400))
        #expect(standard.stale == .seconds(86_400))
    }
}
