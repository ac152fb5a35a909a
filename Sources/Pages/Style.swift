/// The one style of all pages: quiet, the system's fonts, light or dark as the person has it, the same on a phone and a
/// desk.
enum Style {
    /// The very bytes whose hash the policy names.
    static let sheet: StaticString = """
        :root{color-scheme:light dark;\
        --ground:#f3f4f6;--sheet:#ffffff;--ink:#1b1f24;--soft:#545c66;--line:#7f8792;\
        --accent:#1c5bb8;--on-accent:#ffffff;--warning:#fff3da;--on-warning:#4a2e00}\
        @media(prefers-color-scheme:dark){:root{\
        --ground:#121417;--sheet:#1d2024;--ink:#e8eaed;--soft:#aab1ba;--line:#7d858f;\
        --accent:#9cc1ff;--on-accent:#0a1d3a;--warning:#3a2d10;--on-warning:#ffe7b8}}\
        *{box-sizing:border-box}\
        body{margin:0;min-height:100vh;min-height:100svh;padding:1.5rem 1rem;display:flex;flex-direction:column;\
        align-items:center;justify-content:center;gap:1.25rem;\
        font:1.0625rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);overflow-wrap:anywhere}\
        header,main{width:100%;max-width:27rem}\
        header{display:flex;align-items:center;justify-content:center;gap:.75rem;font-weight:600}\
        header img{display:block;max-width:50%;height:2.5rem;object-fit:contain}\
        main{padding:1.75rem 1.5rem;border-radius:.75rem;background:var(--sheet);box-shadow:0 1px 4px rgb(0 0 0/.12)}\
        h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}\
        h2{margin:1.75rem 0 .5rem;font-size:1.2rem;line-height:1.25}\
        p{margin:0 0 1rem}\
        ul{margin:1.25rem 0 0;padding:0;list-style:none;display:grid;gap:.75rem}\
        form{margin:1.25rem 0 0}\
        form+p{margin-top:1.25rem}\
        .choice,button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3.25rem;\
        padding:.625rem 1rem;border:2px solid var(--line);border-radius:.5rem;\
        font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:var(--sheet)}\
        .choice img,button img{height:1.75rem;max-width:4rem;margin-right:.75rem;padding:.125rem;border-radius:.25rem;\
        object-fit:contain;background:#ffffff}\
        button{border-color:var(--accent);color:var(--on-accent);background:var(--accent);cursor:pointer}\
        .quiet{border-color:var(--line);color:var(--ink);background:var(--sheet)}\
        .what{margin:0 0 1rem;padding-left:1.25rem;list-style:disc;display:block}\
        .choice:hover{border-color:var(--accent)}\
        button:hover{text-decoration:underline}\
        :focus-visible{outline:3px solid var(--accent);outline-offset:3px}\
        .warning{padding:.75rem 1rem;border-left:4px solid;border-radius:.25rem;\
        color:var(--on-warning);background:var(--warning)}\
        .small{margin-bottom:.25rem;font-size:.875rem;color:var(--soft)}\
        main>:last-child{margin-bottom:0}
        """
}
