/// The picture by which people know a provider, as it is served: checked when the configuration was read, byte for byte
/// what the operator's file holds.
public struct ProviderLogo: Sendable, Equatable {
    /// What it is sent as (RFC 2083, SVG 2 appendix M).
    public enum MediaType: String, Sendable {
        case png = "image/png"
        case svg = "image/svg+xml"
    }

    public let mediaType: MediaType
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - mediaType: what the bytes were found to be.
    ///   - bytes: of a file that was checked.
    public init(mediaType: MediaType, bytes: [UInt8]) {
        (self.mediaType, self.bytes) = (mediaType, bytes)
    }
}
