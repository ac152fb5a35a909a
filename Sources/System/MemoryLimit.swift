import Glibc

/// How much memory this process may have, in bytes.
public enum MemoryLimit {
    /// By its control group, of either version; nil where there is no limit, or nobody knows.
    public static var ofGroup: Int? {
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].compactMap { path in
            guard let file = try? File(path, O_RDONLY), let content = try? file.readAll(limit: 64) else { return nil }
            return Int(String(decoding: content, as: UTF8.self).prefix { $0 != "\n" })
        }.first { $0 < none }
    }

    /// What version 1 has where there is no limit, and more than any machine has.
    private static let none = 1 << 60

    /// Of the addresses that it may take (`RLIMIT_AS`); nil where there is no limit.
    public static var ofAddresses: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max
        else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
