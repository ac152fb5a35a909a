internal import HTTPServer

/// Small pages without anything from elsewhere.
enum Page {
    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:3rem auto;padding:0 1rem;color:#1b1f24}
        h1{font-size:1.4rem}fieldset{border:1px solid #c9ced6;border-radius:.5rem;margin:0 0 1rem}
        button,.button{font:inherit;padding:.5rem 1.2rem;border-radius:.5rem;border:1px solid #2457c5;\
        background:#2457c5;color:#fff;text-decoration:none;display:inline-block;margin:0 .5rem .5rem 0}
        button.quiet{background:#fff;color:#2457c5}label{display:block}input[type=text]{font:inherit;width:100%}
        """

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
            <body><h1>\(escape(title))</h1>
            \(content)
            </body></html>
            """)
        // A form's target is left open: browsers hold it against the redirect to the app as well.
        response.headers += [
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
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
