import CSimulation
import SimulatedCarriers

/// What goes wrong in a world until its end, when everything is put right again.
struct Trouble: Sendable {
    /// In seconds, either way: less than the service allows clocks to be off.
    private static let longestJump = 20
    private static let longestPause = 20_000
    private static let longestOutage = 15_000
    /// How often a server is started that loses the engine while it starts.
    private static let starts = 5

    let plan: Plan
    let setting: Setting
    /// In nanoseconds of the world.
    let end: Int64

    private var story: Story { setting.crowd.story }
    private var simulation: Simulation { setting.crowd.simulation }

    func run() async {
        await withTaskGroup { group in
            for machine in setting.machines {
                group.addTask { await each(plan.killEvery) { await end(machine) } }
                group.addTask {
                    await each(plan.pauseEvery) {
                        await machine.pause(for: .milliseconds(Draw.below(Self.longestPause)))
                    }
                }
                group.addTask { await each(plan.jumpEvery) { jump(machine) } }
            }
            group.addTask { await each(plan.misbehaveEvery) { misbehave() } }
            group.addTask { await each(plan.rotateEvery) { rotate() } }
            group.addTask {
                await each(plan.maintainEvery) {
                    await Maintenance(setting: setting, kills: plan.commandKills).beside()
                }
            }
            if let engine = setting.engine {
                group.addTask { await each(plan.engineFailsEvery) { await fail(engine) } }
            }
        }
        let left = end - simulation_now()
        if left > 0 { try? await Task.sleep(for: .nanoseconds(left)) }
        simulation_set_network(Plan.calm.network)
        simulation_set_disk_faults(Plan.calm.disk)
        simulation.behave()
        setting.engine?.faults.conflictsInAMillion = 0
        for machine in setting.machines {
            simulation_skew(machine.owner, 0)
            if !machine.isRunning { await restart(machine) }
        }
        setting.crowd.calm.set()
    }

    /// Does something again and again, at times that are drawn.
    private func each(_ mean: Duration?, _ body: () async -> Void) async {
        guard let mean else { return }
        while true {
            try? await Task.sleep(for: mean.drawn)
            guard simulation_now() < end else { return }
            await body()
        }
    }

    private func end(_ machine: Machine) async {
        if Draw.happens(25) {
            story.count("stops")
            story.tell("server \(machine.number) is stopped")
            await machine.stop()
            if setting.engine == nil, Draw.happens(plan.maintenance) {
                await Maintenance(setting: setting, kills: plan.commandKills).insteadOfServer(machine)
            }
        } else {
            machine.kill(losesPower: Draw.happens(plan.powerCuts))
        }
        await restart(machine)
    }

    private func jump(_ machine: Machine) {
        let seconds = Draw.number(in: -Self.longestJump...Self.longestJump)
        story.tell("the clock of server \(machine.number) is \(seconds) s off")
        story.count("jumps of the wall clock")
        simulation_skew(machine.owner, Int64(seconds) * 1_000_000_000)
    }

    private func misbehave() {
        let declines = plan.providersDecline ? [AnswerMisbehaviour.serviceUnavailable] : []
        let misbehaviour = Draw.one(of: declines + [.internalServerError, .hang, .reset, .close, .truncated])
        story.tell("providers: \(misbehaviour.rawValue)")
        simulation.misbehave(.answer(misbehaviour), times: Draw.number(in: 1...5))
    }

    private func rotate() {
        let carrier = Draw.one(of: [SimulatedIssuer.aurora, .borealis])
        story.tell("\(carrier.rawValue) has new keys")
        story.count("new keys of carriers")
        do { try simulation.rotateKeys(of: carrier) } catch { story.find("no new keys: \(error)") }
    }

    private func fail(_ engine: Engine) async {
        story.count("outages of the engine")
        story.tell("the engine is away")
        engine.crash()
        try? await Task.sleep(for: .milliseconds(Draw.below(Self.longestOutage)))
        engine.start()
        story.tell("the engine is back")
    }

    /// A store that does not open is a finding, unless the disk or the way to the engine is at fault just then. Who
    /// runs a server starts it again.
    private func restart(_ machine: Machine) async {
        var tries = setting.engine == nil ? 1 : Self.starts
        while let failure = await machine.start() {
            guard tries > 0 else { return story.find("the store does not open: \(failure)") }
            tries -= 1
            story.tell("server \(machine.number) does not start: \(failure)")
            simulation_set_disk_faults(Plan.calm.disk)
            try? await Task.sleep(for: .milliseconds(setting.engine == nil ? 0 : Self.longestOutage))
        }
    }
}
