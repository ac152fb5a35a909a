internal import HTML

/// The pages that a person sees of ours while signing in with a browser and signing out: values in, bytes out.
///
/// Whatever comes in, names and values of a request among it, is written as text. Addresses become links and targets of
/// forms as they are, so up to their query they come from the configuration or from us; the policy lets none of them
/// run as a script.
public struct Pages: Sendable {
    let frame: PageFrame
    let texts: any Texts

    /// - Parameters:
    ///   - branding: whose pages they are.
    ///   - language: what they are written in.
    public init(branding: Branding, language: PageLanguage) {
        frame = PageFrame(branding: branding, language: language)
        texts = language.texts
    }

    /// The choice of a provider.
    ///
    /// - Parameters:
    ///   - app: the name of the app that the person signs in to.
    ///   - providers: in the order in which they are offered.
    public func chooser(app: String, providers: [ProviderChoice]) -> Page {
        frame.page(texts.signIn(to: app), hasPictures: providers.havePictures) { page in
            page.element("p", texts.chooseProvider)
            page.choices(providers, texts)
        }
    }

    /// The question whether an app that others can imitate is the one that the person has just used.
    ///
    /// - Parameters:
    ///   - app: the app that is signed in to, with what it would get.
    ///   - providers: in the order in which they are offered; to their addresses "yes, with this one" is posted.
    ///   - fields: posted with it.
    public func appConfirmation(
        app: AppDescription, providers: [ProviderChoice], fields: [(name: String, value: String)]
    ) -> Page {
        // The answer leads to a provider, and on to wherever that sends its users.
        frame.page(texts.signIn(to: app.name), forms: .anywhere, hasPictures: providers.havePictures) { page in
            page.element("p", texts.appOnThisDevice(app.name))
            page.element("p", attributes: ["class": "warning"]) {
                $0.element("strong", texts.onlyIfYouBegan(in: app.name))
            }
            page.description(of: app, texts)
            page.forms(providers, fields: fields, texts)
            page.element("p", texts.otherwiseClose)
        }
    }

    /// The question whether a person wants one more way to sign in.
    ///
    /// - Parameters:
    ///   - app: the name of the app that they have asked in.
    ///   - account: what the account's user is called; nil where nobody has said.
    ///   - provider: what is added, and where "yes" is posted to.
    ///   - fields: posted with it.
    public func link(
        app: String, account: String?, provider: ProviderChoice, fields: [(name: String, value: String)]
    ) -> Page {
        // The answer leads to a provider, and on to wherever that sends its users.
        frame.page(
            texts.addWayToSignIn(provider.name), forms: .anywhere, hasPictures: [provider].havePictures
        ) { page in
            page.element("p", texts.wayIsAdded(provider.name, to: account, in: app))
            page.element("p", attributes: ["class": "warning"]) { $0.element("strong", texts.neverAddForOthers(app)) }
            page.forms([provider], fields: fields, texts)
            page.element("p", texts.otherwiseClose)
        }
    }

    /// The question whether an app may have what it asks for (OpenID Connect Core §3.1.2.4).
    ///
    /// - Parameters:
    ///   - app: who asks, and for what.
    ///   - action: where both answers are posted to.
    ///   - fields: posted with "yes".
    ///   - refusal: posted besides with "no".
    ///   - canBeTakenBack: whether there is a page on which it can be taken back.
    ///   - returnsTo: the app's redirect URI, which both are answered with.
    public func consent(
        app: AppDescription, action: String, fields: [(name: String, value: String)],
        refusal: (name: String, value: String), canBeTakenBack: Bool, returnsTo: String
    ) -> Page {
        frame.page(texts.allowQuestion(app.name), forms: Self.forms(returnsTo)) { page in
            page.description(of: app, texts)
            if canBeTakenBack { page.element("p", attributes: ["class": "small"], texts.canBeTakenBack) }
            page.form(action: action, fields: fields, button: texts.allow)
            page.form(action: action, fields: fields + [refusal], button: texts.refuse, isQuiet: true)
        }
    }

