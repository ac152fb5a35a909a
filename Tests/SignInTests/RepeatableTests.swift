import Accounts
import Foundation
import Providers
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A response that may be sent again` {
    private static let digest = RequestDigest(of: Array("the request".utf8))

    private func request(
        _ parameters: [String: String], at provider: Provider, isProven: Bool = false
    ) throws -> RequestDigest? {
        let response = try AuthorizedResponse({ parameters[$0.rawValue] }, for: provider)
        let repeatable = response.repeatable(as: Self.digest, at: provider, isProven: isProven)
        #expect(repeatable.evidence(now: 0).oneTimeUse?.request == repeatable.request)
        return repeatable.request
    }

    @Test func `has a verifier or a nonce beside its code, and one that has neither may not`() throws {
        let provider = Provider(
            .openID {
                $0.requiresPKCE = false
                $0.codeProtection = CodeProtection(pkce: .ignored, nonce: .optional)
            })
        let verifier = String(repeating: "v", count: 43)
        #expect(try request(["code": "a", "code_verifier": verifier], at: provider) == Self.digest)
        #expect(try request(["code": "a", "nonce": "n"], at: provider) == Self.digest)
        #expect(try request(["code": "a"], at: provider) == nil)
        // A bearer's session proves as much.
        #expect(try request(["code": "a"], at: provider, isProven: true) == Self.digest)
    }
}
