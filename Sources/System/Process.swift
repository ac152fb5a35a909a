internal import CLinux
internal import Glibc

/// The environment of this process, which the C libraries in it read too. It must be changed before there is a second
/// thread.
public enum EnvironmentVariables {
    public static func isSet(_ name: String) -> Bool { unsafe getenv(name) != nil }

    public static func value(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    public static func remove(_ name: String) { unsafe unsetenv(name) }

    /// Sets a variable that is not set.
    public static func setIfMissing(_ name: String, to value: String) { _ = unsafe setenv(name, value, 0) }
}

/// How many descriptors, and so connections, this process may have open.
public enum DescriptorLimit {
    /// Raises the limit as far as the process may raise it itself: systems start programs with about a thousand, for
    /// the sake of old ones that can't count further, and leave the rest to who needs more.
    public static func raise() {
        guard var limit = read() else { return }
        limit.rlim_cur = limit.rlim_max
        // Where the system refuses, the limit is what it was.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The limit in effect; nil when the system does not say.
    public static var inEffect: Int? { read().map { Int(clamping: $0.rlim_cur) } }

    private static func read() -> rlimit? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit
    }
}

/// Signals that this process takes no notice of.
public enum IgnoredSignals {
    /// Has a signal do nothing from now on.
    ///
    /// - Parameter number: such as `SIGPIPE`.
    public static func add(_ number: Int32) { _ = signal(number, SIG_IGN) }
}

/// Threads of the system's own, for work that blocks as long as it lives.
public enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread, which ends when `body` returns.
    ///
    /// - Returns: false when the system has no thread left.
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        // Safe: the thread gets the reference that was retained for it; where there is none, it is released here.
        let started = unsafe pthread_create(
            &thread, nil,
            { raw in
                if let raw = unsafe raw { unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard started == 0 else {
            unsafe work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// The machine, or the container, that this process runs on.
public enum Host {
    /// What it calls itself; empty where it does not.
    public static var name: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard unsafe gethostname(&name, name.count) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// What this program was built from.
public enum Build {
    /// A commit, as the build was told (`BUILD_REVISION`); `unknown` where it was not.
    public static var revision: String { unsafe String(cString: clinux_revision()) }
}
