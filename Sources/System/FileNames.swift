internal import Glibc

/// What is done to files by their names.
public enum FileNames {
    /// Whether there is something of that name, behind whatever links.
    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this user may write to it, also where it is somebody else's.
    public static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// Where a file really lies, behind all symbolic links; the same path when that can't be found out.
    public static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The folder that a file lies in, with a slash at its end.
    public static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    /// The names in a folder, in no order; none when it can't be read.
    public static func names(in folder: String) -> [String] {
        guard let entries = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(entries) }
        var names: [String] = []
        while let entry = unsafe readdir(entries) {
            // Safe: the name ends with a zero within the entry, which stays as it is until the next call.
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                        unsafe String(cString: $0)
                    }
                })
        }
        return names
    }

    /// Takes a name away; the file goes with its last name.
    public static func remove(_ path: String) throws(SystemError) {
        try systemCall("unlink") { unsafe unlink(path) }
    }

    /// Gives a file another name, in place of whatever had it.
    public static func rename(_ path: String, to other: String) throws(SystemError) {
        try systemCall("rename") { unsafe Glibc.rename(path, other) }
    }

    /// Gives a file one name more.
    ///
    /// - Throws: `SystemError`, with `EEXIST` when something has that name.
    public static func link(_ path: String, as other: String) throws(SystemError) {
        try systemCall("link") { unsafe Glibc.link(path, other) }
    }

    /// Makes the folders that a file lies in, for their owner alone, as far as they are missing. They are on disk then:
    /// what is stored in a folder that a power cut takes away is gone with it.
    public static func makeFolders(of path: String) throws(SystemError) {
        for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
            let folder = String(decoding: path.utf8.prefix(index), as: UTF8.self)
            if exists(folder) { continue }
            do throws(SystemError) {
                try systemCall("mkdir") { unsafe mkdir(folder, 0o700) }
            } catch {
                guard error.code == EEXIST else { throw error }
            }
            try syncFolder(of: folder)
        }
    }

    /// Has what a file holds on disk.
    public static func sync(_ path: String) throws(SystemError) { try File(path, O_RDONLY).sync() }

    /// Has the names in the folder of a file on disk.
    public static func syncFolder(of path: String) throws(SystemError) {
        try File(folder(of: path), O_RDONLY | O_DIRECTORY).sync()
    }

    /// How many bytes are free where a file lies.
    public static func freeBytes(at path: String) throws(SystemError) -> Int64 {
        var status = statvfs()
        try systemCall("statvfs") { unsafe statvfs(path, &status) }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }
}
