/// How many sessions of one source a user may have, the one that is opened included.
public struct SessionLimits: Equatable, Sendable {
    /// No limit is higher, so that both fit into a number.
    private static let bits: Int64 = 20

    /// Nil for any number.
    public let inAll: Int64?
    /// Those of one app of ours, or those of none; nil for any number.
    public let perApp: Int64?

    /// - Returns: nil where nothing is limited.
    public init?(inAll: Int64?, perApp: Int64?) {
        if inAll == nil, perApp == nil { return nil }
        (self.inAll, self.perApp) = (inAll, perApp)
    }

    /// Tells these limits from all others.
    public var number: Int64 { (inAll ?? 0) + (perApp ?? 0) << Self.bits }

    /// How many sessions of each app stay, the newest, when one more is opened. At its own limit an app's give way; at
    /// that of all those of the app that has most, so that no app ends those of others by opening many; of two that
    /// have as many, those of the one that opens.
    ///
    /// - Parameters:
    ///   - counts: how many there are, by the app's client id, or nothing for those of no app.
    ///   - app: whose the new one is.
    public func kept(of counts: [String: Int64], opening app: String) -> [String: Int64] {
        var kept = counts
        if let perApp, let own = kept[app] { kept[app] = min(own, perApp - 1) }
        guard let inAll else { return kept }
        var surplus = kept.values.reduce(0, +) - (inAll - 1)
        while surplus > 0 {
            let weights = kept.filter { $0.value > 0 }.map { name, count in
                let isOwn: Int64 = name == app ? 1 : 0
                return (count + isOwn, isOwn, name)
            }
            guard let (_, _, greatest) = weights.max(by: <) else { break }
            kept[greatest, default: 0] -= 1
            surplus -= 1
        }
        return kept
    }

    /// How many more may be opened, of whatever app, before they have to be counted again.
    ///
    /// - Parameter kept: what has stayed, without the new one.
    public func room(beside kept: [String: Int64], opening app: String) -> Int64 {
        let most = max(kept.values.max() ?? 0, kept[app, default: 0] + 1)
        let rooms = [inAll.map { $0 - kept.values.reduce(0, +) - 1 }, perApp.map { $0 - most }]
        return max(0, rooms.compactMap(\.self).min() ?? 0)
    }
}
