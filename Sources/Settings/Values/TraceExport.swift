public import Crypto
public import Syntax
public import Telemetry

extension Settings {
    /// What becomes of requests, step by step.
    public struct Traces: Sendable {
        /// Nil: they are sent nowhere, and nothing is traced.
        public internal(set) var export: TraceExport?
        /// From how long on a request's trace is sent whatever the sampler says.
        public internal(set) var slowMilliseconds = 1000
    }
}

/// Where traces are sent, and which: what OpenTelemetry's variables say.
public struct TraceExport: Sendable {
    /// Where spans are posted.
    public internal(set) var endpoint: EndpointURL
    /// Fields that are sent along, such as the key of who takes them.
    public internal(set) var headers: [(name: String, value: Secret)] = []
    public internal(set) var isCompressed = true
    /// For one request.
    public internal(set) var timeout = Duration.seconds(10)
    /// For a batch with all its tries.
    public internal(set) var batchTimeout = Duration.seconds(30)
    /// The path of a PEM file with trust anchors to accept beside the system's.
    public internal(set) var caFile: String?
    /// What is told of this service, by name.
    public internal(set) var resource: [(name: String, value: String)] = []
    public internal(set) var sampler = Sampler.standard
    /// How many spans may wait.
    public internal(set) var queueLimit = 2048
    /// How many go out together.
    public internal(set) var batchLimit = 512
    /// How long spans wait for others to go out with.
    public internal(set) var delay = Duration.seconds(5)

    init(endpoint: EndpointURL) {
        self.endpoint = endpoint
    }
}
