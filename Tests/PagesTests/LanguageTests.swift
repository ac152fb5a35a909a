import Pages
import Testing

@Suite struct `The texts of the pages` {
    /// What stands in every language alike: names and values, and the sentences for developers.
    private static let common: Set<String> = ["Example Ltd", "value", "3f2a91", "value: value"]

    private func texts(_ page: Page) throws -> [String] {
        try Markup(page.text).texts.filter { !Self.common.contains($0) && !$0.contains("_") && !$0.hasPrefix("nonce:") }
    }

    @Test func `differ from language to language, each of them`() throws {
        for first in PageLanguage.allCases {
            for second in PageLanguage.allCases where second != first {
                for (one, other) in zip(Samples().all(first), Samples().all(second)) {
                    let (mine, yours) = (try texts(one.page), try texts(other.page))
                    #expect(mine.count == yours.count && !mine.isEmpty)
                    for (text, translation) in zip(mine, yours) {
                        #expect(text != translation, "\(one.name) in \(first) and \(second)")
                    }
                }
            }
        }
    }

    @Test(arguments: PageLanguage.allCases) func `say of each problem something of its own`(_ language: PageLanguage)
        throws
    {
        let headings = try Samples.problems.map { problem in
            try Markup(Samples().pages(language).failure(problem).text).texts.first
        }
        #expect(Set(headings).count == Samples.problems.count)
    }

    @Test(arguments: [
        (PageLanguage.english, "Sign in to Example Notes", "Did you just start signing in to Example Notes?"),
        (.spanish, "Inicia sesión en Example Notes", "¿Acabas de empezar a iniciar sesión en Example Notes?"),
        (.norwegian, "Logg inn på Example Notes", "Har du nettopp begynt å logge inn på Example Notes?"),
        (.danish, "Log ind på Example Notes", "Er du lige begyndt at logge ind på Example Notes?"),
    ]) func `name the app in the headings`(_ language: PageLanguage, chooser: String, confirmation: String) throws {
        let pages = Samples().all(language)
        #expect(try Markup(pages[0].page.text).texts.contains(chooser))
        #expect(try Markup(pages[1].page.text).texts.contains(confirmation))
    }
}
