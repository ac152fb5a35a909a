import CSimulation
import SimulatedCarriers

/// One run: phones, providers and a machine, for so many simulated seconds, and a look at everything at its end.
struct Run: Sendable {
    private static let settleTime: Duration = .seconds(30)
    /// In seconds, either way: less than the service allows clocks to be off.
    private static let longestJump = 20

    let seconds: Int64
    /// Which faults are switched off.
    let without: Set<Plan.Fault>
    let story = Story()

    func run() async {
        await Setting.with(story) { setting in
            let plan = Plan.drawn().without(without)
            let (machine, crowd) = (setting.machine, setting.crowd)
            if let failure = await machine.start() { return story.find("the first start: \(failure)") }
            simulation_set_network(plan.network)
            simulation_set_disk_faults(plan.disk)
            let end = simulation_now() + seconds * 1_000_000_000
            await withTaskGroup { group in
                group.addTask { await trouble(plan, machine, crowd, until: end) }
                for number in 0..<plan.phones {
                    group.addTask {
                        var phone = Phone(number: number, crowd: crowd)
                        await phone.live(think: plan.think, until: end)
                        await phone.settle(after: Self.settleTime)
                    }
                }
            }
        }
    }

    /// Kills and starts the machine and has providers misbehave, and puts everything right at the end.
    private func trouble(_ plan: Plan, _ machine: Machine, _ crowd: Crowd, until end: Int64) async {
        let simulation = crowd.simulation
        await withTaskGroup { group in
            group.addTask {
                guard let every = plan.killEvery else { return }
                while await pause(every, until: end) {
                    if Draw.happens(25) {
                        story.count("stops")
                        story.tell("the server is stopped")
                        await machine.stop()
                    } else {
                        machine.kill(losesPower: Draw.happens(plan.powerCuts))
                    }
                    await restart(machine)
                }
            }
            group.addTask {
                guard let every = plan.misbehaveEvery else { return }
                while await pause(every, until: end) {
                    let misbehaviour = Draw.one(of: [
                        AnswerMisbehaviour.serviceUnavailable, .internalServerError, .hang, .reset, .close, .truncated,
                    ])
                    story.tell("providers: \(misbehaviour.rawValue)")
                    simulation.misbehave(.answer(misbehaviour), times: Draw.number(in: 1...5))
                }
            }
            group.addTask {
                guard let every = plan.jumpEvery else { return }
                while await pause(every, until: end) {
                    let seconds = Draw.number(in: -Self.longestJump...Self.longestJump)
                    story.tell("the server's clock is \(seconds) s off")
                    story.count("jumps of the wall clock")
                    simulation_skew(machine.owner, Int64(seconds) * 1_000_000_000)
                }
            }
            group.addTask {
                guard let every = plan.rotateEvery else { return }
                while await pause(every, until: end) {
                    let carrier = Draw.one(of: [SimulatedIssuer.aurora, .borealis])
                    story.tell("\(carrier.rawValue) has new keys")
                    story.count("new keys of carriers")
                    do { try simulation.rotateKeys(of: carrier) } catch { story.find("no new keys: \(error)") }
                }
            }
        }
        let left = end - simulation_now()
        if left > 0 { try? await Task.sleep(for: .nanoseconds(left)) }
        simulation_skew(machine.owner, 0)
        simulation_set_network(Plan.calm.network)
        simulation_set_disk_faults(Plan.calm.disk)
        simulation.behave()
        if !machine.isRunning { await restart(machine) }
        crowd.calm.set()
    }

    /// Waits for a time that is drawn.
    ///
    /// - Returns: whether the run still goes on.
    private func pause(_ mean: Duration, until end: Int64) async -> Bool {
        try? await Task.sleep(for: mean.drawn)
        return simulation_now() < end
    }

    /// A store that does not open is a finding, unless the disk is at fault just then.
    private func restart(_ machine: Machine) async {
        var failure = await machine.start()
        guard failure != nil else { return }
        story.tell("it does not start: \(failure ?? "")")
        simulation_set_disk_faults(Plan.calm.disk)
        failure = await machine.start()
        if let failure { story.find("the store does not open: \(failure)") }
    }
}
