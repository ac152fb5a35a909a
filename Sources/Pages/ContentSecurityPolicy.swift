internal import Crypto
internal import Syntax

/// What a page may do (CSP Level 3): nothing but what it is made of.
struct ContentSecurityPolicy {
    /// Where the forms of a page lead.
    enum Forms {
        /// There is none.
        case none
        /// To us, who answer with a page.
        case toUs
        /// To us, who answer with a redirect to the address.
        case throughUs(to: String)
        /// To us, who answer with a redirect to anywhere.
        case anywhere
    }

    let hasLogo: Bool
    var hasPictures = false
    var hasScript = false
    var forms = Forms.none

    /// The value of the header.
    var header: String {
        var directives = ["default-src 'none'", "style-src '\(Self.styleHash)'"]
        let pictures = (hasLogo ? ["data:"] : []) + (hasPictures ? ["'self'"] : [])
        if !pictures.isEmpty { directives.append("img-src \(pictures.joined(separator: " "))") }
        if hasScript { directives.append("script-src 'self'") }
        directives += ["base-uri 'none'", "frame-ancestors 'none'"]
        if let targets { directives.append("form-action \(targets)") }
        return directives.joined(separator: "; ")
    }

    /// The sources of form-action; nil where the directive must be left out.
    private var targets: String? {
        switch forms {
        case .none: "'none'"
        case .toUs: "'self'"
        case .throughUs(let address): RedirectSources(address).map { "'self' \($0.text)" }
        case .anywhere: nil
        }
    }

    private static let styleHash = "sha256-\(Base64.encode(Digest.sha256.hash("\(Style.sheet)".utf8.span)))"
}
