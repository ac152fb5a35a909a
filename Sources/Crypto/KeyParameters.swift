internal import COpenSSL

/// The parameters a public key is made of, in the form OpenSSL takes them; owns the memory they point into.
@safe struct KeyParameters: ~Copyable {
    private var list: [OSSL_PARAM] = unsafe []
    private var memory: [UnsafeMutableBufferPointer<UInt8>] = unsafe []

    init() {}

    deinit {
        unsafe memory.forEach { unsafe $0.deallocate() }
    }

    /// Adds an unsigned number given in big-endian bytes.
    mutating func add(_ name: String, number: [UInt8]) {
        // OpenSSL takes numbers in the machine's order.
        let native = 1.littleEndian == 1 ? number.reversed() : number
        add(name, UInt32(OSSL_PARAM_UNSIGNED_INTEGER), native)
    }

    mutating func add(_ name: String, octets: [UInt8]) {
        add(name, UInt32(OSSL_PARAM_OCTET_STRING), octets)
    }

    mutating func add(_ name: String, text: String) {
        add(name, UInt32(OSSL_PARAM_UTF8_STRING), Array(text.utf8))
    }

    /// The public key that these parameters describe.
    /// - Returns: nil when OpenSSL does not take them.
    consuming func publicKey(ofType type: String) -> KeyHandle? {
        unsafe list.append(OSSL_PARAM_construct_end())
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, COpenSSL_EVP_PKEY_PUBLIC_KEY, &list) == 1
        else { return nil }
        return unsafe KeyHandle(owning: key)
    }

    private mutating func add(_ name: String, _ type: UInt32, _ value: [UInt8]) {
        // A parameter keeps a pointer to its name, too. OpenSSL reads a text up to its zero, whatever its size says.
        let name = unsafe keep(Array(name.utf8) + [0])
        let data = unsafe keep(value + [0])
        unsafe list.append(
            OSSL_PARAM(
                key: UnsafeRawPointer(name.baseAddress)?.assumingMemoryBound(to: CChar.self), data_type: type,
                data: UnsafeMutableRawPointer(data.baseAddress), data_size: value.count, return_size: Int.max))
    }

    private mutating func keep(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe buffer.initialize(fromContentsOf: bytes)
        unsafe memory.append(buffer)
        return unsafe buffer
    }
}
