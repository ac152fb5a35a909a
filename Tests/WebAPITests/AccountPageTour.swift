import Accounts
import HTTPTesting
import TestSupport
import Testing

@testable import Wings

/// Asks the account page for every answer it has.
enum AccountPageTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let back = try await visitor.comeBack()
        let answer = [("code", back["code"] ?? ""), ("state", back["state"] ?? "")]
        for fields in [
            answer, answer, [answer[0], ("state", "x")], [("code", "x"), answer[1]], [("provider", "nobody")],
        ] {
            _ = await visitor.visit(fields)
        }
        _ = try await visitor.comeBack()
        _ = await visitor.visit([("code", "x"), ("state", try own(visitor).state)])
        let page = try await visitor.open()
        for headers in [[("Sec-Fetch-Site", "cross-site")], []] {
            _ = try await visitor.press("session", ("session", others[0].description), on: page, headers: headers)
        }
        _ = await visitor.visit([("end", "nothing")], post: true)
        let opened = visitor.cookie
        _ = try await visitor.press("everything", on: page)
        visitor.cookie = opened
        await visitor.stage.repository.close()
        _ = await visitor.visit()
        _ = try await visitor.press("everything", on: page)
        var hurried = try await AccountVisitor(perMinute: 1)
        for isPost in [false, true] { for _ in 0..<2 { _ = await hurried.visit(post: isPost) } }
        return visitor.browser.api.seenAnswers.union(hurried.browser.api.seenAnswers)
    }

    private static func own(_ visitor: AccountVisitor) throws -> AccountKey {
        let text = try #require(visitor.cookie?.split(separator: "=").last)
        return try #require(AccountKey(String(text)))
    }
}
