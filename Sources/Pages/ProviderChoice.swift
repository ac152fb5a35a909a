internal import HTML

/// A provider that a person may choose.
public struct ProviderChoice: Sendable {
    let name: String
    let logo: String?
    let address: String

    /// - Parameters:
    ///   - name: what people call it.
    ///   - logo: the path on our origin of the picture by which they know it; nil for none.
    ///   - address: where the sign-in goes on with it.
    public init(name: String, logo: String? = nil, address: String) {
        (self.name, self.logo, self.address) = (name, logo, address)
    }
}

extension [ProviderChoice] {
    /// Whether a page with these loads pictures from us.
    var havePictures: Bool { contains { $0.logo != nil } }
}

extension HTMLWriter {
    /// A link for each, as large as a button.
    mutating func choices(_ providers: [ProviderChoice], _ texts: any Texts) {
        element("ul") { list in
            for provider in providers {
                list.element("li") { item in
                    item.element("a", attributes: ["class": "choice", "href": provider.address]) { link in
                        link.words(of: provider, texts)
                    }
                }
            }
        }
    }

    /// A form for each, whose button goes on with it.
    mutating func forms(_ providers: [ProviderChoice], fields: [(name: String, value: String)], _ texts: any Texts) {
        for provider in providers {
            form(action: provider.address, fields: fields) { $0.words(of: provider, texts) }
        }
    }

    /// The name stands beside the picture, so to somebody who does not see that it says nothing new.
    private mutating func words(of provider: ProviderChoice, _ texts: any Texts) {
        if let logo = provider.logo { void("img", attributes: ["src": logo, "alt": ""]) }
        text(texts.continueWith(provider.name))
    }
}