    /// The question whether a sign-in that comes back in another browser than the one that started it is the person's
    /// own.
    ///
    /// - Parameters:
    ///   - app: the name of the app that is signed in to.
    ///   - provider: the name of the provider that the browser comes back from.
    ///   - action: where "yes" is posted to.
    ///   - token: posted with it as `token`.
    ///   - returnsTo: the app's redirect URI, which a "yes" is answered with; nil when it is answered with a page.
    public func confirmation(
        app: String, provider: String, action: String, token: String, returnsTo: String?
    ) -> Page {
        frame.page(texts.didYouStart(signingInTo: app), forms: Self.forms(returnsTo)) { page in
            page.element("p", texts.startedElsewhere(with: provider))
            page.element("p", attributes: ["class": "warning"]) { $0.element("strong", texts.neverForOthers) }
            page.form(action: action, fields: [("token", token)], button: texts.yesSignMeIn)
            page.element("p", texts.otherwiseClose)
        }
    }

    /// What went wrong, and what to do.
    ///
    /// - Parameters:
    ///   - problem: what went wrong.
    ///   - goOn: the app that the person can go back to, if it has a name, and how; nil when there is none to tell.
    ///   - reference: what the operator finds the request by in the log.
    public func failure(
        _ problem: Problem, goOn: (app: String?, address: String)? = nil, reference: String? = nil
    ) -> Page {
        let explanation = texts.explanation(of: problem)
        return frame.page(explanation.title) { page in
            page.element("p", explanation.happened)
            page.element("p", explanation.advice)
            if let goOn {
                page.element("p") { $0.choice(texts.backTo(goOn.app), address: goOn.address) }
            }
            if let sentence = problem.sentenceForDevelopers {
                page.note(texts.forDevelopers, sentence, language: .english)
            }
            if let reference { page.note(texts.reference, reference, language: nil) }
        }
    }

    /// A form that posts to our own address what was just posted to it from another site: a cookie that is
    /// `SameSite=Lax` comes with this post, and did not come with that one.
    ///
    /// - Parameters:
    ///   - action: where the fields are posted to.
    ///   - fields: posted as they are, in their order.
    ///   - script: the address on our origin of ``resubmissionScript``. Without scripts there is a button.
    public func resubmission(
        action: String, fields: [(name: String, value: String)], script: String
    ) -> Page {
        frame.page(texts.oneMoment, forms: .anywhere, hasScript: true) { page in
            page.element("p", texts.goesOnByItself)
            page.form(action: action, fields: fields, button: texts.goOn)
            page.element("script", attributes: ["src": script], "")
        }
    }

    /// What stands at the address of the script of ``resubmission(action:fields:script:)``, as text/javascript.
    ///
    /// The prototype's `submit`, since a field of that name would hide the form's own (HTML §4.10.3).
    public static let resubmissionScript = Array(
        "HTMLFormElement.prototype.submit.call(document.querySelector(\"form\"));\n".utf8)

    /// The page at an address of an app, for a browser that has come there instead of opening the app.
    ///
    /// - Parameters:
    ///   - app: the app's name; nil where it may be one of several.
    ///   - address: what opens it, with all that came along.
    public func landing(app: String?, address: String) -> Page {
        frame.page(texts.backTo(app)) { page in
            page.element("p", texts.browserStayed)
            page.element("p") { $0.choice(texts.open(app), address: address) }
            page.element("p", texts.nothingOpens)
        }
    }

    /// The question whether to sign out.
    ///
    /// - Parameters:
    ///   - app: the name of the app that asks for it, where one does.
    ///   - action: where "yes" is posted to.
    ///   - fields: posted with it.
    ///   - returnsTo: the app's address that a "yes" is answered with; nil when it is answered with a page.
    public func signOutQuestion(
        app: String?, action: String, fields: [(name: String, value: String)], returnsTo: String?
    ) -> Page {
        frame.page(texts.signOutQuestion(of: app), forms: Self.forms(returnsTo)) { page in
            page.form(action: action, fields: fields, button: texts.signOut)
            page.element("p", texts.staySignedIn)
        }
    }

    /// The end.
    public func signedOut() -> Page {
        frame.page(texts.signedOut) { $0.element("p", texts.closePage) }
    }

    /// What became of a request to be forgotten, which a provider has passed on.
    ///
    /// - Parameter day: of the request, as RFC 3339 has it.
    public func deletion(day: String) -> Page {
        frame.page(texts.deletionDone) { page in
            page.element("p", texts.signedOutOn(day))
            page.element("p", texts.accountStays)
        }
    }

    private static func forms(_ returnsTo: String?) -> ContentSecurityPolicy.Forms {
        if let returnsTo { .throughUs(to: returnsTo) } else { .toUs }
    }
}
