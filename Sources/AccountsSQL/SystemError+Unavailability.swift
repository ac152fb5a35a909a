package import Accounts
import Glibc
package import System

extension SystemError {
    /// What of it concerns the store.
    package var unavailability: Unavailability {
        switch code {
        // The last is a limit of the file's size.
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS: .readOnly
        case EIO: .inputOutput
        default: .cannotOpen
        }
    }
}
