internal import Apps

struct EnglishTexts: Texts {
    func signIn(to app: String) -> String { "Sign in to \(app)" }
    let chooseProvider = "Choose how you want to sign in."
    func continueWith(_ provider: String) -> String { "Continue with \(provider)" }

    func appOnThisDevice(_ app: String) -> String {
        "A program on this device says that it is \(app), and asks you to sign in."
    }
    func onlyIfYouBegan(in app: String) -> String {
        "Go on only if you have just pressed sign-in in \(app) yourself. Another program would get into your account."
    }

    func addWayToSignIn(_ provider: String) -> String { "Add \(provider) to your account" }
    func wayIsAdded(_ provider: String, to account: String?, in app: String) -> String {
        let whose = account.map { "the account of \($0)" } ?? "the account that you use"
        return "From then on, anyone who signs in with your account at \(provider) gets into \(whose) in \(app)."
    }
    func neverAddForOthers(_ app: String) -> String {
        "Go on only if this is your account, and you have just asked for that in \(app) yourself. Never if somebody sent you the link."
    }

    func app(_ app: String, at home: String?) -> String {
        if let home { "\(app) is an app at \(home)." } else { "\(app) is an app on this device." }
    }
    func asks(_ app: String) -> String { "If you go on, \(app) may:" }
    func permission(_ permission: Permission) -> String {
        switch permission {
        case .openid: "know you again the next time"
        case .profile: "see your name, your picture and what else your profile says of you, such as your birthday"
        case .email: "see your e-mail address"
        case .phone: "see your phone number"
        case .address: "see your postal address"
        case .postalCode: "see your postal code"
        case .lastFourSocial: "see the last four digits of your social security number"
        case .claims: "see what else your provider tells about you"
        case .offlineAccess: "stay signed in when you are not using it"
        case .accountRead: "see your account: how you sign in, and where you are signed in"
        case .accountWrite: "change what your profile says"
        case .accountSessions: "sign you out elsewhere"
        case .accountIdentities: "change how you sign in and how you are reached"
        case .accountErase: "delete your account"
        case .tokens: "act for you at the providers that you sign in with"
        case .transactions: "ask you to approve transactions, such as a payment"
        }
    }
    func lasts(_ duration: AppDescription.Duration) -> String {
        switch duration {
        case .minutes(let minutes): "That ends after \(minutes) minutes."
        case .days(let days): "That ends after \(days) days at the latest, or when you sign out."
        case .untilSignOut(let days): "That lasts until you sign out, or until you haven’t used it for \(days) days."
        }
    }
    func allowQuestion(_ app: String) -> String { "Do you want to allow that to \(app)?" }
    let allow = "Allow"
    let refuse = "Don’t allow"
    let canBeTakenBack = "You can take it back at any time, on the page where you manage your account here."

    func didYouStart(signingInTo app: String) -> String { "Did you just start signing in to \(app)?" }
    func startedElsewhere(with provider: String) -> String {
        "This sign-in with \(provider) was started in another browser or app, and is about to be finished here."
    }
    let neverForOthers =
        "Never go on if somebody sent you the link or asked you to do this. They would get into your account."
    let yesSignMeIn = "Yes, sign me in"
    let otherwiseClose = "If it wasn’t you, simply close this page. Nothing will happen."

    let oneMoment = "One moment, please"
    let goesOnByItself = "Your sign-in continues by itself. If it doesn’t, press the button."
    let goOn = "Continue"

    func backTo(_ app: String?) -> String { "Back to \(app ?? "the app")" }
    let browserStayed = "Your browser didn’t open the app by itself. Press the button to go on there."
    func open(_ app: String?) -> String { "Open \(app ?? "the app")" }
    let nothingOpens = "If nothing happens, open the app yourself and start over."

    func signOutQuestion(of app: String?) -> String {
        if let app { "Do you want to sign out of \(app)?" } else { "Do you want to sign out?" }
    }
    let staySignedIn = "If not, simply close this page. You will stay signed in."
    let signOut = "Sign out"
    let signedOut = "You are signed out"
    let closePage = "You can close this page now."

