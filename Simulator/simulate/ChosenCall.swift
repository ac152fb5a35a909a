import CSimulation

/// One thing that is done in a calm world, in which one call of the server's to its disk goes wrong.
struct ChosenCall: Sendable {
    /// What is done meanwhile.
    enum Flow: String { case signIn, refresh, erasure, start, stop }

    /// What comes of the call.
    enum Fault: String {
        case fails, fills, power

        var value: simulation_fault {
            switch self {
            case .fails: SIMULATION_FAILS
            case .fills: SIMULATION_FILLS
            case .power: SIMULATION_LOSES_POWER
            }
        }
    }

    let flow: Flow
    let fault: Fault
    let number: UInt64
    let story = Story()

    /// Does it, and looks whether everything that was answered before and meanwhile holds.
    func run() async {
        await Setting.with(story) { setting in
            let machine = setting.machine
            if let failure = await machine.start() { return story.find("the first start: \(failure)") }
            var phone = Phone(number: 0, crowd: setting.crowd)
            var other = Phone(number: 1, crowd: setting.crowd)
            await phone.begin()
            await other.begin()
            let watch = Task { await restartAfterCrash(machine, until: setting.crowd.calm) }
            await act(&phone, machine)
            for _ in 0..<simulation_calls() { story.count("calls") }
            simulation_choose_call(0, 0, fault.value)
            if !machine.isRunning, !simulation_has_crashed() { await start(machine) }
            setting.crowd.calm.set()
            await watch.value
            await phone.settle(after: .seconds(2))
            await other.settle(after: .zero)
        }
    }

    private func act(_ phone: inout Phone, _ machine: Machine) async {
        func choose(_ owner: Int32) { simulation_choose_call(owner, number, fault.value) }
        switch flow {
        case .signIn:
            choose(machine.owner)
            await phone.begin()
        case .refresh:
            choose(machine.owner)
            await phone.refreshAll()
        case .erasure:
            choose(machine.owner)
            await phone.leave()
        case .start:
            machine.kill(losesPower: false)
            choose(machine.owner + 1)
            await start(machine)
        case .stop:
            choose(machine.owner)
            await machine.stop()
        }
    }

    /// A start that meets the fault may fail; the next one may not.
    private func start(_ machine: Machine) async {
        guard await machine.start() != nil else { return }
        if simulation_has_crashed() { machine.noteCrash() }
        simulation_choose_call(0, 0, fault.value)
        if let failure = await machine.start() { story.find("the store does not open: \(failure)") }
    }

    private func restartAfterCrash(_ machine: Machine, until calm: Flag) async {
        while true {
            if simulation_has_crashed(), flow != .start {
                machine.noteCrash()
                if let failure = await machine.start() { story.find("the store does not open: \(failure)") }
                return
            }
            if calm.isSet { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
