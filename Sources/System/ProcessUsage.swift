import Glibc

/// What this process takes of the machine, as of one moment; nil is what the system does not tell.
public struct ProcessUsage: Sendable {
    /// Of user and system together.
    public let processorSeconds: Double?
    public let residentBytes: Int?
    public let virtualBytes: Int?
    public let openDescriptors: Int?

    public static var now: ProcessUsage {
        var usage = rusage()
        let isKnown = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
        let pages = Self.pages
        return ProcessUsage(
            processorSeconds: isKnown ? seconds(usage.ru_utime) + seconds(usage.ru_stime) : nil,
            residentBytes: pages?.resident, virtualBytes: pages?.virtual, openDescriptors: descriptors)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    /// In bytes (`/proc/self/statm`: the size and the resident part, in pages).
    private static var pages: (virtual: Int, resident: Int)? {
        guard let file = try? File("/proc/self/statm", O_RDONLY), let content = try? file.readAll(limit: 256) else {
            return nil
        }
        let words = String(decoding: content, as: UTF8.self).split(separator: " ").prefix(2).compactMap { Int($0) }
        guard words.count == 2 else { return nil }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        return (words[0] * page, words[1] * page)
    }

    /// The entries of `/proc/self/fd`, but for the one by which they are read.
    private static var descriptors: Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while let entry = unsafe readdir(folder) {
            if unsafe entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1
    }
}
