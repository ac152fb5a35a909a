package import Accounts
import Crypto

/// Hashes with a mark each, remembered for a time in memory that has a bound: what strangers make up is kept here.
///
/// They lie in generations, the newest last. A generation takes hashes until its share of the lifetime is over or it is
/// full, and goes as a whole when it is too old, or the oldest and there is no more room. So a hash is kept
///
/// - for the lifetime, unless ``Bounds/leastKept`` newer ones and more come before it is over;
/// - within ``Bounds/maximumBytes``, of which nothing is taken before it is needed.
///
/// Forty bits of each hash are kept. That a hash which nobody gave seems to be there happens to one in 70,000 while all
/// generations are full, and to practically none otherwise.
package struct RecentHashes {
    package struct Bounds {
        private static let generations = 7

        /// In seconds.
        let lifetime: Int64
        /// Of one generation; a power of two.
        let maximumSlots: Int

        package init(lifetime: Int64, maximumSlots: Int) {
            (self.lifetime, self.maximumSlots) = (lifetime, maximumSlots)
        }

        /// Generations that time has ended may be half full.
        var leastKept: Int { (Self.generations - 1) * Generation.capacity(slots: maximumSlots) / 2 }
        /// Many small generations take half of a large one's place at most before the oldest goes.
        var maximumBytes: Int { largestGeneration * Self.generations + largestGeneration / 2 }

        fileprivate var largestGeneration: Int { maximumSlots * MemoryLayout<UInt64>.size }
        /// How long a generation takes hashes, in seconds.
        fileprivate var share: Int64 { max(1, lifetime / Int64(Self.generations - 1)) }
    }

    /// What a hash was given with.
    package struct Mark: Equatable {
        fileprivate static let bits: UInt64 = 24
        /// Never 0, which is an empty slot.
        fileprivate let value: UInt64
    }

    let bounds: Bounds
    /// Of this memory alone: who does not know it can't choose hashes that crowd one place, or that share a mark.
    private let seed = UInt64.random(in: 0 ... .max)
    private var generations: [Generation] = []

    package init(bounds: Bounds) {
        self.bounds = bounds
    }

    var byteCount: Int { generations.reduce(0) { $0 + $1.byteCount } }

    /// The mark that stands for something; two things share one by chance in 16 million cases.
    package func mark(for thing: TokenHash) -> Mark {
        Mark(value: max(1, mixed(thing.words.1 ^ seed) >> (64 - Mark.bits)))
    }

    /// What a hash was given with last; nil when it was not given, or too long ago.
    package func mark(of hash: TokenHash, now: Int64) -> Mark? {
        for generation in generations.reversed() where generation.count > 0 && !isOver(generation, now: now) {
            if let mark = generation.mark(of: Self.key(hash), seed: seed) { return mark }
        }
        return nil
    }

    package mutating func remember(_ hash: TokenHash, _ mark: Mark, now: Int64) {
        if generations.last.map({ $0.isFull || now - $0.startedAt >= bounds.share }) ?? true {
            beginGeneration(now: now)
        }
        generations[generations.count - 1].set(Self.key(hash), mark, seed: seed)
    }

    private mutating func beginGeneration(now: Int64) {
        generations = generations.filter { !isOver($0, now: now) }
        while byteCount + bounds.largestGeneration > bounds.maximumBytes { generations.removeFirst() }
        generations.append(Generation(startedAt: now, maximumSlots: bounds.maximumSlots))
    }

    /// Whether the last hash it took is older than the lifetime.
    private func isOver(_ generation: Generation, now: Int64) -> Bool {
        now - generation.startedAt >= bounds.lifetime + bounds.share
    }

    private static func key(_ hash: TokenHash) -> UInt64 { hash.words.0 >> Mark.bits }
}

/// One open-addressing table with linear probing. A word is forty bits of a hash, then its mark; 0 is an empty slot.
private struct Generation {
    private static let leastSlots = 64

    let startedAt: Int64
    private(set) var count = 0
    private var slots = [UInt64](repeating: 0, count: leastSlots)
    private let maximumSlots: Int

    init(startedAt: Int64, maximumSlots: Int) {
        (self.startedAt, self.maximumSlots) = (startedAt, maximumSlots)
    }

    static func capacity(slots: Int) -> Int { slots / 8 * 7 }

    var isFull: Bool { slots.count >= maximumSlots && count >= Self.capacity(slots: slots.count) }
    var byteCount: Int { slots.count * MemoryLayout<UInt64>.size }

    func mark(of key: UInt64, seed: UInt64) -> RecentHashes.Mark? {
        let word = slots[index(of: key, seed)]
        return word == 0 ? nil : RecentHashes.Mark(value: word & (1 << RecentHashes.Mark.bits - 1))
    }

    /// The generation must not be full.
    mutating func set(_ key: UInt64, _ mark: RecentHashes.Mark, seed: UInt64) {
        if count >= Self.capacity(slots: slots.count) { grow(seed) }
        let index = index(of: key, seed)
        if slots[index] == 0 { count += 1 }
        slots[index] = key << RecentHashes.Mark.bits | mark.value
    }

    /// Where a key is, or would be. An eighth of the slots stays empty, so the search ends.
    private func index(of key: UInt64, _ seed: UInt64) -> Int {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: mixed(key ^ seed)) & mask
        while slots[index] != 0, slots[index] >> RecentHashes.Mark.bits != key { index = (index + 1) & mask }
        return index
    }

    private mutating func grow(_ seed: UInt64) {
        let words = slots
        slots = [UInt64](repeating: 0, count: words.count * 2)
        for word in words where word != 0 { slots[index(of: word >> RecentHashes.Mark.bits, seed)] = word }
    }
}

/// Spreads every bit over all of them: the finalizer of SplitMix64.
private func mixed(_ number: UInt64) -> UInt64 {
    var number = number
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
}

extension TokenHash {
    /// The SHA-256 of a token's or code's text.
    package init(sha256 text: String) {
        self = Digest.sha256.withHash(of: text.utf8.span) { Self(digest: $0) }
    }

    /// Several texts in their order; each with its length, so that no others come to the same.
    package init(sha256 texts: [String]) {
        self.init(sha256: texts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// - Parameter digest: 32 bytes, as SHA-256 makes them.
    init(digest: Span<UInt8>) {
        guard let hash = TokenHash(digest) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        self = hash
    }

    /// A provider's own session, as it is stored beside ours.
    ///
    /// - Parameter issuer: the name by which the issuer's users are stored; any two issuers may give the same name to a
    ///   session.
    package static func upstreamSession(_ session: String, at issuer: String) -> Self {
        Self(sha256: [issuer, session])
    }
}
