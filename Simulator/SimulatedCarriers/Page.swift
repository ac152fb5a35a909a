internal import Crypto
internal import HTTPServer
import Syntax

/// Small pages without anything from elsewhere, light or dark as the person has it, the same on a phone and a desk.
enum Page {
    private static let style = """
        :root{color-scheme:light dark;--ground:#f1eff5;--sheet:#fff;--ink:#1d1a24;--soft:#57525f;--line:#817a8c;\
        --accent:#5a2ca0;--on-accent:#fff;--mark:#efe6fb}\
        @media(prefers-color-scheme:dark){:root{--ground:#141217;--sheet:#1f1c24;--ink:#ebe8ef;--soft:#b3adbb;\
        --line:#8d8697;--accent:#cdb0ff;--on-accent:#260a52;--mark:#35274d}}\
        *{box-sizing:border-box}\
        body{margin:0;padding:2rem 1rem;font:1.0625rem/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:anywhere}\
        main{max-width:28rem;margin:0 auto;padding:1.5rem;border-radius:.75rem;background:var(--sheet);\
        border-top:.375rem solid var(--accent)}\
        h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}p{margin:0 0 1rem}\
        fieldset{border:1px solid var(--line);border-radius:.5rem;margin:0 0 1.25rem;padding:.25rem 1rem .5rem}\
        legend{padding:0 .375rem;font-weight:600}\
        label{display:flex;align-items:center;gap:.75rem;min-height:2.75rem}\
        input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--accent)}\
        .asked{padding:.75rem 1rem;border-radius:.5rem;background:var(--mark);font-weight:600}\
        .actions{display:flex;flex-wrap:wrap;gap:.75rem}\
        button,.button{flex:1 1 9rem;min-height:3rem;padding:.5rem 1.25rem;border:2px solid var(--accent);\
        border-radius:.5rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;\
        color:var(--on-accent);background:var(--accent)}\
        .quiet{color:var(--accent);background:transparent}\
        button:hover,.button:hover{text-decoration:underline}\
        :focus-visible{outline:3px solid var(--accent);outline-offset:3px}\
        .small{margin:1.25rem 0 0;font-size:.9375rem;color:var(--soft)}main>:last-child{margin-bottom:0}
        """
    private static let styleHash = Base64.encode(Digest.sha256.hash(Array(style.utf8)))

    /// - Parameters:
    ///   - title: as text.
    ///   - content: as HTML, in which every text from outside is escaped.
    static func response(_ status: HTTPStatus, title: String, content: String) -> HTTPResponse {
        var response = HTTPResponse.html(
            status,
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(escape(title))</title>
            <meta name="viewport" content="width=device-width"><style>\(style)</style></head>
            <body><main><h1>\(escape(title))</h1>
            \(content)
            </main></body></html>
            """)
        // A form's target is left open: browsers hold it against the redirect to the app as well.
        let policy = "default-src 'none'; style-src 'sha256-\(styleHash)'; base-uri 'none'; frame-ancestors 'none'"
        response.headers += [
            ("Content-Security-Policy", policy),
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ]
        return response
    }

    static func error(_ sentence: String) -> HTTPResponse {
        response(.badRequest, title: "This request can't be answered", content: "<p>\(escape(sentence))</p>")
    }

    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
