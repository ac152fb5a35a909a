internal import Apps

/// Bokmål.
struct NorwegianTexts: Texts {
    func signIn(to app: String) -> String { "Logg inn på \(app)" }
    let chooseProvider = "Velg hvordan du vil logge inn."
    func continueWith(_ provider: String) -> String { "Fortsett med \(provider)" }

    func appOnThisDevice(_ app: String) -> String {
        "Et program på denne enheten sier at det er \(app), og ber deg logge inn."
    }
    func onlyIfYouBegan(in app: String) -> String {
        "Fortsett bare hvis du selv nettopp har trykket på logg inn i \(app). Et annet program ville få tilgang til kontoen din."
    }

    func addWayToSignIn(_ provider: String) -> String { "Legg \(provider) til kontoen din" }
    func wayIsAdded(_ provider: String, to account: String?, in app: String) -> String {
        let whose = account.map { "kontoen til \($0)" } ?? "kontoen du bruker"
        return "Etter dette får den som logger inn med kontoen din hos \(provider), tilgang til \(whose) i \(app)."
    }
    func neverAddForOthers(_ app: String) -> String {
        "Fortsett bare hvis dette er kontoen din, og du selv nettopp har bedt om det i \(app). Aldri hvis noen har sendt deg lenken."
    }

    func app(_ app: String, at home: String?) -> String {
        if let home { "\(app) er en app fra \(home)." } else { "\(app) er en app på denne enheten." }
    }
    func asks(_ app: String) -> String { "Hvis du går videre, kan \(app):" }
    func permission(_ permission: Permission) -> String {
        switch permission {
        case .openid: "kjenne deg igjen neste gang"
        case .profile: "se navnet ditt, bildet ditt og det andre profilen sier om deg, for eksempel fødselsdagen"
        case .email: "se e-postadressen din"
        case .phone: "se telefonnummeret ditt"
        case .address: "se postadressen din"
        case .postalCode: "se postnummeret ditt"
        case .lastFourSocial: "se de fire siste sifrene i personnummeret ditt"
        case .claims: "se det andre leverandøren forteller om deg"
        case .offlineAccess: "holde deg innlogget når du ikke bruker den"
        case .accountRead: "se kontoen din: hvordan du logger inn, og hvor du er innlogget"
        case .accountWrite: "endre det profilen sier"
        case .accountSessions: "logge deg ut andre steder"
        case .accountIdentities: "endre hvordan du logger inn, og hvordan du kan nås"
        case .accountErase: "slette kontoen din"
        case .tokens: "handle for deg hos leverandørene du logger inn med"
        case .transactions: "be deg godkjenne transaksjoner, for eksempel en betaling"
        }
    }
    func lasts(_ duration: AppDescription.Duration) -> String {
        switch duration {
        case .minutes(let minutes): "Det varer i \(minutes) minutter."
        case .days(let days): "Det varer i høyst \(days) dager, eller til du logger ut."
        case .untilSignOut(let days): "Det varer til du logger ut, eller til du ikke har brukt den på \(days) dager."
        }
    }
    func allowQuestion(_ app: String) -> String { "Vil du tillate dette for \(app)?" }
    let allow = "Tillat"
    let refuse = "Ikke tillat"
    let canBeTakenBack = "Du kan når som helst trekke det tilbake på siden der du styrer kontoen din her."

    func didYouStart(signingInTo app: String) -> String { "Har du nettopp begynt å logge inn på \(app)?" }
    func startedElsewhere(with provider: String) -> String {
        "Denne innloggingen med \(provider) ble startet i en annen nettleser eller app og er i ferd med å bli fullført her."
    }
    let neverForOthers =
        "Gå aldri videre hvis noen har sendt deg lenken eller bedt deg om å gjøre dette. Da kommer de inn på kontoen din."
    let yesSignMeIn = "Ja, logg meg inn"
    let otherwiseClose = "Hvis det ikke var deg, kan du bare lukke siden. Da skjer det ingenting."

    let oneMoment = "Et øyeblikk"
    let goesOnByItself = "Innloggingen fortsetter av seg selv. Trykk på knappen hvis den ikke gjør det."
    let goOn = "Fortsett"

    func backTo(_ app: String?) -> String { "Tilbake til \(app ?? "appen")" }
    let browserStayed = "Nettleseren åpnet ikke appen av seg selv. Trykk på knappen for å fortsette der."
    func open(_ app: String?) -> String { "Åpne \(app ?? "appen")" }
    let nothingOpens = "Hvis det ikke skjer noe, kan du åpne appen selv og begynne på nytt."

    func signOutQuestion(of app: String?) -> String {
        if let app { "Vil du logge ut av \(app)?" } else { "Vil du logge ut?" }
    }
    let staySignedIn = "Hvis ikke, kan du bare lukke siden. Da er du fortsatt innlogget."
    let signOut = "Logg ut"
    let signedOut = "Du er logget ut"
    let closePage = "Nå kan du lukke siden."

