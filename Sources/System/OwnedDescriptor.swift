import Glibc

/// A file descriptor with exactly one owner, which closes it when it goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number to call the system with. It must not outlive the owner.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Linux has freed the number even when close reports an error: closing again would hit another's descriptor.
        close(number)
    }
}
