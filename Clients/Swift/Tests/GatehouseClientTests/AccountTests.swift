import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.serialized) struct `A signed-in user` {
    @Test func `sees their sessions, and ends one, all others, and all`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            var tokens: [String] = []
            for _ in 0..<4 { tokens.append(try await stage.signedIn(MemoryStore()).accessToken()) }
            let sessions = try await session.sessions()
            #expect(sessions.count == 5 && sessions.filter(\.isCurrent).count == 1)
            let first = try #require(sessions.first)
            #expect(first.isCurrent && first.provider == "auth0" && first.createdAt < first.expiresAt)
            let last = try #require(sessions.last)
            try await session.end(last)
            try await session.end(last)
            #expect(try await stage.status(of: tokens[3]) == 401)
            #expect(try await session.endOtherSessions() == 3)
            #expect(try await session.endOtherSessions() == 0)
            for token in tokens { #expect(try await stage.status(of: token) == 401) }
            #expect(try await session.user().email == "ada@example.com")
            // The line in time that this draws: from here on somebody has to sign in anew.
            #expect(try await session.signOutEverywhere() == 1)
            #expect(stage.store.load() == nil)
            await #expect(throws: GatehouseError.notSignedIn) { try await session.sessions() }
        }
    }

    @Test func `signs out by ending this very session`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let token = try await session.accessToken()
            try await session.end(try #require(try await session.sessions().first))
            #expect(await !session.isSignedIn && stage.store.load() == nil)
            #expect(try await stage.status(of: token) == 401)
        }
    }

    @Test func `stays signed in where a session is ended that was this one before`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let before = try #require(try await session.sessions().first)
            try await session.signIn(with: stage.service.evidence(), at: "auth0")
            try await session.end(before)
            #expect(before.isCurrent && stage.store.load() != nil)
            #expect(try await session.user().email == "ada@example.com")
        }
    }

    @Test func `is told that they have to authenticate anew, and stays signed in`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            try await session.signIn(with: stage.service.evidence(isFresh: false), at: "auth0")
            _ = try await stage.signedIn(MemoryStore())
            await #expect(
                throws: GatehouseError.insufficientUserAuthentication(maximumAge: 300, acrValues: nil)
            ) { try await session.endOtherSessions() }
            #expect(stage.proxy.count("/auth/token") == 0, "another token would not help")
            #expect(try await session.sessions().count == 2)
        }
    }

    @Test func `makes their two accounts one, and the other session is gone`() async throws {
        try await Stage.with { stage in
            let (session, otherStore) = (try await stage.signedIn(), MemoryStore())
            let other = try stage.session(otherStore)
            let absorbed = try await other.signIn(with: stage.service.evidence("grace"), at: "auth0").user.id
            let token = try await other.accessToken()
            let merged = try await session.merge(absorbing: other)
            #expect(merged.user == (try await session.user().id) && merged.absorbed == absorbed)
            #expect(try await stage.status(of: token) == 401)
            #expect(await !other.isSignedIn && otherStore.load() == nil)
            // A token of its own user's makes nothing one.
            let again = try await stage.signedIn(MemoryStore())
            await #expect(throws: GatehouseError.self) { try await session.merge(absorbing: again) }
            #expect(await again.isSignedIn)
        }
    }

    @Test func `gets a receipt for what they have approved`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let text = "Pay 12.00 to Bob"
            let evidence = try await stage.service.approval(of: text, by: "grace")
            let user = try await session.signIn(with: evidence, at: "zenkey").user
            let approval = try await stage.service.approval(of: text, by: "grace")
            let receipt = try await session.approve(text, with: approval, at: "zenkey")
            #expect(receipt.jwt.split(separator: ".").count == 3 && !"\(receipt)".contains(receipt.jwt))
            #expect(try await session.user().id == user.id)
            let other = try await stage.service.approval(of: text, by: "grace")
            await #expect(throws: GatehouseError.self, "of another text") {
                try await session.approve("Pay 1200.00 to Bob", with: other, at: "zenkey")
            }
        }
    }

    @Test func `chooses a carrier where none serves the network`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            var evidence = try await stage.service.approval(of: "", by: "grace")
            evidence["mccmnc"] = "999999"
            do {
                try await session.signIn(with: evidence, at: "zenkey")
                Issue.record("no carrier has this network")
            } catch GatehouseError.providerNotFound(let discoveryUI) {
                let address = try #require(discoveryUI).address(
                    clientID: "ccid-1", redirectURI: "ccid-1://com.xci.provider.sdk", state: "a+b&c")
                #expect(
                    address.absoluteString.hasSuffix(
                        "client_id=ccid-1&redirect_uri=ccid-1%3A%2F%2Fcom.xci.provider.sdk&state=a%2Bb%26c&prompt=true")
                )
                let (_, response) = try await URLSessionTransport().send(URLRequest(url: address))
                #expect([200, 302, 400].contains(response.statusCode), "there is such a page")
            }
        }
    }
}
