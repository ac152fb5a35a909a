internal import Apps

struct DanishTexts: Texts {
    func signIn(to app: String) -> String { "Log ind på \(app)" }
    let chooseProvider = "Vælg, hvordan du vil logge ind."
    func continueWith(_ provider: String) -> String { "Fortsæt med \(provider)" }

    func appOnThisDevice(_ app: String) -> String {
        "Et program på denne enhed siger, at det er \(app), og beder dig logge ind."
    }
    func onlyIfYouBegan(in app: String) -> String {
        "Fortsæt kun, hvis du selv lige har trykket på log ind i \(app). Et andet program ville få adgang til din konto."
    }

    func addWayToSignIn(_ provider: String) -> String { "Føj \(provider) til din konto" }
    func wayIsAdded(_ provider: String, to account: String?, in app: String) -> String {
        let whose = account.map { "kontoen, der tilhører \($0)," } ?? "den konto, du bruger"
        return "Herefter får den, der logger ind med din konto hos \(provider), adgang til \(whose) i \(app)."
    }
    func neverAddForOthers(_ app: String) -> String {
        "Fortsæt kun, hvis det er din konto, og du selv lige har bedt om det i \(app). Aldrig, hvis nogen har sendt dig linket."
    }

    func app(_ app: String, at home: String?) -> String {
        if let home { "\(app) er en app hos \(home)." } else { "\(app) er en app på denne enhed." }
    }
    func asks(_ app: String) -> String { "Hvis du fortsætter, kan \(app):" }
    func permission(_ permission: Permission) -> String {
        switch permission {
        case .openid: "kende dig igen næste gang"
        case .profile: "se dit navn, dit billede og det andet, din profil siger om dig, for eksempel din fødselsdag"
        case .email: "se din e-mailadresse"
        case .phone: "se dit telefonnummer"
        case .address: "se din postadresse"
        case .postalCode: "se dit postnummer"
        case .lastFourSocial: "se de fire sidste cifre i dit personnummer"
        case .claims: "se det andet, din udbyder fortæller om dig"
        case .offlineAccess: "holde dig logget ind, når du ikke bruger den"
        case .accountRead: "se din konto: hvordan du logger ind, og hvor du er logget ind"
        case .accountWrite: "ændre det, din profil siger"
        case .accountSessions: "logge dig ud andre steder"
        case .accountIdentities: "ændre, hvordan du logger ind, og hvordan du kan træffes"
        case .accountErase: "slette din konto"
        case .tokens: "handle for dig hos de udbydere, du logger ind med"
        case .transactions: "bede dig godkende transaktioner, for eksempel en betaling"
        }
    }
    func lasts(_ duration: AppDescription.Duration) -> String {
        switch duration {
        case .minutes(let minutes): "Det varer i \(minutes) minutter."
        case .days(let days): "Det varer i højst \(days) dage, eller til du logger ud."
        case .untilSignOut(let days): "Det varer, til du logger ud, eller til du ikke har brugt den i \(days) dage."
        }
    }
    func allowQuestion(_ app: String) -> String { "Vil du tillade det for \(app)?" }
    let allow = "Tillad"
    let refuse = "Tillad ikke"
    let canBeTakenBack = "Du kan altid trække det tilbage på siden, hvor du styrer din konto her."

    func didYouStart(signingInTo app: String) -> String { "Er du lige begyndt at logge ind på \(app)?" }
    func startedElsewhere(with provider: String) -> String {
        "Dette login med \(provider) blev startet i en anden browser eller app og er ved at blive afsluttet her."
    }
    let neverForOthers =
        "Gå aldrig videre, hvis nogen har sendt dig linket eller bedt dig om at gøre det. Så får de adgang til din konto."
    let yesSignMeIn = "Ja, log mig ind"
    let otherwiseClose = "Hvis det ikke var dig, skal du bare lukke siden. Så sker der ikke noget."

    let oneMoment = "Et øjeblik"
    let goesOnByItself = "Dit login fortsætter af sig selv. Tryk på knappen, hvis det ikke gør."
    let goOn = "Fortsæt"

    func backTo(_ app: String?) -> String { "Tilbage til \(app ?? "appen")" }
    let browserStayed = "Browseren åbnede ikke appen af sig selv. Tryk på knappen for at fortsætte der."
    func open(_ app: String?) -> String { "Åbn \(app ?? "appen")" }
    let nothingOpens = "Hvis der ikke sker noget, kan du selv åbne appen og starte forfra."

    func signOutQuestion(of app: String?) -> String {
        if let app { "Vil du logge ud af \(app)?" } else { "Vil du logge ud?" }
    }
    let staySignedIn = "Hvis ikke, skal du bare lukke siden. Så er du stadig logget ind."
    let signOut = "Log ud"
    let signedOut = "Du er logget ud"
    let closePage = "Du kan lukke siden nu."