    let deletionDone = "Vi har gjort det du ba om"
    func signedOutOn(_ day: String) -> String {
        "\(day) ba du om å bli glemt her. Alle som var logget inn med den kontoen, ble logget ut, på alle enheter."
    }
    let accountStays =
        "Har du en konto her, finnes den fortsatt, for bare du kan slette den: Åpne appen og slett kontoen der."

    let yourAccount = "Kontoen din"
    let accountIntroduction = "Logg inn for å se hvor du er innlogget og hva apper kan gjøre, og for å avslutte det."
    let notSignedIn = "Du ble ikke logget inn."
    let proveAgain = "Logg inn en gang til"
    let whyProveAgain =
        "Det du ba om, avslutter noe et annet sted, så vi må vite at det virkelig er deg. Ingenting er endret ennå."
    let identityTooNew =
        "Du la til denne måten å logge inn på for kort tid siden, så den kan ikke avslutte noe andre steder ennå. Logg inn på en annen måte, eller prøv igjen i morgen."
    let whereSignedIn = "Disse appene kjenner deg, og her er du innlogget."
    let nowhereElse = "Du er ikke innlogget andre steder enn på denne siden."
    func agreed(on day: String) -> String {
        "Den \(day) tillot du den å:"
    }
    func signedIn(since time: String, lastUsed: String, with provider: String) -> String {
        "Innlogget med \(provider) \(time), sist brukt \(lastUsed)."
    }
    let signOutThere = "Logg ut der"
    func signOutOfAll(_ app: String) -> String {
        "Logg ut av \(app) overalt"
    }
    func takeBack(from app: String) -> String {
        "Trekk tilbake det \(app) kan gjøre"
    }
    let signOutEverywhere = "Logg ut overalt"
    let leavePage = "Forlat denne siden"

    // As long as there are problems: a part of it elsewhere would be one that the compiler does not hold to be whole.
    func explanation(of problem: Problem) -> Explanation {
        switch problem {
        case .unknownApp:
            Explanation(
                title: "Vi kjenner ikke denne appen",
                happened: "Appen eller nettstedet som sendte deg hit, er ikke registrert hos oss.",
                advice: "Gå tilbake og prøv igjen. Skjer det samme på nytt, si fra til dem som står bak appen.")
        case .redirectNotAllowed:
            Explanation(
                title: "Vi kan ikke sende deg tilbake til appen",
                happened: "Appen ville ha deg tilbake til en adresse som ikke er registrert for den.",
                advice: "Av hensyn til sikkerheten din stopper vi her. Si fra til dem som står bak appen.")
        case .wrongParameter:
            Explanation(
                title: "Appen spurte på feil måte",
                happened: "Det er en feil i forespørselen som appen sendte deg hit med.",
                advice: "Bare de som står bak appen, kan rette det. Si gjerne fra til dem.")
        case .expired:
            Explanation(
                title: "Denne innloggingen er ikke lenger gyldig",
                happened: "Den tok for lang tid, eller den er allerede fullført.",
                advice: "Er du ikke logget inn ennå, må du begynne på nytt i appen.")
        case .over(let app):
            Explanation(
                title: "Denne innloggingen er over",
                happened: "Den er allerede fullført, eller den tok for lang tid.",
                advice: "Gå tilbake til \(app ?? "appen"). Er du ikke logget inn der ennå, må du begynne på nytt.")
        case .anotherBrowser:
            Explanation(
                title: "Innloggingen hører til en annen nettleser",
                happened: "Den ble startet i en annen nettleser eller på en annen enhet og kan ikke fortsette her.",
                advice: "Begynn på nytt i appen, og bli i samme nettleser til du er logget inn.")
        case .busy:
            Explanation(
                title: "Det er for mange som logger inn",
                happened: "Akkurat nå er det flere innlogginger enn vi klarer å ta imot.",
                advice: "Vent et minutt og prøv igjen.")
        case .providerUnreachable(let provider):
            Explanation(
                title: "\(provider) svarer ikke",
                happened: "Vi kunne ikke fullføre innloggingen fordi vi ikke får kontakt med \(provider) akkurat nå.",
                advice: "Prøv igjen om noen minutter, eller logg inn på en annen måte hvis du kan.")
        case .unknownConfirmation:
            Explanation(
                title: "Vi kjenner ikke denne koden",
                happened: "Koden hører ikke til noe ønske om å bli glemt, eller det er for lenge siden.",
                advice: "Se etter at du har kopiert hele adressen. Du kan alltid slette kontoen din i appen.")
        case .locked(let app):
            Explanation(
                title: "Kontoen er sperret",
                happened: "Du kan ikke logge inn i \(app), fordi kontoen er sperret.",
                advice:
                    "Tror du det er en feil, så skriv til dem som står bak appen, og oppgi referansen nedenfor.")
        case .unexpected:
            Explanation(
                title: "Noe gikk galt",
                happened: "Vi kunne ikke fullføre innloggingen. Det er ikke din feil.",
                advice: "Begynn på nytt i appen. Skjer det samme igjen, si fra til dem som står bak den.")
        }
    }
    let forDevelopers = "For utviklere"
    let reference = "Referanse"
}
