/// Bytes that are no profile, or one that a later version wrote.
public enum ProfileCodingError: Error, Equatable, Sendable {
    case malformed
    case unknownVersion(UInt8)
}

/// How a profile is written before it is sealed, the same in every repository: the version, then each member as a tag
/// that says whose it is, and name and value as UTF-8, each behind its length (LEB128).
extension Profile {
    private static let version: UInt8 = 1
    private static let carrierTag: UInt8 = 1
    /// Profiles from before users could edit theirs just have no member with it.
    private static let ownTag: UInt8 = 2

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(Self.version)
        Self.append(carrier, tag: Self.carrierTag, to: &bytes)
        Self.append(own, tag: Self.ownTag, to: &bytes)
        return bytes
    }

    /// Reads what ``encoded`` wrote.
    public init(encoded bytes: [UInt8]) throws(ProfileCodingError) {
        guard let version = bytes.first else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(version) }
        self.init()
        var offset = 1
        while offset < bytes.count {
            let tag = bytes[offset]
            offset += 1
            let name = try Self.text(bytes, &offset)
            let value = try Self.text(bytes, &offset)
            switch tag {
            case Self.carrierTag: carrier[name] = value
            case Self.ownTag: own[name] = value
            default: throw .malformed
            }
        }
    }

    private static func append(_ attributes: Attributes, tag: UInt8, to bytes: inout [UInt8]) {
        for member in attributes.members {
            bytes.append(tag)
            append(member.name, to: &bytes)
            append(member.value, to: &bytes)
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        var length = text.utf8.count
        while length > 0x7F {
            bytes.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(length))
        bytes.append(contentsOf: text.utf8)
    }

    private static func text(_ bytes: [UInt8], _ offset: inout Int) throws(ProfileCodingError) -> String {
        var length = 0
        var shift = 0
        while true {
            guard offset < bytes.count, shift <= 28 else { throw .malformed }
            let byte = bytes[offset]
            offset += 1
            length |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { break }
            shift += 7
        }
        guard length <= bytes.count - offset else { throw .malformed }
        defer { offset += length }
        return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
    }
}
