internal import Apps

struct SpanishTexts: Texts {
    func signIn(to app: String) -> String { "Inicia sesión en \(app)" }
    let chooseProvider = "Elige cómo quieres iniciar sesión."
    func continueWith(_ provider: String) -> String { "Continuar con \(provider)" }

    func appOnThisDevice(_ app: String) -> String {
        "Un programa de este dispositivo dice que es \(app) y te pide que inicies sesión."
    }
    func onlyIfYouBegan(in app: String) -> String {
        "Continúa solo si tú acabas de pulsar el inicio de sesión en \(app). Otro programa entraría en tu cuenta."
    }

    func addWayToSignIn(_ provider: String) -> String { "Añadir \(provider) a tu cuenta" }
    func wayIsAdded(_ provider: String, to account: String?, in app: String) -> String {
        let whose = account.map { "la cuenta de \($0)" } ?? "la cuenta que usas"
        return "A partir de entonces, quien inicie sesión con tu cuenta de \(provider) entrará en \(whose) en \(app)."
    }
    func neverAddForOthers(_ app: String) -> String {
        "Continúa solo si esta es tu cuenta y acabas de pedirlo tú en \(app). Nunca si alguien te ha enviado el enlace."
    }

    func app(_ app: String, at home: String?) -> String {
        if let home { "\(app) es una aplicación de \(home)." } else { "\(app) es una aplicación de este dispositivo." }
    }
    func asks(_ app: String) -> String { "Si continúas, \(app) podrá:" }
    func permission(_ permission: Permission) -> String {
        switch permission {
        case .openid: "reconocerte la próxima vez"
        case .profile: "ver tu nombre, tu foto y lo demás que dice tu perfil de ti, como tu cumpleaños"
        case .email: "ver tu correo electrónico"
        case .phone: "ver tu número de teléfono"
        case .address: "ver tu dirección postal"
        case .postalCode: "ver tu código postal"
        case .lastFourSocial: "ver las cuatro últimas cifras de tu número de la seguridad social"
        case .claims: "ver lo demás que tu proveedor dice de ti"
        case .offlineAccess: "mantener tu sesión abierta cuando no la usas"
        case .accountRead: "ver tu cuenta: cómo inicias sesión y dónde la tienes abierta"
        case .accountWrite: "cambiar lo que dice tu perfil"
        case .accountSessions: "cerrar tu sesión en otros sitios"
        case .accountIdentities: "cambiar cómo inicias sesión y cómo se te localiza"
        case .accountErase: "eliminar tu cuenta"
        case .tokens: "actuar por ti ante los proveedores con los que inicias sesión"
        case .transactions: "pedirte que apruebes operaciones, como un pago"
        }
    }
    func lasts(_ duration: AppDescription.Duration) -> String {
        switch duration {
        case .minutes(let minutes): "Eso termina a los \(minutes) minutos."
        case .days(let days): "Eso termina a los \(days) días como máximo, o cuando cierres la sesión."
        case .untilSignOut(let days): "Eso dura hasta que cierres la sesión, o hasta que pases \(days) días sin usarla."
        }
    }
    func allowQuestion(_ app: String) -> String { "¿Quieres permitírselo a \(app)?" }
    let allow = "Permitir"
    let refuse = "No permitir"
    let canBeTakenBack = "Puedes retirarlo cuando quieras, en la página donde gestionas aquí tu cuenta."

    func didYouStart(signingInTo app: String) -> String { "¿Acabas de empezar a iniciar sesión en \(app)?" }
    func startedElsewhere(with provider: String) -> String {
        "Este inicio de sesión con \(provider) se empezó en otro navegador o en otra aplicación y está a punto de terminar aquí."
    }
    let neverForOthers =
        "No sigas nunca si alguien te envió el enlace o te pidió que lo hicieras: entraría en tu cuenta."
    let yesSignMeIn = "Sí, iniciar sesión"
    let otherwiseClose = "Si no has sido tú, simplemente cierra esta página. No pasará nada."

    let oneMoment = "Un momento, por favor"
    let goesOnByItself = "El inicio de sesión sigue solo. Si no lo hace, pulsa el botón."
    let goOn = "Continuar"

    func backTo(_ app: String?) -> String { "Volver a \(app ?? "la aplicación")" }
    let browserStayed = "El navegador no ha abierto la aplicación por sí solo. Pulsa el botón para continuar en ella."
    func open(_ app: String?) -> String { "Abrir \(app ?? "la aplicación")" }
    let nothingOpens = "Si no ocurre nada, abre tú la aplicación y vuelve a empezar."

    func signOutQuestion(of app: String?) -> String {
        if let app { "¿Quieres cerrar la sesión en \(app)?" } else { "¿Quieres cerrar la sesión?" }
    }
    let staySignedIn = "Si no, simplemente cierra esta página. Tu sesión seguirá abierta."
    let signOut = "Cerrar sesión"
    let signedOut = "Has cerrado la sesión"
    let closePage = "Ya puedes cerrar esta página."

