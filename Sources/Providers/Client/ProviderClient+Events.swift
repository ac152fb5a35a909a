public import Crypto
internal import HTTPClient
internal import JOSE
internal import Syntax

/// A token about events that can be read, and where it must say of whom it is, says one whom we trust. Nothing of it is
/// proven.
public struct PresentedEventToken: Sendable {
    fileprivate let token: CompactJWS
    fileprivate let receiving: EventReceiving
    /// Of the provider's ID tokens, and for Apple's the one that the token names.
    fileprivate let issuers: [String]
}

extension Provider {
    /// Reads a token about events, and decides before anything is asked of anybody whether it can be this provider's:
    /// anybody can send one.
    ///
    /// - Throws: `EventTokenError`: `.malformed`, `.signature`, `.algorithm`, `.issuer`; `.event` where the provider
    ///   sends no such tokens.
    public func presented(eventToken text: String) throws(EventTokenError) -> PresentedEventToken {
        guard let receiving = configuration.events, let names = issuerNames else {
            throw .event
        }
        let token = try read(
            text, maximumByteCount: EventTokenVerifier.maximumTokenBytes, or: EventTokenError.self)
        switch receiving.sender {
        case .apple:
            guard let issuer = EventTokenVerifier.claimedIssuer(token), names.stored(issuer) != nil else {
                throw .issuer
            }
            return PresentedEventToken(token: token, receiving: receiving, issuers: [issuer])
        // The document tells who that is, and lies where the operator says.
        case .risc: return PresentedEventToken(token: token, receiving: receiving, issuers: names.all)
        case .facebook: throw .event
        }
    }

    /// Verifies a signed request of Facebook's, for which nobody needs to be asked.
    ///
    /// - Parameters:
    ///   - kind: what it means.
    ///   - now: seconds since 1970.
    /// - Throws: the first rule broken; `.event` where the provider sends no such requests.
    public func verified(
        signedRequest text: String, as kind: ProviderEvent.Kind, now: Int64
    ) throws(EventTokenError) -> ProviderEvents {
        guard let receiving = configuration.events, let secret = eventSecret else { throw .event }
        return try SignedRequest.verify(
            text, as: kind, secret: secret, now: now, maximumAgeSeconds: receiving.maximumAgeSeconds,
            clockSkewSeconds: configuration.clockSkewSeconds)
    }

    /// What the provider signs events with, where it is a secret that it shares with us.
    public var eventSecret: Secret? {
        guard configuration.events?.dialect == .facebook else { return nil }
        return authentication.sharedSecret
    }
}

extension ProviderClient {
    /// Verifies a token about events: its signature with the sender's keys, then its claims.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `ProviderError.event`; `.call` where documents or keys can't be had, so that nothing can be said of
    ///   it.
    public func verified(_ presented: PresentedEventToken, now: Int64) async throws(ProviderError) -> ProviderEvents {
        let (wording, issuer, keys): (EventTokenVerifier.Wording, String, EndpointURL)
        switch presented.receiving.sender {
        case .risc(let location):
            let transmitter = try await transmitter(at: location)
            (wording, issuer, keys) = (
                .risc(subjectIssuers: presented.issuers), transmitter.issuer, transmitter.keysEndpoint
            )
        case .apple, .facebook:
            let metadata = try await self.issuer(serving: nil)
            (wording, issuer, keys) = (.apple, presented.issuers.first ?? metadata.issuer, metadata.keysEndpoint)
        }
        let names = ExpectedNames(
            issuers: [issuer], audiences: [provider.configuration.clientID] + presented.receiving.audiences)
        let verifier = EventTokenVerifier(
            wording, issuer: issuer, audiences: names.audiences,
            maximumAgeSeconds: presented.receiving.maximumAgeSeconds,
            clockSkewSeconds: provider.configuration.clockSkewSeconds)
        return try await verified(
            presented.token, from: .stranger, keysAt: keys, expecting: { names }, now: now, or: ProviderError.event
        ) {
            signed throws(EventTokenError) in try verifier.verify(signed, now: now)
        }
    }

    private func transmitter(at location: EndpointURL) async throws(ProviderError) -> EventTransmitter {
        do throws(ProviderCallError) {
            let now = transport.now
            if let transmitter = provider.transmitter.fresh(now: now) { return transmitter }
            return try await provider.transmitter.value(now: now, leavesWhenCancelled: true) { [provider, transport] in
                do throws(ProviderCallError) {
                    let response = try await transport.send(
                        transport.get(location, accepting: "application/json"), for: .discovery)
                    let transmitter = try EventTransmitter(
                        response, at: location, allowLoopbackHTTP: provider.configuration.allowsLoopbackHTTP)
                    let freshness = provider.configuration.cacheBounds.freshness(
                        cacheControl: response.header("cache-control"))
                    return .success(Fetched(transmitter, freshness: freshness))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw noted(.discovery, error, host: location.host)
        }
    }
}
