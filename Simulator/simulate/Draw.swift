import CSimulation

/// What the seed draws. Everything that a run decides by chance is asked for here.
enum Draw {
    static func below(_ bound: Int) -> Int { Int(simulation_draw() % UInt64(bound)) }

    static func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    static func happens(_ percent: Int) -> Bool { below(100) < percent }

    static func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}

extension Duration {
    /// A time that is drawn, as long as this one in the mean.
    var drawn: Duration { .milliseconds(Draw.below(Int(2 * (self / .milliseconds(1))) + 1)) }
}
