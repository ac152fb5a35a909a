import CSimulation
import SimulatedCarriers

/// One run: phones, providers and a machine, for so many simulated seconds, and a look at everything at its end.
struct Run: Sendable {
    private static let settleTime: Duration = .seconds(40)
    /// What expires is removed a day later.
    /// Between two looks whether providers have been told.
    private static let outboxPause: Duration = .seconds(60)
    private static let untilAllIsOver: Duration = .seconds(26 * 3600)

    /// Whether everybody leaves at the end.
    enum Farewell { case none, told, tillAllIsOver }

    let seconds: Int64
    /// How many servers share a database; nil for one with a file.
    let instances: Int?
    /// Which faults are switched off.
    let without: Set<Plan.Fault>
    let farewell: Farewell
    let story = Story()

    func run() async {
        let plan = Plan.drawn(for: seconds).without(without)
        let isPrompt = plan.pauseEvery == nil && plan.network.silences == 0
        await Setting.with(
            story, instances: instances, takesTickets: Draw.happens(25), isPrompt: isPrompt
        ) { setting in
            for machine in setting.machines {
                if let failure = await machine.start() { return story.find("the first start: \(failure)") }
            }
            let stay = Flag()
            let before = farewell == .tillAllIsOver ? Residue(setting) : nil
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
                        if farewell != .none, await !phone.leave() { stay.set() }
                    }
                }
            }
            if setting.engine == nil, plan.sendsCodesOnce { findCodesSentAgain(setting) }
            if case .failed(let reason) = await setting.staff.run(["store", "check"]) {
                story.find("gatehouse store check, at the end: \(reason)")
            }
            if farewell != .none { await findGrantsLeft(setting) }
            // Who has just moved may not leave yet.
            guard let before, !stay.isSet else { return }
            try? await Task.sleep(for: Self.untilAllIsOver)
            story.count("stores without users")
            for more in Residue(setting).more(than: before) { story.find(more) }
        }
    }

    /// A code that its provider may have taken goes to no provider again.
    private func findCodesSentAgain(_ setting: Setting) {
        let codes = setting.crowd.simulation.requests(at: .token).compactMap { $0.formField("code") }
        let again = codes.count - Set(codes).count
        story.count("worlds whose codes are sent once")
        if again > 0 { story.find("\(again) codes went to their providers twice") }
    }

    /// Who is erased is known to be gone at the providers whose tokens were kept.
    private func findGrantsLeft(_ setting: Setting) async {
        guard setting.engine == nil, setting.crowd.restores.isEmpty else { return }
        let end = ContinuousClock.now + Self.untilAllIsOver
        while Residue.count(of: "outbox", setting) != "0", ContinuousClock.now < end {
            try? await Task.sleep(for: Self.outboxPause)
        }
        let revoked = setting.crowd.simulation.requests(at: .revocation).compactMap { $0.formField("token") }
        let expected = setting.crowd.leftWithGrants
        if expected > 0 { story.count("worlds whose grants have ended") }
        if Set(revoked).count < expected {
            story.find("\(expected) users have left, and providers were told of \(Set(revoked).count) grants")
        }
    }
}
