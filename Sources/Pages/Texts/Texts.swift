internal import Apps

/// All that pages say, in one language: what a language lacks does not compile.
///
/// Names of apps and providers come in as they are, and are escaped where the text is written.
protocol Texts: Sendable {
    // The choice of a provider.
    func signIn(to app: String) -> String
    var chooseProvider: String { get }
    func continueWith(_ provider: String) -> String

    // The question whether it is the app.
    func appOnThisDevice(_ app: String) -> String
    func onlyIfYouBegan(in app: String) -> String

    // The question whether one more way to sign in is wanted.
    func addWayToSignIn(_ provider: String) -> String
    func wayIsAdded(_ provider: String, to account: String?, in app: String) -> String
    func neverAddForOthers(_ app: String) -> String

    // What an app asks for.
    func app(_ app: String, at home: String?) -> String
    func asks(_ app: String) -> String
    func permission(_ permission: Permission) -> String
    func lasts(_ duration: AppDescription.Duration) -> String
    func allowQuestion(_ app: String) -> String
    var allow: String { get }
    var refuse: String { get }
    var canBeTakenBack: String { get }

    // The question in another browser than the one that started.
    func didYouStart(signingInTo app: String) -> String
    func startedElsewhere(with provider: String) -> String
    var neverForOthers: String { get }
    var yesSignMeIn: String { get }
    var otherwiseClose: String { get }

    // The form that is posted again.
    var oneMoment: String { get }
    var goesOnByItself: String { get }
    var goOn: String { get }

    // A browser at an app's address.
    func backTo(_ app: String?) -> String
    var browserStayed: String { get }
    func open(_ app: String?) -> String
    var nothingOpens: String { get }

    // The end of a session.
    func signOutQuestion(of app: String?) -> String
    var staySignedIn: String { get }
    var signOut: String { get }
    var signedOut: String { get }
    var closePage: String { get }

    // A request to be forgotten.
    var deletionDone: String { get }
    func signedOutOn(_ day: String) -> String
    var accountStays: String { get }

    // The account page.
    var yourAccount: String { get }
    var accountIntroduction: String { get }
    var notSignedIn: String { get }
    var proveAgain: String { get }
    var whyProveAgain: String { get }
    var identityTooNew: String { get }
    var whereSignedIn: String { get }
    var nowhereElse: String { get }
    func agreed(on day: String) -> String
    func signedIn(since time: String, lastUsed: String, with provider: String) -> String
    var signOutThere: String { get }
    func signOutOfAll(_ app: String) -> String
    func takeBack(from app: String) -> String
    var signOutEverywhere: String { get }
    var leavePage: String { get }

    // What went wrong.
    func explanation(of problem: Problem) -> Explanation
    var forDevelopers: String { get }
    var reference: String { get }
}

/// A problem in words for people.
struct Explanation {
    let title: String
    let happened: String
    let advice: String
}

extension PageLanguage {
    var texts: any Texts {
        switch self {
        case .english: EnglishTexts()
        case .spanish: SpanishTexts()
        case .norwegian: NorwegianTexts()
        case .danish: DanishTexts()
        }
    }
}
