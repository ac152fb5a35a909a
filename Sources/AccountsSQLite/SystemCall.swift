import Accounts
import Glibc

/// A system call that failed, by the `errno` it left.
struct SystemFailure: Error {
    let code: Int32

    var unavailability: Unavailability {
        switch code {
        // The last is a limit of the file's size.
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS: .readOnly
        case EIO: .inputOutput
        default: .cannotOpen
        }
    }
}

/// Makes a system call, again while a signal interrupts it, and reads `errno` exactly once.
@discardableResult
func systemCall(_ body: () -> Int32) throws(SystemFailure) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemFailure(code: code) }
    }
}