    let deletionDone = "Vi har gjort, hvad du bad om"
    func signedOutOn(_ day: String) -> String {
        "\(day) bad du om at blive glemt her. Alle, der var logget ind med den konto, blev logget ud, på alle enheder."
    }
    let accountStays =
        "Har du en konto her, findes den stadig, for kun du kan slette den: Åbn appen, og slet kontoen dér."

    let yourAccount = "Din konto"
    let accountIntroduction = "Log ind for at se, hvor du er logget ind, og hvad apps kan gøre, og for at afslutte det."
    let notSignedIn = "Du blev ikke logget ind."
    let proveAgain = "Log ind en gang til"
    let whyProveAgain =
        "Det, du bad om, afslutter noget et andet sted, så vi skal vide, at det virkelig er dig. Der er ikke ændret noget endnu."
    let identityTooNew =
        "Du tilføjede denne måde at logge ind på for kort tid siden, så den kan ikke afslutte noget andre steder endnu. Log ind på en anden måde, eller prøv igen i morgen."
    let whereSignedIn = "Disse apps kender dig, og her er du logget ind."
    let nowhereElse = "Du er ikke logget ind andre steder end på denne side."
    func agreed(on day: String) -> String {
        "Den \(day) tillod du den at:"
    }
    func signedIn(since time: String, lastUsed: String, with provider: String) -> String {
        "Logget ind med \(provider) \(time), sidst brugt \(lastUsed)."
    }
    let signOutThere = "Log ud der"
    func signOutOfAll(_ app: String) -> String {
        "Log ud af \(app) overalt"
    }
    func takeBack(from app: String) -> String {
        "Træk det tilbage, som \(app) kan gøre"
    }
    let signOutEverywhere = "Log ud overalt"
    let leavePage = "Forlad denne side"

    // As long as there are problems: a part of it elsewhere would be one that the compiler does not hold to be whole.
    func explanation(of problem: Problem) -> Explanation {
        switch problem {
        case .unknownApp:
            Explanation(
                title: "Vi kender ikke denne app",
                happened: "Appen eller hjemmesiden, der sendte dig hertil, er ikke registreret hos os.",
                advice: "Gå tilbage, og prøv igen. Sker det samme, så sig det til dem, der står bag appen.")
        case .redirectNotAllowed:
            Explanation(
                title: "Vi kan ikke sende dig tilbage til appen",
                happened: "Appen ville have dig tilbage til en adresse, der ikke er registreret til den.",
                advice: "Af hensyn til din sikkerhed stopper vi her. Sig det til dem, der står bag appen.")
        case .wrongParameter:
            Explanation(
                title: "Appen spurgte på en forkert måde",
                happened: "Der er en fejl i den anmodning, som appen sendte dig hertil med.",
                advice: "Kun folkene bag appen kan rette det. Sig det gerne til dem.")
        case .expired:
            Explanation(
                title: "Dette login gælder ikke længere",
                happened: "Det tog for lang tid, eller det er allerede afsluttet.",
                advice: "Hvis du ikke er logget ind endnu, så start forfra i appen.")
        case .over(let app):
            Explanation(
                title: "Dette login er slut",
                happened: "Det er allerede afsluttet, eller det tog for lang tid.",
                advice: "Gå tilbage til \(app ?? "appen"). Hvis du ikke er logget ind der endnu, så start forfra.")
        case .anotherBrowser:
            Explanation(
                title: "Dette login hører til en anden browser",
                happened: "Det blev startet i en anden browser eller på en anden enhed og kan ikke fortsætte her.",
                advice: "Start forfra i appen, og bliv i den samme browser, til du er logget ind.")
        case .busy:
            Explanation(
                title: "Der er for mange, der logger ind",
                happened: "Lige nu er der flere logins, end vi kan nå.",
                advice: "Vent et minut, og prøv igen.")
        case .providerUnreachable(let provider):
            Explanation(
                title: "\(provider) svarer ikke lige nu",
                happened: "Vi kunne ikke gøre dit login færdigt, fordi vi ikke kan få forbindelse til \(provider).",
                advice: "Prøv igen om nogle minutter, eller log ind på en anden måde, hvis du kan.")
        case .unknownConfirmation:
            Explanation(
                title: "Vi kender ikke denne kode",
                happened: "Koden hører ikke til noget ønske om at blive glemt, eller det er for længe siden.",
                advice: "Se efter, at du har kopieret hele adressen. Du kan altid slette din konto i appen.")
        case .locked(let app):
            Explanation(
                title: "Kontoen er spærret",
                happened: "Du kan ikke logge ind i \(app), fordi kontoen er spærret.",
                advice:
                    "Tror du, det er en fejl, så skriv til dem, der står bag appen, og oplys referencen herunder.")
        case .unexpected:
            Explanation(
                title: "Noget gik galt",
                happened: "Vi kunne ikke gøre dit login færdigt. Det er ikke din skyld.",
                advice: "Start forfra i appen. Sker det samme igen, så sig det til dem, der står bag den.")
        }
    }
    let forDevelopers = "Til udviklere"
    let reference = "Referencenummer"
}
