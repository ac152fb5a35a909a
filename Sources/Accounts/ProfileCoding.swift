/// Bytes that are no profile, or one that a later version wrote.
public enum ProfileCodingError: Error, Equatable, Sendable {
    case malformed
    case unknownVersion(UInt8)
}

/// How a profile is written before it is sealed, the same in every repository: the version, then members, each a tag
/// that says what it is and then its texts as UTF-8, each behind its length (LEB128).
///
/// Version 1, of before the sources of addresses and numbers were kept, has the first two kinds of members and no others.
extension Profile {
    private static let version: UInt8 = 2
    private static let readableVersions: ClosedRange<UInt8> = 1...version

    private enum Tag: UInt8 {
        /// Name and value.
        case carrier = 1
        case own = 2
        /// Name and JSON.
        case object = 3
        /// Provider, name and JSON.
        case claim = 4
        /// The provider.
        case emailSource = 5
        case phoneNumberSource = 6
        /// Provider, attribute and value.
        case other = 7
        case otherVerified = 8
    }

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(Self.version)
        for member in carrier.members { Self.append(.carrier, member.name, member.value, to: &bytes) }
        for member in own.members { Self.append(.own, member.name, member.value, to: &bytes) }
        for member in carrier.objects.members { Self.append(.object, member.name, member.json, to: &bytes) }
        if let email = sources[.email] { Self.append(.emailSource, email, to: &bytes) }
        if let phoneNumber = sources[.phoneNumber] { Self.append(.phoneNumberSource, phoneNumber, to: &bytes) }
        for other in others {
            guard case .provider(let provider?, let isVerified) = other.giver else { continue }
            let tag = isVerified ? Tag.otherVerified : .other
            Self.append(tag, provider, other.contact.rawValue, other.value, to: &bytes)
        }
        for claims in claims {
            for claim in claims.claims.members {
                Self.append(.claim, claims.provider, claim.name, claim.json, to: &bytes)
            }
        }
        return bytes
    }

    /// Reads what ``encoded`` wrote, now or in earlier versions.
    public init(encoded bytes: [UInt8]) throws(ProfileCodingError) {
        guard let version = bytes.first else { throw .malformed }
        guard Self.readableVersions.contains(version) else { throw .unknownVersion(version) }
        self.init()
        var offset = 1
        while offset < bytes.count {
            guard let tag = Tag(rawValue: bytes[offset]) else { throw .malformed }
            offset += 1
            let first = try Self.text(bytes, &offset)
            switch tag {
            case .carrier: carrier[first] = try Self.text(bytes, &offset)
            case .own: own[first] = try Self.text(bytes, &offset)
            case .object: carrier.setObject(first, json: try Self.text(bytes, &offset))
            case .emailSource: sources.email = first
            case .phoneNumberSource: sources.phoneNumber = first
            case .other, .otherVerified:
                guard let contact = Contact(rawValue: try Self.text(bytes, &offset)) else { throw .malformed }
                others.append(
                    GivenContact(
                        contact, try Self.text(bytes, &offset),
                        by: .provider(first, isVerified: tag == .otherVerified)))
            case .claim:
                let name = try Self.text(bytes, &offset)
                if claims.last?.provider != first { claims.append(ProviderClaims(provider: first, claims: [:])) }
                claims[claims.count - 1].claims[name] = try Self.text(bytes, &offset)
            }
        }
    }

    private static func append(_ tag: Tag, _ texts: String..., to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        for text in texts {
            var length = text.utf8.count
            while length > 0x7F {
                bytes.append(UInt8(length & 0x7F) | 0x80)
                length >>= 7
            }
            bytes.append(UInt8(length))
            bytes.append(contentsOf: text.utf8)
        }
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
