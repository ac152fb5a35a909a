// swift-tools-version: 6.0
import PackageDescription

// The tests of the sample app, in Tests/SampleAppTests, take a whole service: the package of the service runs them.
let package = Package(
    name: "gatehouse-client",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [.library(name: "GatehouseClient", targets: ["GatehouseClient"])],
    targets: [
        .target(name: "GatehouseClient"),
        .testTarget(name: "GatehouseClientTests", dependencies: ["GatehouseClient"]),
    ],
    swiftLanguageModes: [.v6])
