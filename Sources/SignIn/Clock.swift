/// The time of day, given to the use cases from outside so that tests choose it.
public struct Clock: Sendable {
    private let read: @Sendable () -> Int64

    /// - Parameter read: gives the seconds since 1970.
    public init(_ read: @escaping @Sendable () -> Int64) {
        self.read = read
    }

    /// Seconds since 1970.
    public var seconds: Int64 { read() }
}
