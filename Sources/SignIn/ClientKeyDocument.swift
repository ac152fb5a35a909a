internal import JSON
internal import Providers

/// The keys that providers verify our assertions with (RFC 7523): those of ours, and those that a provider was given
/// for itself.
public struct ClientKeyDocument: Sendable {
    let keys: SessionKeys
    let providers: ProviderRegistry

    /// The JWK set (RFC 7517 §5) as it is now; without any key where no provider is told by assertions who we are.
    public var bytes: [UInt8] {
        var document: [JSONValue] = keys.clientJWKs
        // Several providers may have been given one and the same.
        for key in providers.all.flatMap({ [$0.authentication.publishedKey, $0.requestSigner?.publishedKey] })
            .compactMap(\.self) where !document.contains(key)
        {
            document.append(key)
        }
        let set: JSONValue = ["keys": .array(document)]
        return set.serialized
    }
}
