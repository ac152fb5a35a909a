// swift-tools-version: 6.2
import PackageDescription

/// Release builds are optimised as one program: where SwiftPM expects objects the compiler writes bitcode, of which LLD
/// makes the machine's code for all modules together. It takes 2.7 % off a sign-in's processor time. The way to say so
/// of SwiftPM's own, `--experimental-lto-mode=full`, can't be written down here.
///
/// What has to be put into the modules' own code, such as the fuzzer's counting, is built with the variable set.
let modulesAreApart = Context.environment["DEV_MODULES_APART"] != nil
let wholeProgram = BuildSettingCondition.when(platforms: [.linux], configuration: .release)

/// The client for apps is a package of its own, beside which an app may have this one. So its targets are here
/// for our own tests alone, which set the variable. The sample app's tests take a whole service.
let runsSampleApp = Context.environment["DEV_SAMPLE_APP"] != nil
let sampleApp: [Target] = [
    .target(
        name: "GatehouseClient", path: "Clients/Swift/Sources/GatehouseClient",
        swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
        name: "SampleAppTests", dependencies: ["GatehouseClient", "GatehouseTesting"],
        path: "Clients/Swift/Tests/SampleAppTests", swiftSettings: [.swiftLanguageMode(.v6)]),
]

/// The commit that a release is built from, which its builder must name: from a manifest it can't be asked reliably.
let revision = (Context.environment["BUILD_REVISION"] ?? "").filter { $0.isLetter || $0.isNumber || ".-".contains($0) }

/// Strict everywhere: what the compiler can prove is not left to review.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .unsafeFlags(modulesAreApart ? [] : ["-Xfrontend", "-emit-bc", "-Xfrontend", "-lto=llvm-full"], wholeProgram),
]

let collections = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// For who reads a target's folder. SwiftPM would tell of a file that it doesn't know at each build.
let readme = ["README.md"]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: readme, swiftSettings: settings)
}

/// In release builds Swift's own libraries are part of the executable: one file to put anywhere, and a sign-in takes an
/// eighth less processor time than with calls across libraries. The two beside it are what Foundation's static library
/// of bytes and dates, which the argument parser brings, needs and does not name. Swift's list of arguments for static
/// libraries would make every public name of ours one that other libraries may look up, and keep what nobody calls: a
/// megabyte.
let linking: [LinkerSetting] = [
    .unsafeFlags(
        ["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-Xlinker", "--no-export-dynamic"],
        .when(platforms: [.linux], configuration: .release))
]

