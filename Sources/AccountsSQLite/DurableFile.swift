import Glibc

/// Writes all of it, or fails.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
    var done = 0
    while done < bytes.count {
        done += Int(
            try systemCall {
                unsafe bytes.withUnsafeBytes {
                    unsafe Int32(write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done))
                }
            })
    }
}

/// Has what a file holds on disk.
func syncFile(_ path: String) throws(SystemFailure) { try sync(path, flags: O_RDONLY) }

/// Has the names in the folder of a file on disk.
func syncFolder(of path: String) throws(SystemFailure) {
    try sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", flags: O_RDONLY | O_DIRECTORY)
}

private func sync(_ path: String, flags: Int32) throws(SystemFailure) {
    let descriptor = try systemCall { unsafe open(path, flags | O_CLOEXEC) }
    defer { close(descriptor) }
    try systemCall { fsync(descriptor) }
}
