/// How writes came together since the store was opened.
struct GroupCounts: Equatable {
    /// How many groups were tried, each a commit.
    private(set) var groups = 0
    /// How many writes in all of them.
    private(set) var writes = 0
    /// How many in the largest.
    private(set) var largest = 0

    mutating func add(_ count: Int) {
        groups += 1
        writes += count
        largest = max(largest, count)
    }
}
