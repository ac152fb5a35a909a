public import Providers
internal import Telemetry

extension CallContext {
    /// One that nobody looks at.
    public static var unobserved: CallContext { CallContext(.none, partOf: nil) }
}
