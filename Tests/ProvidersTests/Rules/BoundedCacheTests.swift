import Providers
import Testing

@Suite struct `A bounded cache` {
    @Test func `lets the one go that was not asked for the longest`() {
        var cache = BoundedCache<Int>(maximumCount: 3)
        for (number, name) in ["a", "b", "c"].enumerated() { cache.insert(number, for: name) }
        #expect(cache.value(for: "a") == 0)
        cache.insert(3, for: "d")
        #expect(cache.value(for: "b") == nil)
        for (name, number) in [("a", 0), ("c", 2), ("d", 3)] { #expect(cache.value(for: name) == number) }
    }

    @Test func `keeps what is in use however many others come by`() {
        var cache = BoundedCache<Int>(maximumCount: 8)
        cache.insert(7, for: "used")
        for number in 0..<1000 {
            cache.insert(number, for: "other-\(number)")
            #expect(cache.value(for: "used") == 7)
        }
        #expect(cache.count == 8)
    }

    @Test func `replaces a value of the same name without letting another go`() {
        var cache = BoundedCache<Int>(maximumCount: 2)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        #expect(cache.value(for: "b") == 2)
        cache.insert(3, for: "b")
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "b") == 3)
        cache.remove("b")
        #expect(cache.value(for: "b") == nil)
        #expect(cache.count == 1)
    }
}
