internal import HTML

/// The page at the root of a listener: what answers here, and where to read on.
public struct EntrancePage: Sendable {
    private let title: String
    private let sentence: String
    private let places: [(path: String, words: String)]

    /// - Parameters:
    ///   - sentence: what this is.
    ///   - places: what there is to look at, by its path.
    public init(title: String, sentence: String, places: [(path: String, words: String)]) {
        (self.title, self.sentence, self.places) = (title, sentence, places)
    }

    /// The one style sheet of this page and of the documentation, for whose hash a policy must have room.
    public static var style: StaticString { HTMLWriter.sheet }

    /// The page, in UTF-8.
    public var html: String {
        HTMLWriter.page(title) { page in
            page.element("h1", title)
            page.element("p", sentence)
            page.list { page in
                for place in places {
                    page.element("dt") { page in
                        page.element("a", attributes: ["href": place.path]) { $0.code(place.path) }
                    }
                    page.element("dd", place.words)
                }
            }
        }
    }
}
