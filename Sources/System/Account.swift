public import Glibc

/// The account that this process runs under.
public enum Account {
    /// Its number.
    public static var current: uid_t { getuid() }

    /// Its name; its number where the system knows none. Letters, digits and what names of accounts have besides; no
    /// more than 64 bytes.
    public static let name: String = {
        let number = getuid()
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = buffer.count
        guard unsafe getpwuid_r(number, &entry, &buffer, length, &found) == 0, let found = unsafe found,
            let text = unsafe found.pointee.pw_name
        else { return String(number) }
        let name = unsafe String(cString: text)
        let isPlain = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isPlain && !name.isEmpty ? name : String(number)
    }()
}
