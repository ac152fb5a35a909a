package import Accounts
package import AccountsSQL
import EventLoop
package import HTTPServer
package import Postgres
package import Sealing
package import Settings
package import SignIn
import Syntax
package import System

/// Why the server, or a command that works on the store, did not start, in words for the person who starts it.
package enum StartError: Error, CustomStringConvertible {
    case system(SystemError)
    case listen(ListeningPlace, SystemError)
    /// Connections would wait for ever in a socket that a service manager has opened.
    case inheritedSockets(InheritedSockets.Fault)
    /// A listener can't be served under what the file holds.
    case certificate(path: String, reason: String)
    case databaseAddress(ConnectionStringError)
    /// What is asked is done to a file, and the store is none.
    case onlyFiles
    case masterKey(MasterKey.ReadError)
    /// Everybody knows the key, and the service is for more than trying it.
    case exampleMasterKey(path: String)
    case storage(place: String, RepositoryError)
    /// Somebody has told it to stop before its database was there.
    case stoppedWhileWaiting
    /// Where a file was to be, there is a folder.
    case folder(path: String)
    /// There is a master key of the operator's and no store, as when a volume was not mounted.
    case missingStore(place: String, masterKeyFile: String)
    case sessionKeys(SessionKeys.LoadError)
    /// A wing brings a table that no store can have.
    case table(TableFault)
    case settings(SettingsError)
    /// Users are stored under an issuer that their section had, and would all get second accounts.
    case strandedUsers(StrandedUsers)
    /// The provider names its users otherwise to every client, so that they would all get second accounts.
    case otherClient(provider: String, from: String, to: String, users: Int)

    package var description: String {
        switch self {
        case .system(let error): "the system refused what a server needs: \(error)"
        case .listen(let place, let error):
            "can't listen on \(place): \(error)"
        case .inheritedSockets(let fault): "what the service manager has opened can't be served: \(fault)"
        case .certificate(let path, let reason): "the certificate or key \(path) can't be used: \(reason)"
        case .databaseAddress(.malformed): "storage.url is no address that libpq understands"
        case .databaseAddress(.namesService): "storage.url names a service; put there what the service file says"
        case .onlyFiles:
            "storage.url names a database server, and this is for files: the server's own tools do it there"
        case .masterKey(let failure): "\(failure)"
        case .exampleMasterKey(let path):
            """
            the master key \(path) is the one of the examples, which everybody can read; make one of your own: \
            openssl rand 32 | openssl base64 -A | tr '+/' '-_' | tr -d '=' > FILE
            """
        case .stoppedWhileWaiting: "told to stop while it waited for the database"
        case .storage(let path, .notOpened(.inUse)): "another server has the database \(path) open"
        case .storage(let path, .wrongMasterKey):
            "the master key does not open the database \(path); it was sealed under another one"
        case .storage(let path, .notOpened(.newerSchema(let found, let known))):
            "a newer version made the database \(path) (schema \(found); this version knows \(known))"
        case .storage(let path, .notOpened(.noEarlierCopy(let reason))):
            """
            the database \(path) is of an earlier version, and it can't be copied before it is changed: \(reason); with a \
            backup at hand, storage.copyBeforeUpdate: false does without the copy
            """
        case .storage(let path, .notOpened(.olderThanLedger)):
            """
            the database \(path) is older than its ledger \(path)-ledger, so somebody who was erased may be in it again; \
            move it elsewhere and have gatehouse store restore put it back
            """
        case .storage(let path, .notOpened(.noStore)):
            "there is no database \(path); gatehouse serve makes it on its first start"
        case .storage(let path, .notOpened(.otherDialect)):
            "the tables of the database \(path) were made for another storage.dialect"
        case .storage(let path, .notOpened(.otherSubjects(let found, let wanted, let users))):
            """
            session.subject is \(wanted.rawValue); expected \(found.rawValue), by which apps know the \(users) users of the database \
            \(path)
            """
        case .storage(let path, .notOpened(.otherEncoding(let found))):
            "the database \(path) holds its texts in \(found), and UTF8 is needed: make one WITH ENCODING 'UTF8' TEMPLATE template0"
        case .storage(let path, .notOpened(.olderServer(let found, let least))):
            "the server of the database \(path) is PostgreSQL \(found); expected \(least) or newer"
        case .storage(let path, .unstorableText):
            "the database \(path) was asked for a text that has a NUL, which it can't hold"
        case .storage(let path, .notOpened(.unfinishedCopy)):
            "the database \(path) is a copy that was not finished; have gatehouse store copy finish it"
        case .storage(let path, .unavailable(let reason)): "the database \(path) can't be used: \(reason)"
        case .storage(let path, let error): "the database \(path) can't be used: \(error)"
        case .folder(let path):
            "storage.url names \(path), which is a folder; expected a file, such as file:\(path)/gatehouse.db"
        case .missingStore(let path, let masterKeyFile):
            """
            there are no tables of ours in \(path), though storage.masterKeyFile names a key (\(masterKeyFile)): is its volume \
            mounted? On a first start, storage.create: true makes it
            """
        case .table(let fault): "\(fault)"
        case .settings(let fault): "\(fault)"
        case .strandedUsers(let users): Self.text(users)
        case .otherClient(let provider, let former, let client, let users):
            """
            provider.\(provider).clientID is \(client); expected \(former), by which \(users) users are stored: this provider names \
            them otherwise to every client. With a claim that is the same, crossClientKey finds them; a section of another name \
            begins without them
            """
        case .sessionKeys(let failure): "the session signing keys can't be used: \(failure)"
        }
    }

    private static func text(_ stranded: StrandedUsers) -> String {
        guard case .issuer(let now) = stranded.reason else { return "\(stranded)" }
        return """
            provider.\(stranded.provider).issuer is \(now); expected \(stranded.issuer), under which \(stranded.count) users \
            are stored. Where it is the same provider by another name, issuerAliases: ["\(stranded.issuer)=\(now)"] finds \
            them; for another provider, give the section another name
            """
    }
}
