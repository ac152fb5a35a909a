import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

fun stores() {
    check("a file is for its owner alone, and a link in its way is not followed") {
        val folder = Files.createTempDirectory("gatehouse-client")
        val file = folder.resolve("session")
        Files.createSymbolicLink(folder.resolve("session.new"), folder.resolve("elsewhere"))
        val phone = Phone(store = FileSessionStore(file))
        phone.session.signIn(code())
        equal(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)), "rw-------")
        phone.another().user()
        phone.session.signOut()
        expect(Files.list(folder).use { it.count() } == 0L)
        Files.writeString(file, "{")
        refused(Kind.STORE_FAILED) { phone.another().accessToken() }
    }
}
