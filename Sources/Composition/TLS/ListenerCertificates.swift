import Logging
import Settings
import Synchronization
import System
import TLS
import Telemetry

/// What one listener is served under, as its files have it. They may change while it serves: who renews a certificate
/// writes two files, one after the other, or turns a link.
final class ListenerCertificates: Sendable {
    /// The files as they were when they were read last, and whether what is there now was told to be wrong.
    private struct State {
        var seen: [FileStatus?]
        var isTold = false
    }

    /// As metrics and lines call it: `http` or `admin`.
    let listener: String
    let server: TLSServer
    private let files: [CertificateFiles]
    private let clientCAFile: String?
    private let state: Mutex<State>

    /// - Returns: nil where there are none.
    /// - Throws: `StartError.certificate`.
    init?(_ listener: String, _ files: [CertificateFiles], clientCAFile: String? = nil) throws(StartError) {
        if files.isEmpty { return nil }
        (self.listener, self.files, self.clientCAFile) = (listener, files, clientCAFile)
        state = Mutex(State(seen: Self.status(of: files, clientCAFile)))
        do throws(FileFault) {
            let (certificates, authority) = try Self.read(files, clientCAFile)
            do throws(CertificateFault) {
                server = try TLSServer(certificates, clientAuthority: authority)
            } catch {
                throw Self.fault(error, files, clientCAFile)
            }
        } catch {
            throw .certificate(path: error.path, reason: error.reason)
        }
    }

    /// Serves what the files hold now, where they have changed. A certificate that is not there yet beside its new key
    /// is looked for again at the next look; what stays wrong is told once, and changes nothing.
    ///
    /// - Parameter isAsked: whether somebody wants it, changed or not.
    func look(isAsked: Bool = false, _ logger: Logger) {
        let now = Self.status(of: files, clientCAFile)
        guard isAsked || state.withLock({ $0.seen != now }) else { return }
        do throws(FileFault) {
            let (certificates, authority) = try Self.read(files, clientCAFile)
            do throws(CertificateFault) {
                try server.use(certificates, clientAuthority: authority)
            } catch {
                throw Self.fault(error, files, clientCAFile)
            }
            state.withLock { $0 = State(seen: now) }
            logger.notice(
                "certificates were read again",
                metadata: [
                    "listener": "\(listener)",
                    "until": "\(server.validity.map { CalendarTime.rfc3339($0.notAfter) }.joined(separator: ", "))",
                ])
        } catch {
            // Of two files that change one after the other, the first is seen before the second.
            let isFirst = state.withLock { state in
                defer { state.isTold = true }
                return !state.isTold
            }
            if isFirst && !isAsked { return }
            state.withLock { $0.seen = now }
            logger.error(
                "the certificates can't be read, those from before stay",
                metadata: ["listener": "\(listener)", "file": "\(error.path)", "reason": "\(error.reason)"])
        }
    }

    private struct FileFault: Error {
        let path: String
        let reason: String
    }

    /// Names the file in which it is: all certificates have been read by then.
    private static func fault(
        _ fault: CertificateFault, _ files: [CertificateFiles], _ clientCAFile: String?
    ) -> FileFault {
        let path = fault == .noAuthority ? clientCAFile : files.map(\.certificateFile).joined(separator: ", ")
        return FileFault(path: path ?? "", reason: "it \(fault)")
    }

    private static func status(of files: [CertificateFiles], _ clientCAFile: String?) -> [FileStatus?] {
        (files.flatMap { [$0.certificateFile, $0.keyFile] } + [clientCAFile].compactMap(\.self))
            .map { try? FileStatus(of: $0) }
    }

    private static func read(
        _ files: [CertificateFiles], _ clientCAFile: String?
    ) throws(FileFault) -> (certificates: [ServerCertificate], authority: [UInt8]?) {
        var certificates: [ServerCertificate] = []
        for named in files {
            let (chain, key) = (try bytes(named.certificateFile), try bytes(named.keyFile))
            do throws(CertificateFault) {
                certificates.append(try ServerCertificate(chain: chain, key: key))
            } catch {
                let isOfKey = error == .noKey || error == .otherKey
                throw FileFault(path: isOfKey ? named.keyFile : named.certificateFile, reason: "it \(error)")
            }
        }
        guard let clientCAFile else { return (certificates, nil) }
        return (certificates, try bytes(clientCAFile))
    }

    private static func bytes(_ path: String) throws(FileFault) -> [UInt8] {
        do throws(SettingsFileError) { return try Settings.bytes(of: path) } catch {
            throw FileFault(path: path, reason: error.sentence)
        }
    }
}

/// When the certificates end.
struct CertificateMetrics: MetricSource {
    private static let end = MetricFamily(
        .gauge, "gatehouse_certificate_not_after_seconds", unit: "seconds",
        "When the listener's certificate ends that ends first, in seconds since 1970.")

    let listeners: [ListenerCertificates]

    func readings() -> [MetricReading] {
        [
            MetricReading(
                Self.end,
                listeners.compactMap { listener in
                    listener.server.validity.map(\.notAfter).min().map {
                        MetricSample([("listener", listener.listener)], Double($0))
                    }
                })
        ]
    }
}
