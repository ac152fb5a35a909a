internal import CLinux
import Glibc

/// How many processors the process may use: a container or a service manager often allows fewer than the machine has,
/// and what is started for the others only takes turns with the rest.
public enum Processors {
    /// Beyond so many, one loop more makes nothing faster.
    public static let maximum = 64

    /// The number now, from the affinity of the calling thread and the quota of its control group; at least 1.
    public static var usable: Int {
        usable(affinity: Int(clinux_processors()), read: readSystemFile)
    }

    /// - Parameters:
    ///   - affinity: how many processors the scheduler may choose from; 0 when that is not known.
    ///   - read: the text of a file of the system; nil when there is none.
    static func usable(affinity: Int, read: (_ path: String) -> String?) -> Int {
        var count = min(maximum, max(1, affinity))
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            // cgroups(7): hierarchy, controllers, path; the unified hierarchy of version 2 names no controllers.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty {
                for folder in folders("/sys/fs/cgroup", parts[2]) {
                    let words = (read("\(folder)/cpu.max") ?? "").split { $0 == " " || $0 == "\n" }
                    if words.count == 2 { count = min(count, whole(words[0], of: words[1])) }
                }
            } else if parts[1].split(separator: ",").contains("cpu") {
                for folder in folders("/sys/fs/cgroup/cpu", parts[2]) {
                    guard let quota = read("\(folder)/cpu.cfs_quota_us"),
                        let period = read("\(folder)/cpu.cfs_period_us")
                    else { continue }
                    count = min(count, whole(quota.prefix { $0 != "\n" }, of: period.prefix { $0 != "\n" }))
                }
            }
        }
        return count
    }

    /// A group's folder and those above it, whose quotas hold too. In a container the path may be that of the machine
    /// while the root is the container's own.
    private static func folders(_ root: String, _ path: Substring) -> [String] {
        var folders = [root]
        for part in path.split(separator: "/") { folders.append("\(folders[folders.count - 1])/\(part)") }
        return folders
    }

    /// A quota in processors, rounded up; more than any when there is none (`max` in version 2, -1 in version 1).
    private static func whole(_ quota: Substring, of period: Substring) -> Int {
        guard let quota = Int(quota), let period = Int(period), quota > 0, period > 0 else { return .max }
        return (quota - 1) / period + 1
    }

    private static func readSystemFile(_ path: String) -> String? {
        // One line, or one for each of the dozen hierarchies there are.
        guard let bytes = try? File(path, O_RDONLY).readAll(limit: 16_384) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
