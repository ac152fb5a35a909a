package import Accounts
internal import Apps
internal import JSON
package import Providers

/// What a carrier has sent for a server-initiated sign-in, and the app that it is for.
package struct PushGrant: Sendable {
    /// How long at least the app may fetch what has come of it, in seconds: as long as a link ticket is good for.
    package static let minimumWaitSeconds = LinkTicket.lifetimeSeconds

    let tokens: TokenResponse
    package let content: PushContent
    /// Of what the carrier has shown.
    let notification: TokenHash
    /// Of what it has said.
    let notified: TokenHash
    /// Until when the session waits for the app, in seconds since 1970.
    let waitsUntil: Int64

    package init(
        tokens: TokenResponse, content: PushContent, notification: TokenHash, notified: TokenHash, waitsUntil: Int64
    ) {
        (self.tokens, self.content, self.waitsUntil) = (tokens, content, waitsUntil)
        (self.notification, self.notified) = (notification, notified)
    }

    /// What the app said it is.
    var userAgent: String? { content.userAgent }

    /// - Throws: `ServiceError.invalidIDToken(.subject)` where the user of a session was meant, and somebody else has
    ///   approved.
    func check(_ subject: Subject) throws(ServiceError) {
        guard content.subject == nil || content.subject == subject else { throw .invalidIDToken(.subject) }
    }

    func delivery(of ticket: LinkTicket?) -> PushDelivery {
        PushDelivery(
            notification: notification, notified: notified,
            ticket: ticket.flatMap { try? content.sealShared($0.encoded) }, waitsUntil: waitsUntil)
    }
}

extension LinkTicket {
    /// As it waits for an app, sealed.
    var encoded: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { body in
            body.member("ticket", text)
            body.member("scope", permissions.scope)
            body.name("attributes")
            body.object { said in for attribute in attributes.members { said.member(attribute.name, attribute.value) } }
            for (name, claims) in [(Self.objects, attributes.objects), (Self.furtherClaims, claims)] {
                body.name(name)
                body.object { said in for claim in claims.members { said.member(claim.name, claim.json) } }
            }
        }
        return writer.bytes
    }

    package init?(encoded: [UInt8]) {
        guard let document = try? JSONValue(parsing: encoded.span), let text = document["ticket"]?.string,
            let said = document["attributes"]?.object
        else { return nil }
        var attributes = Attributes()
        for member in said.members { attributes[member.name] = member.value.string }
        // Tickets of earlier versions have none of what follows.
        for member in document[Self.objects]?.object?.members ?? [] {
            attributes.setObject(member.name, json: member.value.string)
        }
        var claims = TypedClaims()
        for member in document[Self.furtherClaims]?.object?.members ?? [] { claims[member.name] = member.value.string }
        let permissions = document["scope"]?.string.map { Permissions(scope: $0) }
        self.init(text: text, attributes: attributes, claims: claims, permissions: permissions ?? .everything)
    }

    private static let objects = "objects"
    private static let furtherClaims = "claims"
}

extension AuthorizedResponse {
    /// The answer to a request of our own making. What the carrier has shown counts once.
    package init(_ content: PushContent, _ secret: PushSecret) {
        self.init(
            proof: .pushed(secret.text), clientID: nil, name: nil, redirectURI: nil, issuer: content.issuer,
            network: content.network, codeVerifier: nil,
            nonce: content.nonce, acrValues: content.acrValues, correlationID: content.correlationID,
            context: content.context, sdkVersion: nil, expectedIssuer: content.issuer, sentAt: nil,
            begunAt: content.begunAt, maximumAgeSeconds: nil,
            loginAskedAt: nil)
    }
}
