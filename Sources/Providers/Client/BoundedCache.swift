/// So many values by name; when there is no room, the one that was not asked for the longest goes.
///
/// What is in use therefore stays, however many other names come by. It is not to be shared: its owner guards it.
public struct BoundedCache<Value: Sendable>: ~Copyable {
    /// An object, because noting that a value was used would else take it out of the dictionary and put it in again.
    @usableFromInline
    final class Entry {
        @usableFromInline let value: Value
        @usableFromInline var lastUse: UInt64

        init(_ value: Value, lastUse: UInt64) {
            (self.value, self.lastUse) = (value, lastUse)
        }
    }

    private let maximumCount: Int
    @usableFromInline var entries: [String: Entry] = [:]
    @usableFromInline var uses: UInt64 = 0

    /// - Parameter maximumCount: how many values are kept, one at least.
    public init(maximumCount: Int) {
        self.maximumCount = max(1, maximumCount)
    }

    public var count: Int { entries.count }

    /// The value of that name, which counts as used.
    @inlinable
    public mutating func value(for name: String) -> Value? {
        guard let entry = entries[name] else { return nil }
        uses += 1
        entry.lastUse = uses
        return entry.value
    }

    /// Keeps a value, in place of an older one of that name or, when there is no room, of the least recently used.
    public mutating func insert(_ value: Value, for name: String) {
        uses += 1
        if entries[name] == nil, entries.count >= maximumCount,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        entries[name] = Entry(value, lastUse: uses)
    }

    public mutating func remove(_ name: String) {
        entries[name] = nil
    }
}
