/// How a profile is written before it is sealed, the same in every repository: the version, then members, each a tag
/// that says what it is and then its texts (``TaggedTexts``).
///
/// Version 1, of before the sources of addresses and numbers were kept, has the first two kinds of members and no
/// others.
///
/// What providers said of attributes (``ProviderWord``) stands among the further claims, as those of a provider without
/// a name: an earlier version of the service reads and writes it like all claims, and hands it to nobody.
extension Profile {
    private static let version: UInt8 = 2
    /// What no provider is called.
    private static let nobody = ""
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
        for word in words { Self.append(.claim, Self.nobody, word.provider, word.text, to: &bytes) }
        return bytes
    }

    /// Reads what ``encoded`` wrote, now or in earlier versions.
    public init(encoded bytes: [UInt8]) throws(EncodedContentError) {
        guard let version = bytes.first else { throw .malformed }
        guard Self.readableVersions.contains(version) else { throw .unknownVersion(version) }
        self.init()
        var offset = 1
        while offset < bytes.count {
            guard let tag = Tag(rawValue: bytes[offset]) else { throw .malformed }
            offset += 1
            let first = try TaggedTexts.text(bytes, &offset)
            switch tag {
            case .carrier: carrier[first] = try TaggedTexts.text(bytes, &offset)
            case .own: own[first] = try TaggedTexts.text(bytes, &offset)
            case .object: carrier.setObject(first, json: try TaggedTexts.text(bytes, &offset))
            case .emailSource: sources.email = first
            case .phoneNumberSource: sources.phoneNumber = first
            case .other, .otherVerified:
                guard let contact = Contact(rawValue: try TaggedTexts.text(bytes, &offset)) else { throw .malformed }
                others.append(
                    GivenContact(
                        contact, try TaggedTexts.text(bytes, &offset),
                        by: .provider(first, isVerified: tag == .otherVerified)))
            case .claim:
                let name = try TaggedTexts.text(bytes, &offset)
                if first == Self.nobody {
                    words.append(ProviderWord(provider: name, text: try TaggedTexts.text(bytes, &offset)))
                    continue
                }
                if claims.last?.provider != first { claims.append(ProviderClaims(provider: first, claims: [:])) }
                claims[claims.count - 1].claims[name] = try TaggedTexts.text(bytes, &offset)
            }
        }
    }

    private static func append(_ tag: Tag, _ texts: String..., to bytes: inout [UInt8]) {
        TaggedTexts.append(tag.rawValue, texts, to: &bytes)
    }
}
