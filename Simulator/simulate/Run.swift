import CSimulation
import SimulatedCarriers

/// One run: phones, providers and a machine, for so many simulated seconds, and a look at everything at its end.
struct Run: Sendable {
    private static let settleTime: Duration = .seconds(40)

    let seconds: Int64
    /// How many servers share a database; nil for one with a file.
    let instances: Int?
    /// Which faults are switched off.
    let without: Set<Plan.Fault>
    let story = Story()

    func run() async {
        await Setting.with(story, instances: instances, takesTickets: Draw.happens(25)) { setting in
            let plan = Plan.drawn().without(without)
            for machine in setting.machines {
                if let failure = await machine.start() { return story.find("the first start: \(failure)") }
            }
            simulation_set_network(plan.network)
            simulation_set_disk_faults(plan.disk)
            setting.engine?.faults.conflictsInAMillion = plan.conflicts
            let end = simulation_now() + seconds * 1_000_000_000
            await withTaskGroup { group in
                group.addTask { await Trouble(plan: plan, setting: setting, end: end).run() }
                for number in 0..<plan.phones {
                    group.addTask {
                        var phone = Phone(number: number, crowd: setting.crowd)
                        await phone.live(think: plan.think, until: end)
                        await phone.settle(after: Self.settleTime)
                    }
                }
            }
            if case .failed(let reason) = await setting.staff.run(["store", "check"]) {
                story.find("gatehouse store check, at the end: \(reason)")
            }
        }
    }
}
