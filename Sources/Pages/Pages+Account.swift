internal import HTML

/// The page on which people manage where they are signed in, and the way to it. No script, and each act a form of its
/// own.
extension Pages {
    /// The way in.
    ///
    /// - Parameters:
    ///   - providers: in the order in which they are offered.
    ///   - wasRefused: whether they have just come back without being signed in.
    public func accountSignIn(providers: [ProviderChoice], wasRefused: Bool) -> Page {
        frame.page(texts.yourAccount, hasPictures: providers.havePictures) { page in
            if wasRefused { page.element("p", attributes: ["class": "warning"], texts.notSignedIn) }
            page.element("p", texts.accountIntroduction)
            page.choices(providers, texts)
        }
    }

    /// The way in once more, where what was asked for takes a person who has just shown who they are.
    public func accountProof(providers: [ProviderChoice]) -> Page {
        frame.page(texts.proveAgain, hasPictures: providers.havePictures) { page in
            page.element("p", texts.whyProveAgain)
            page.choices(providers, texts)
        }
    }

    /// That somebody has signed in by what was added to the account a short time ago.
    ///
    /// - Parameter back: the address of the page.
    public func accountIdentityTooNew(back: String) -> Page {
        frame.page(texts.yourAccount) { page in
            page.element("p", texts.identityTooNew)
            page.element("p") { $0.choice(texts.goOn, address: back) }
        }
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - action: where its forms are posted to.
    ///   - token: posted with each of them.
    public func account(_ overview: AccountOverview, action: String, token: String) -> Page {
        let forms = AccountForms(action: action, token: token)
        return frame.page(texts.yourAccount, forms: .toUs) { page in
            page.element("p", overview.apps.isEmpty ? texts.nowhereElse : texts.whereSignedIn)
            for app in overview.apps { page.app(app, forms, texts) }
            forms.write("everything", [], texts.signOutEverywhere, &page)
            forms.write("session", [("session", overview.here)], texts.leavePage, isQuiet: true, &page)
        }
    }
}

/// What all forms of the page have.
private struct AccountForms {
    let action: String
    let token: String

    func write(
        _ what: String, _ fields: [(name: String, value: String)], _ button: String, isQuiet: Bool = false,
        _ page: inout HTMLWriter
    ) {
        page.form(
            action: action, fields: [("token", token), ("end", what)] + fields, button: button, isQuiet: isQuiet)
    }
}

extension HTMLWriter {
    fileprivate mutating func app(_ app: AccountOverview.App, _ forms: AccountForms, _ texts: any Texts) {
        element("h2", app.name)
        if let consent = app.consent {
            element("p", texts.agreed(on: consent.day))
            permissions(consent.permissions, texts)
        }
        for place in app.places { self.place(place, isDescribed: app.consent == nil, forms, texts) }
        guard let client = app.client else { return }
        if app.places.count > 1 {
            forms.write("app", [("app", client)], texts.signOutOfAll(app.name), isQuiet: true, &self)
        }
        if app.consent != nil {
            forms.write("consent", [("app", client)], texts.takeBack(from: app.name), isQuiet: true, &self)
        }
    }

    /// - Parameter isDescribed: whether what it may do is told with it, since nothing above has told that.
    private mutating func place(
        _ place: AccountOverview.Place, isDescribed: Bool, _ forms: AccountForms, _ texts: any Texts
    ) {
        element("p") { line in
            line.text(texts.signedIn(since: place.since, lastUsed: place.lastUsed, with: place.provider))
            if let device = place.device {
                line.void("br")
                line.element("bdi", attributes: ["class": "small"], device)
            }
        }
        if isDescribed, !place.permissions.isEmpty { permissions(place.permissions, texts) }
        forms.write("session", [("session", place.session)], texts.signOutThere, isQuiet: true, &self)
    }
}
