import Synchronization

/// A part of the way of a request, or of work of our own, that takes time and may come to nothing.
public enum Step: Hashable, Sendable {
    /// A request, from when it was read until its answer is made; by the operation's path, as the table has it.
    case request(route: StepName)
    /// A place that one use of a provider holds, from when it is taken until it is given back.
    case bulkhead(provider: StepName)
    /// A call to a provider with all of its tries; `kind` is what it is for, such as `token` or `userinfo`.
    case providerCall(provider: StepName, kind: StepName)
    /// A wait for the store: for the turn in its queue, for a connection or for a thread.
    ///
    /// Who calls a repository hands it no context: where there is a trace, the task knows of it
    /// (``StepScope/current``).
    case storeQueue
    /// A commit, with its sync to disk. One can be that of many requests.
    case commit
    /// A password's hash, with the wait for a place.
    case hashing
    /// A message to a provider that the app's answer does not wait for; `kind` is what it says.
    case delivery(provider: StepName, kind: StepName)
}

/// How a step ended.
public enum StepOutcome: Hashable, Sendable {
    case done
    /// With an error; its name is one of few, stable, and nothing that was sent.
    case failed(StepName)
    /// Nobody saw it to its end: what began it was given up.
    case abandoned
}

/// Tells one step from every other of this process.
public struct StepID: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    public let number: UInt64

    static func next() -> StepID { StepID(number: last.wrappingAdd(1, ordering: .relaxed).newValue) }
}
