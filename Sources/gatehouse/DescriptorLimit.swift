import Glibc

/// How many descriptors, and so connections, this process may have open.
enum DescriptorLimit {
    /// Raises the limit as far as the process may raise it itself: systems start programs with about a thousand, for the
    /// sake of old ones that can't count further, and leave the rest to who needs more.
    ///
    /// - Returns: the limit in effect; nil when the system does not say.
    static func raise() -> UInt64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        return UInt64(limit.rlim_cur)
    }
}