    let deletionDone = "Hemos atendido tu solicitud"
    func signedOutOn(_ day: String) -> String {
        "El \(day) pediste que te olvidáramos. Se cerraron las sesiones iniciadas con esa cuenta, en todos los dispositivos."
    }
    let accountStays =
        "Si tienes una cuenta aquí, sigue existiendo, porque solo tú puedes eliminarla: abre la aplicación y elimínala allí."

    let yourAccount = "Tu cuenta"
    let accountIntroduction =
        "Inicia sesión para ver dónde tienes la sesión abierta y qué pueden hacer las aplicaciones, y para terminarlo."
    let notSignedIn = "No se ha iniciado la sesión."
    let proveAgain = "Inicia sesión una vez más"
    let whyProveAgain =
        "Lo que has pedido termina algo en otro sitio, así que necesitamos saber que eres tú de verdad. Todavía no ha cambiado nada."
    let identityTooNew =
        "Añadiste esta forma de iniciar sesión hace muy poco, así que todavía no puede terminar nada en otro sitio. Inicia sesión de otra manera o inténtalo mañana."
    let whereSignedIn = "Estas aplicaciones te conocen, y aquí tienes la sesión abierta."
    let nowhereElse = "No tienes la sesión abierta en ningún sitio más que en esta página."
    func agreed(on day: String) -> String {
        "El \(day) le permitiste:"
    }
    func signedIn(since time: String, lastUsed: String, with provider: String) -> String {
        "Sesión iniciada con \(provider) el \(time), usada por última vez el \(lastUsed)."
    }
    let signOutThere = "Cerrar esa sesión"
    func signOutOfAll(_ app: String) -> String {
        "Cerrar todas las sesiones en \(app)"
    }
    func takeBack(from app: String) -> String {
        "Retirar lo que \(app) puede hacer"
    }
    let signOutEverywhere = "Cerrar todas las sesiones"
    let leavePage = "Salir de esta página"

    // As long as there are problems: a part of it elsewhere would be one that the compiler does not hold to be whole.
    func explanation(of problem: Problem) -> Explanation {
        switch problem {
        case .unknownApp:
            Explanation(
                title: "No conocemos esta aplicación",
                happened: "La aplicación o el sitio web que te ha traído aquí no está registrado en este servicio.",
                advice:
                    "Vuelve atrás e inténtalo de nuevo. Si ocurre lo mismo, avisa a los responsables de la aplicación.")
        case .redirectNotAllowed:
            Explanation(
                title: "No podemos devolverte a la aplicación",
                happened: "La aplicación quería que volvieras a una dirección que no tiene registrada.",
                advice: "Por tu seguridad, nos detenemos aquí. Avisa a los responsables de la aplicación.")
        case .wrongParameter:
            Explanation(
                title: "La aplicación ha enviado una solicitud incorrecta",
                happened: "Hay un error en la solicitud con la que la aplicación te ha traído aquí.",
                advice: "Solo los responsables de la aplicación pueden corregirlo. Avísales, por favor.")
        case .expired:
            Explanation(
                title: "Este inicio de sesión ya no es válido",
                happened: "Ha tardado demasiado o ya se había completado.",
                advice: "Si aún no has iniciado sesión, vuelve a empezar en la aplicación.")
        case .over(let app):
            Explanation(
                title: "Este inicio de sesión ha terminado",
                happened: "Ya se había completado o ha tardado demasiado.",
                advice: "Vuelve a \(app ?? "la aplicación"). Si aún no has iniciado sesión allí, empieza de nuevo.")
        case .anotherBrowser:
            Explanation(
                title: "Este inicio de sesión es de otro navegador",
                happened: "Se empezó en otro navegador o en otro dispositivo y no puede continuar aquí.",
                advice: "Vuelve a empezar en la aplicación y no cambies de navegador hasta haber iniciado sesión.")
        case .busy:
            Explanation(
                title: "Demasiadas personas están iniciando sesión",
                happened: "En este momento hay más inicios de sesión de los que podemos atender.",
                advice: "Espera un minuto e inténtalo de nuevo.")
        case .providerUnreachable(let provider):
            Explanation(
                title: "\(provider) no responde",
                happened:
                    "No hemos podido completar el inicio de sesión porque ahora mismo no logramos conectar con \(provider).",
                advice: "Inténtalo de nuevo dentro de unos minutos o, si puedes, inicia sesión de otra manera.")
        case .unknownConfirmation:
            Explanation(
                title: "No conocemos este código",
                happened: "No hay ninguna solicitud con este código, o se hizo hace demasiado tiempo.",
                advice:
                    "Comprueba que has copiado la dirección entera. Siempre puedes eliminar tu cuenta en la aplicación."
            )
        case .locked(let app):
            Explanation(
                title: "Esta cuenta está bloqueada",
                happened: "No puedes iniciar sesión en \(app) porque la cuenta está bloqueada.",
                advice:
                    "Si crees que es un error, escribe a los responsables de la aplicación e indica la referencia de abajo."
            )
        case .unexpected:
            Explanation(
                title: "Algo ha salido mal",
                happened: "No hemos podido completar el inicio de sesión. No es culpa tuya.",
                advice: "Vuelve a empezar en la aplicación. Si ocurre lo mismo, avisa a sus responsables.")
        }
    }
    let forDevelopers = "Para desarrolladores"
    let reference = "Referencia"
}
