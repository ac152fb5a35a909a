internal import Glibc

/// How many descriptors, and so connections, this process may have open.
public enum DescriptorLimit {
    /// Raises the limit as far as the process may raise it itself: systems start programs with about a thousand, for the
    /// sake of old ones that can't count further, and leave the rest to who needs more.
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