func executable(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: readme, swiftSettings: settings,
        linkerSettings: linking)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func cLibrary(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .executable(name: "carrier-simulator", targets: ["carrier-simulator"]),
        // For the tests of apps; never linked into the server.
        .library(name: "GatehouseTesting", targets: ["GatehouseTesting", "SimulatedCarriers"]),
        // For the packages in Benchmarks and Fuzzing, which the server must not depend on.
        .library(
            name: "GatehouseParts",
            targets: [
                "System", "Syntax", "JSON", "HTML", "OpenAPI", "EventLoop", "Crypto", "Pages", "HTTPServer",
                "HTTPClient", "JOSE",
                "Apps", "Accounts",
                "AccountsSQL", "AccountsSQLite", "Sealing", "Providers", "SignIn", "WebAPI", "Telemetry",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
    ],
    // Lowest first. An arrow only ever points up this list: a target may import what stands above it and is named here.
    targets: [
        // Whatever is linked has this one in it, and with it the linker that reads bitcode.
        .target(
            name: "CLinux",
            exclude: readme,
            cSettings: revision.isEmpty ? [] : [.define("BUILD_REVISION", to: "\"\(revision)\"")],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], wholeProgram)]),
        cLibrary("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        cLibrary("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        cLibrary("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        cLibrary("CPostgres", pkgConfig: "libpq", package: "libpq-dev"),
        cLibrary("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        cLibrary("CYAML", pkgConfig: "yaml-0.1", package: "libyaml-dev"),
        target("System", ["CLinux"]),
        target("Telemetry", ["System"]),
        target("Syntax", ["System"]),
        target("JSON", ["Syntax", "System"]),
        target("HTML"),
        target("OpenAPI", ["HTML", "JSON", "Syntax"]),
        target("EventLoop", ["System", "Syntax", "CLinux", collections]),
        target("Postgres", ["EventLoop", "Telemetry", "System", "CPostgres"]),
        target("Crypto", ["Syntax", "COpenSSL"]),
        target("TLS", ["EventLoop", "System", "COpenSSL"]),
        target("HTTPServer", ["TLS", "EventLoop", "System", "Syntax", "CZlib"]),
        target("HTTPClient", ["EventLoop", "System", "Syntax", "CCurl", "COpenSSL", "CZlib"]),
        target("Apps", ["Crypto", "Syntax"]),
        target("Pages", ["HTML", "Apps", "Crypto", "Syntax"]),
        target("JOSE", ["Crypto", "JSON", "Syntax", "System"]),
        target("Accounts", ["Syntax", "System"]),
        target("AccountsSQL", ["Accounts", "System", "Syntax"]),
        target("AccountsSQLite", ["AccountsSQL", "Accounts", "Telemetry", "System", "CSQLite"]),
        target(
            "AccountsPostgres",
            ["AccountsSQL", "Accounts", "Postgres", "EventLoop", "Telemetry", "System", "Syntax"]),
        target("Sealing", ["Accounts", "Crypto", "System", "Syntax"]),
        target(
            "Providers",
            ["JOSE", "Crypto", "JSON", "HTTPClient", "EventLoop", "Telemetry", "System", "Syntax"]),
        target(
            "SignIn",
            [
                "Accounts", "Providers", "Apps", "JOSE", "Crypto", "JSON", "HTTPClient", "Telemetry",
                "System", "Syntax",
            ]),
        target(
            "WebAPI",
            [
                "SignIn", "Accounts", "Providers", "Apps", "Pages", "Crypto", "OpenAPI", "JSON",
                "HTTPServer", "EventLoop", "Telemetry", "System", "Syntax", logging,
            ]),
        target("YAML", ["CYAML"]),
        target("Observability", ["Telemetry", "JSON", "System", logging, metrics]),
        target(
            "Settings",
            [
                "Observability", "Telemetry", "Accounts", "Providers", "Apps", "HTTPServer",
                "HTTPClient", "TLS",
                "Crypto", "YAML", "JSON", "Syntax", "System", logging,
            ]),
        target(
            "Wings",
            [
                "WebAPI", "Settings", "SignIn", "Providers", "Pages", "Apps", "Accounts", "Crypto", "OpenAPI", "JSON",
                "HTTPServer", "HTTPClient", "Telemetry", "System", "Syntax", logging,
            ]),
        target(
            "Composition",
            [
                "Wings", "WebAPI", "Telemetry", "SignIn", "Providers", "AccountsPostgres", "AccountsSQLite",
                "AccountsSQL", "Accounts", "Postgres", "Sealing", "Settings", "Observability", "Apps", "Pages",
                "HTTPServer", "HTTPClient", "TLS", "EventLoop", "Crypto", "JSON", "System", "Syntax", lifecycle,
                signals, logging,
            ]),
        target(
            "Operations",
            [
                "Composition", "Wings", "WebAPI", "Telemetry", "SignIn", "Providers", "AccountsPostgres",
                "AccountsSQLite", "AccountsSQL", "Accounts", "Postgres", "Sealing", "Settings", "Observability", "Apps",
                "HTTPServer", "HTTPClient", "TLS", "EventLoop", "JOSE", "Crypto", "JSON", "System", "Syntax", arguments,
                logging,
            ]),
        executable(
            "gatehouse",
            [
                "Operations", "Composition", "Wings", "Settings", "Observability", "SignIn", "Telemetry", "System",
                arguments, lifecycle, signals, logging, metrics,
            ]),
        .target(
            name: "SimulatedCarriers",
            dependencies: ["HTTPServer", "JOSE", "Crypto", "JSON", "EventLoop", "System", "Syntax"],
            path: "Simulator/SimulatedCarriers",
            exclude: readme,
            // The sample app's files, in the executable: no bundle, so no Foundation to find one with.
            resources: [
                "index.html", "app.css", "icon.svg", "app.js", "lock.js", "oauth.js", "wire.js", "views.js", "words.js",
            ]
            .map { .embedInCode("SampleApp/\($0)") },
            swiftSettings: settings),
        executable(
            "carrier-simulator", ["SimulatedCarriers", "EventLoop", "System", arguments, logging],
            path: "Simulator/carrier-simulator"),
        // In whose place it stands is settled when a program is linked, so what has it in it links Swift dynamically.
        .target(
            name: "CSimulation", dependencies: ["COpenSSL", "CPostgres", "CSQLite"], path: "Simulator/CSimulation",
            exclude: readme
        ),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "CSimulation", "GatehouseTesting", "HTTPTesting", "SimulatedCarriers", "Composition", "Operations",
                "EventLoop", "JSON", arguments, lifecycle,
            ],
            path: "Simulator/simulate", exclude: readme, swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
        tests("SystemTests", ["System"]),
        tests("TelemetryTests", ["Telemetry", "System"]),
        tests("SyntaxTests", ["Syntax", "Crypto"]),
        tests("JSONTests", ["JSON", "Syntax"]),
        tests("HTMLTests", ["HTML"]),
        tests("OpenAPITests", ["OpenAPI", "JSON"]),
        tests("EventLoopTests", ["EventLoop", "System"]),
        tests("PostgresTests", ["Postgres", "EventLoop", "System", "PostgresTestSupport", "Patience"]),
        tests("PagesTests", ["Pages", "Apps", "Crypto", "Syntax"]),
        tests("HTTPServerTests", ["HTTPServer", "EventLoop", "System", "Syntax", "CZlib", "HTTPTesting"]),
        tests("HTTPClientTests", ["HTTPClient", "EventLoop", "Syntax", "COpenSSL", "Patience"]),
        tests(
            "SimulatedCarriersTests",
            ["SimulatedCarriers", "EventLoop", "JOSE", "Crypto", "JSON", "Syntax", "HTTPTesting"]),
        .target(name: "HTTPTesting", dependencies: ["JSON"], path: "Tests/HTTPTesting", swiftSettings: settings),
        .target(name: "Patience", path: "Tests/Patience", swiftSettings: settings),
        target(
            "GatehouseTesting",
            [
                "Composition", "Wings", "SimulatedCarriers", "Settings", "Observability", "Telemetry", "EventLoop",
                "Crypto", "JSON", "Syntax", "HTTPTesting", logging,
            ]),
        .target(
            name: "PostgresTestSupport", dependencies: ["Postgres", "EventLoop"],
            path: "Tests/PostgresTestSupport", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "Wings", "Accounts", "AccountsSQLite", "AccountsPostgres", "AccountsSQL", "Postgres", "Sealing",
                "SignIn",
                "Providers", "Apps", "HTTPClient",
                "EventLoop", "Telemetry", "System", "Syntax",
                "JOSE", "Crypto", "JSON", "Patience",
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        tests(
            "ProvidersTests",
            [
                "Providers", "HTTPClient", "EventLoop", "System", "Syntax", "JOSE", "Crypto", "JSON",
                "TestSupport", "Patience",
            ]),
        tests("SealingTests", ["Sealing", "Accounts", "Crypto"]),
        tests(
            "SignInTests",
            [
                "Wings", "SignIn", "Accounts", "AccountsSQLite", "AccountsSQL", "Providers", "Apps",
                "HTTPClient", "Telemetry",
                "Syntax", "JOSE",
                "Crypto", "JSON", "TestSupport", "Patience",
            ]),
        tests("ObservabilityTests", ["Observability", "Telemetry", "JSON", "System", logging, metrics]),
        tests(
            "WebAPITests",
            [
                "Wings", "Settings", "WebAPI", "SignIn", "Accounts", "Providers", "Apps", "Pages", "HTTPClient",
                "HTTPServer", "EventLoop", "Telemetry", "System", "Syntax",
                "JOSE", "Crypto", "OpenAPI", "JSON", "TestSupport", "PostgresTestSupport", "HTTPTesting", logging,
            ]),
        tests(
            "WingsTests",
            [
                "Wings", "SignIn", "Providers", "Apps", "HTTPClient", "AccountsSQLite", "AccountsSQL", "JOSE", "JSON",
                "Telemetry", "Accounts", "Crypto", "System", "Syntax", "TestSupport", "Patience",
            ]),
        tests("AccountsTests", ["Accounts"]),
        tests(
            "AccountsSQLiteTests",
            [
                "AccountsSQLite", "AccountsSQL", "CSQLite", "Accounts", "Wings", "Telemetry", "System", "TestSupport",
                "Patience",
            ]),
        tests(
            "AccountsPostgresTests",
            [
                "AccountsPostgres", "AccountsSQLite", "AccountsSQL", "Postgres", "EventLoop", "Accounts", "Telemetry",
                "System", "TestSupport", "PostgresTestSupport", "Patience",
            ]),
        tests("CryptoTests", ["Crypto", "COpenSSL"]),
        tests("AppsTests", ["Apps", "Crypto", "Syntax"]),
        tests("JOSETests", ["JOSE", "Crypto", "JSON", "Syntax"]),
        tests(
            "SettingsTests",
            [
                "Wings", "Settings", "Observability", "Telemetry", "Accounts", "Providers", "Apps", "HTTPServer",
                "HTTPClient", "Crypto",
                "YAML", "JSON", "Syntax", logging,
            ]),
        .target(
            name: "ToyWing",
            dependencies: [
                "Wings", "WebAPI", "Settings", "SignIn", "Accounts", "Crypto", "OpenAPI", "JSON", "HTTPServer",
            ],
            path: "Tests/ToyWing", swiftSettings: settings),
        tests(
            "FlowTests",
            [
                "GatehouseTesting", "ToyWing", "Composition", "Operations", "Wings", "Telemetry", "SimulatedCarriers",
                "SignIn",
                "Providers",
                "AccountsPostgres", "AccountsSQLite",
                "AccountsSQL",
                "Postgres", "PostgresTestSupport", "TestSupport", "HTTPTesting", "Patience", "CSQLite",
                "Accounts",
                "Sealing",
                "Settings",
                "Observability",
                "HTTPServer", "HTTPClient", "EventLoop", "System", "Syntax",
                "JOSE", "Crypto",
                "JSON", logging,
            ]),
        tests(
            "ConformanceTests",
            [
                "Composition", "GatehouseTesting", "HTTPServer", "EventLoop", "Accounts", "JOSE", "Crypto", "JSON",
                "Syntax", "System", "TestSupport", "HTTPTesting",
            ]),
    ] + (runsSampleApp ? sampleApp : [])
)

/// An image is built from the folders of one executable alone, so that a change elsewhere, as of a test, rebuilds
/// nothing of it.
if let executable = Context.environment["DEV_EXECUTABLE"] {
    var waiting = [executable]
    var needed: Set<String> = []
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        waiting += target.dependencies.compactMap { dependency in
            if case .byNameItem(let name, _) = dependency { name } else { nil }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = [.executable(name: executable, targets: [executable])]
}
