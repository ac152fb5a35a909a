/// The wings of this service: each is one folder beside this file, and one line here.
extension Wing {
    package static let all: [Wing] = [
        .accountPage, .keyService,
    ]
}
