import Composition
import HTTPServer
import Providers
import Settings
import Syntax
internal import System

/// What the machine gives this user, and whether the server answers on it.
struct HostCheckup: Sendable {
    private static let seconds = 3
    private static let mebibyte = 1 << 20
    /// Less than that, a server with a crowd of clients does not fit into.
    private static let leastMemory = 128 * mebibyte
    /// Swift's runtime and SQLite take addresses for more than they use.
    private static let leastAddresses = 1024 * mebibyte
    /// Where OpenSSL looks for whom to trust, as distributions set it up.
    private static let trustAnchors = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    let settings: Settings

    func diagnoses() -> [Diagnosis] { [server] + [descriptors, memory, addresses, trust].compactMap(\.self) }

    /// Whether the server runs: then it is what listens already where it would.
    var isAnswering: Bool {
        guard settings.http.port > 0 else { return false }
        return HealthcheckCommand.hosts(of: settings.http.host).contains { host in
            HealthProbe.status(
                of: "/healthz", at: host, port: settings.http.port,
                byTLS: !settings.http.certificates.isEmpty, seconds: Self.seconds) == 200
        }
    }

    private var server: Diagnosis {
        let place = Authority.text(host: settings.http.host, port: settings.http.port)
        guard settings.http.port > 0 else {
            return Diagnosis("server", .good, "http.port is 0, so only its log knows where it listens")
        }
        return isAnswering
            ? Diagnosis("server", .good, "it answers at \(place)")
            : Diagnosis(
                "server", .warning, "nothing answers /healthz at \(place)",
                remedy: "start it, or read the end of its log, which says why it has stopped")
    }

    private var descriptors: Diagnosis? {
        // As a server does it before it counts them.
        DescriptorLimit.raise()
        guard let limit = DescriptorLimit.inEffect else { return nil }
        let shares = DescriptorShares(settings, descriptors: limit, loops: settings.http.loops ?? Processors.usable)
        guard let wanted = settings.http.connections, shares.clients < wanted else {
            return Diagnosis("open files", .good, "this user may have \(limit), enough for what is configured")
        }
        return Diagnosis(
            "open files", .warning,
            "this user may have \(limit), which leaves \(shares.clients) for clients; expected \(wanted) (http.connections)",
            remedy:
                "raise it for the service (LimitNOFILE of systemd, --ulimit nofile of docker), or lower http.connections"
        )
    }

    private var memory: Diagnosis? {
        guard let limit = MemoryLimit.ofGroup else { return nil }
        let found = "the control group has \(limit / Self.mebibyte) MiB"
        guard limit < Self.leastMemory else { return Diagnosis("memory", .good, found) }
        return Diagnosis(
            "memory", .warning, "\(found); expected \(Self.leastMemory / Self.mebibyte) at least",
            remedy: "give the container more, or lower http.connections: a server that is killed for it signs nobody in"
        )
    }

    /// With far fewer the program ends before anything can be looked at, and says the same (`CLinux`).
    private var addresses: Diagnosis? {
        guard let limit = MemoryLimit.ofAddresses, limit < Self.leastAddresses else { return nil }
        return Diagnosis(
            "address space", .bad,
            "it is limited to \(limit / Self.mebibyte) MiB; expected \(Self.leastAddresses / Self.mebibyte) at least, or no limit",
            remedy: "ulimit -v unlimited; a limit of memory belongs into the control group")
    }

    /// Whom TLS trusts, where a provider is on another machine and has no anchors of its own in its section.
    private var trust: Diagnosis? {
        let needing = settings.providers.filter { $0.needsSystemTrust }.map(\.name)
        guard !needing.isEmpty, !EnvironmentVariables.isSet("SSL_CERT_FILE") else { return nil }
        guard !Self.trustAnchors.contains(where: FileNames.exists) else {
            return Diagnosis("trust anchors", .good, "the system has some")
        }
        return Diagnosis(
            "trust anchors", .bad,
            "the system has none, so no provider's certificate can be verified (\(needing.joined(separator: ", ")))",
            remedy: "install ca-certificates, or name a file in caFile of each section")
    }
}

extension ProviderConfiguration {
    /// Whether its certificates are verified by what the system trusts.
    fileprivate var needsSystemTrust: Bool { caFile == nil && !allowsLoopbackHTTP }
}
