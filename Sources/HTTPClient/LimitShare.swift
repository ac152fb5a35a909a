import Syntax

/// Which part of the limits of a whole process one of its clients has, there being a client for each loop.
struct LimitShare: Sendable {
    /// Which of them, from 0 on.
    let index: Int
    /// How many there are.
    let count: Int

    /// That of a client that has no others beside it.
    static let whole = LimitShare(index: 0, count: 1)

    /// The part of a limit that is this client's own; the parts of all add up to the limit.
    ///
    /// - Parameter limit: 0 is no limit, for anybody.
    /// - Returns: nil when there are more clients than the limit has places: then one of them has them all.
    func part(of limit: Int) -> Int? {
        if limit <= 0 { return 0 }
        if limit < count { return nil }
        return limit / count + (index < limit % count ? 1 : 0)
    }

    /// Which client has all places of a limit that can't be divided: mostly another one for each server.
    func owner(of url: EndpointURL) -> Int { Int(UInt(bitPattern: url.server.hashValue) % UInt(count)) }
}
