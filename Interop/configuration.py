"""What a Gatehouse is told of the providers that its users are signed in at."""

REDIRECT_URI = "com.example.app:/callback"


def written(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def section(name, issuer, client, lines):
    """A provider's part, with what is needed of all of them here."""
    lines = [
        "profile: openid", f"issuer: {issuer}", f"clientID: {client}", f"redirectURIs: ['{REDIRECT_URI}']",
        "allowLoopbackHTTP: true", *lines]
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in lines)


def configuration(folder, port, admin_port, names, sections):
    """The file of a server whose store is in the folder."""
    return written(f"{folder}/gatehouse.yaml", "".join([
        f"http: {{port: {port}}}\nadmin: {{port: {admin_port}}}\n", f"storage: {{url: 'file:{folder}/users.db'}}\n",
        f"providers: [{', '.join(names)}]\nprovider:\n", *sections]))
