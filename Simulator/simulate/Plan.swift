import CSimulation

/// What may go wrong in a run. Each seed switches a random half of it off, since the most frequent faults hide the
/// others.
struct Plan: Sendable {
    /// What can be switched off to make a story shorter.
    enum Fault: String, CaseIterable { case kills, providers, network, disk, engine, pauses, commands }

    private static let shortest: Int64 = 30

    let phones: Int
    let think: Duration
    private(set) var network: simulation_network
    private(set) var disk: simulation_disk
    /// How long a machine runs in the mean before it is killed; nil where none is.
    private(set) var killEvery: Duration?
    /// Of a hundred kills, how many lose what is not synced.
    let powerCuts: Int
    /// How long providers behave in the mean before one of them doesn't; nil where all do.
    private(set) var misbehaveEvery: Duration?

    /// Whether providers that misbehave say at times that they can't serve now: then a code may be sent once more.
    let providersDecline: Bool

    /// How long the carriers keep their keys in the mean; nil where they keep them for good.
    let rotateEvery: Duration?

    /// How long the server's wall clock goes right in the mean before it jumps; nil where it never does.
    let jumpEvery: Duration?

    /// How long machines work in the mean before one of them stands still; nil where none does.
    private(set) var pauseEvery: Duration?

    /// Of a million statements at the engine, how many meet a conflict that there is not.
    private(set) var conflicts: Int

    /// How long the engine works in the mean before it is away; nil where it always works.
    private(set) var engineFailsEvery: Duration?

    /// How long operators leave a running server alone in the mean; nil where they always do.
    private(set) var maintainEvery: Duration?

    /// Of a hundred stops, how many are for work on the store; of a hundred commands, how many are killed.
    let maintenance: Int, commandKills: Int

    /// What the seed draws.
    ///
    /// - Parameter seconds: how long the world lasts: in a short one there are few people.
    static func drawn(for seconds: Int64) -> Plan {
        // Providers at fault, and nothing else: what is theirs alone would drown in the rest.
        let isOfProviders = Draw.happens(20)
        let isNetworkAtFault = !isOfProviders && Draw.happens(65)
        func sometimes(_ value: Int) -> UInt32 { isNetworkAtFault && Draw.happens(60) ? UInt32(value) : 0 }
        let slowest = Draw.one(of: [500_000, 20_000_000, 400_000_000])
        return Plan(
            phones: Draw.one(of: seconds < shortest ? [1, 2, 4] : [2, 10, 50]),
            think: .seconds(Draw.one(of: [1, 10, 30])),
            network: simulation_network(
                least_delay: 20_000, most_delay: Int64(slowest), short_reads: sometimes(200_000),
                short_writes: sometimes(200_000), resets: sometimes(5_000),
                half_closes: sometimes(5_000), silences: isNetworkAtFault && Draw.happens(35) ? 1_000 : 0),
            disk: simulation_disk(
                errors: Draw.happens(25) ? 3_000 : 0, full: Draw.happens(25) ? 3_000 : 0,
                longest_sync: Int64(Draw.one(of: [1_000_000, 30_000_000])), lies: false),
            killEvery: !isOfProviders && Draw.happens(60) ? .seconds(Draw.one(of: [10, 60])) : nil,
            powerCuts: Draw.one(of: [0, 50, 100]),
            misbehaveEvery: isOfProviders ? .seconds(5) : Draw.happens(50) ? .seconds(20) : nil,
            providersDecline: !isOfProviders && Draw.happens(50),
            rotateEvery: Draw.happens(50) ? .seconds(60) : nil, jumpEvery: Draw.happens(50) ? .seconds(30) : nil,
            pauseEvery: Draw.happens(30) ? .seconds(30) : nil, conflicts: Draw.happens(50) ? 20_000 : 0,
            engineFailsEvery: Draw.happens(40) ? .seconds(30) : nil,
            maintainEvery: Draw.happens(40) ? .seconds(20) : nil, maintenance: Draw.one(of: [0, 50]),
            commandKills: Draw.one(of: [0, 30]))
    }

    /// Whether nothing of it makes a server send a code again that its provider may have taken.
    var sendsCodesOnce: Bool {
        killEvery == nil && !providersDecline && network.resets + network.half_closes + network.silences == 0
    }

    /// The same without some of its faults.
    func without(_ faults: Set<Fault>) -> Plan {
        var plan = self
        if faults.contains(.kills) { plan.killEvery = nil }
        if faults.contains(.providers) { plan.misbehaveEvery = nil }
        if faults.contains(.network) { plan.network = Self.calm.network }
        if faults.contains(.disk) { plan.disk = Self.calm.disk }
        if faults.contains(.engine) { (plan.conflicts, plan.engineFailsEvery) = (0, nil) }
        if faults.contains(.pauses) { plan.pauseEvery = nil }
        if faults.contains(.commands) { plan.maintainEvery = nil }
        return plan
    }

    /// One in which nothing goes wrong.
    static let calm = (
        network: simulation_network(
            least_delay: 20_000, most_delay: 500_000, short_reads: 0, short_writes: 0, resets: 0,
            half_closes: 0, silences: 0),
        disk: simulation_disk(errors: 0, full: 0, longest_sync: 1_000_000, lies: false)
    )
}
