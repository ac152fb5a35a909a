internal import HTML

/// What all pages have around their content.
struct PageFrame {
    let branding: Branding
    let language: PageLanguage

    /// - Parameters:
    ///   - heading: what the page is about, the title as well.
    ///   - forms: where its forms lead.
    ///   - hasScript: whether it loads a script of ours.
    ///   - hasPictures: whether it loads pictures from us.
    ///   - content: writes what follows the heading.
    func page(
        _ heading: String, forms: ContentSecurityPolicy.Forms = .none, hasScript: Bool = false,
        hasPictures: Bool = false, _ content: (inout HTMLWriter) -> Void
    ) -> Page {
        var page = HTMLWriter()
        page.markup("<!DOCTYPE html>\n")
        page.element("html", attributes: ["lang": language.rawValue]) { page in
            page.element("head") { head(heading, &$0) }
            page.element("body") { body in
                body.element("header", header)
                body.element("main") { main in
                    main.element("h1", heading)
                    content(&main)
                }
            }
        }
        page.markup("\n")
        let policy = ContentSecurityPolicy(
            hasLogo: branding.logo != nil, hasPictures: hasPictures, hasScript: hasScript, forms: forms)
        return Page(html: Array(page.html.utf8), contentSecurityPolicy: policy.header, language: language)
    }

    private func head(_ heading: String, _ head: inout HTMLWriter) {
        head.markup("<meta charset=\"utf-8\">")
        head.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        head.markup("<meta name=\"robots\" content=\"noindex\">")
        // An address of ours may have a code in it. Its forms come with `Origin: null` for it (Fetch, "append a request
        // Origin header").
        head.markup("<meta name=\"referrer\" content=\"no-referrer\">")
        head.element("title", "\(heading) · \(branding.name)")
        head.style(Style.sheet)
    }

    private func header(_ header: inout HTMLWriter) {
        // The name stands beside it, so to somebody who does not see it the logo says nothing new.
        if let logo = branding.logo { header.void("img", attributes: ["src": logo, "alt": ""]) }
        header.element("span", branding.name)
    }
}

extension HTMLWriter {
    /// A link as large as a button.
    mutating func choice(_ text: String, address: String) {
        element("a", attributes: ["class": "choice", "href": address], text)
    }

    /// A form that has nothing to fill in.
    ///
    /// - Parameter isQuiet: whether its button is the one that nobody should press by mistake for the other.
    mutating func form(
        action: String, fields: [(name: String, value: String)], button: String, isQuiet: Bool = false
    ) {
        form(action: action, fields: fields, isQuiet: isQuiet) { $0.text(button) }
    }

    /// The same, with what `button` writes on its button.
    mutating func form(
        action: String, fields: [(name: String, value: String)], isQuiet: Bool = false,
        button: (inout HTMLWriter) -> Void
    ) {
        element("form", attributes: ["method": "post", "action": action]) { form in
            for (name, value) in fields {
                form.void("input", attributes: ["type": "hidden", "name": name, "value": value])
            }
            form.element("button", attributes: isQuiet ? ["class": "quiet"] : [:]) { button(&$0) }
        }
    }

    /// A small line for those who can do something with it. What it says may be of a request, and keeps its direction
    /// of writing to itself.
    mutating func note(_ label: String, _ text: String, language: PageLanguage?) {
        element("p", attributes: ["class": "small"]) { line in
            line.text("\(label): ")
            if let language {
                line.element("bdi", attributes: ["lang": language.rawValue], text)
            } else {
                line.element("bdi", text)
            }
        }
    }
}