    let deletionDone = "Your request was carried out"
    func signedOutOn(_ day: String) -> String {
        "On \(day) you asked to be forgotten here. Everybody who used that account was signed out, on every device."
    }
    let accountStays =
        "If you have an account here, it is still there, since only you can delete it: open the app and delete it there."

    let yourAccount = "Your account"
    let accountIntroduction = "Sign in to see where you are signed in and what apps may do, and to end it."
    let notSignedIn = "You weren’t signed in."
    let proveAgain = "Sign in once more"
    let whyProveAgain =
        "What you asked for ends something elsewhere, so we need to know that it’s really you. Nothing has changed yet."
    let identityTooNew =
        "You added this way of signing in only a short time ago, so it can’t end anything elsewhere yet. Sign in another way, or try again tomorrow."
    let whereSignedIn = "These apps know you, and this is where you are signed in."
    let nowhereElse = "You are signed in nowhere but on this page."
    func agreed(on day: String) -> String {
        "On \(day) you allowed it to:"
    }
    func signedIn(since time: String, lastUsed: String, with provider: String) -> String {
        "Signed in with \(provider) on \(time), last used on \(lastUsed)."
    }
    let signOutThere = "Sign out there"
    func signOutOfAll(_ app: String) -> String {
        "Sign out of \(app) everywhere"
    }
    func takeBack(from app: String) -> String {
        "Take back what \(app) may do"
    }
    let signOutEverywhere = "Sign out everywhere"
    let leavePage = "Leave this page"

    // As long as there are problems: a part of it elsewhere would be one that the compiler does not hold to be whole.
    func explanation(of problem: Problem) -> Explanation {
        switch problem {
        case .unknownApp:
            Explanation(
                title: "We don’t know this app",
                happened: "The app or website that sent you here is not registered with us.",
                advice: "Go back and try again. If the same happens, tell the people who run the app.")
        case .redirectNotAllowed:
            Explanation(
                title: "We can’t send you back to the app",
                happened: "The app wanted you to return to an address that is not registered for it.",
                advice: "For your safety we stop here. Please tell the people who run the app.")
        case .wrongParameter:
            Explanation(
                title: "The app asked in the wrong way",
                happened: "There is a mistake in the request with which the app sent you here.",
                advice: "Only the people who run the app can put that right. Please tell them.")
        case .expired:
            Explanation(
                title: "This sign-in is no longer valid",
                happened: "It took too long, or it has already been finished.",
                advice: "If you aren’t signed in yet, start over in the app.")
        case .over(let app):
            Explanation(
                title: "This sign-in is over",
                happened: "It has already been finished, or it took too long.",
                advice: "Go back to \(app ?? "the app"). If you aren’t signed in there yet, start over.")
        case .anotherBrowser:
            Explanation(
                title: "This sign-in belongs to another browser",
                happened: "It was started in another browser or on another device, and can’t go on here.",
                advice: "Start over in the app, and stay in the same browser until you are signed in.")
        case .busy:
            Explanation(
                title: "Too many people are signing in",
                happened: "There are more sign-ins at the moment than we can handle.",
                advice: "Wait a minute, then try again.")
        case .providerUnreachable(let provider):
            Explanation(
                title: "\(provider) isn’t answering",
                happened: "We couldn’t finish your sign-in, because \(provider) can’t be reached right now.",
                advice: "Try again in a few minutes, or sign in another way if you can.")
        case .unknownConfirmation:
            Explanation(
                title: "We don’t know this code",
                happened: "There is no request to be forgotten that this code belongs to, or it was too long ago.",
                advice: "Check that you have copied the whole address. You can always delete your account in the app.")
        case .locked(let app):
            Explanation(
                title: "This account is locked",
                happened: "You can’t sign in to \(app), because the account is locked.",
                advice:
                    "If you think that is a mistake, write to the people who run the app, and quote the reference below."
            )
        case .unexpected:
            Explanation(
                title: "Something went wrong",
                happened: "We couldn’t finish your sign-in. It isn’t your fault.",
                advice: "Start over in the app. If the same happens, tell the people who run it.")
        }
    }
    let forDevelopers = "For developers"
    let reference = "Reference"
}
