/// Private keys as files hold them. They protect nothing: some are printed in standards, the others made for tests.
enum PEMExamples {
    /// The RSA key of RFC 7515 §A.2, as PKCS #8.
    static let rsaFromRFC7515 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
        jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
        aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
        juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
        ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
        toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
        VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
        PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
        O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
        kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
        XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
        4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
        pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
        0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
        lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
        kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
        rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
        kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
        5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
        9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
        evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
        yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
        OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
        tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
        ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
        03k2+ZQwVK0JKSHuLFkuQ3U=
        -----END PRIVATE KEY-----
        """

    /// The Ed25519 key of RFC 8037 §A.1, as PKCS #8.
    static let ed25519FromRFC8037 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----
        """

    /// A P-256 key in the form of RFC 5915.
    static let ecInItsOlderForm = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEICKhbEWuz+tQMXVyuO7kcEo+QX12Kie6qg0WXU2Us8K7oAoGCCqGSM49
        AwEHoUQDQgAEikFgjZDRyqKKMlDOdwtd4YmUG39T5r1zJm7SB7wIuChvpuy28ZE5
        um+DJBfHx7Sp3HYpPuJ7el7oLWbHKgMQhg==
        -----END EC PRIVATE KEY-----
        """

    /// The same key as PKCS #8.
    static let ecAsPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIqFsRa7P61AxdXK4
        7uRwSj5BfXYqJ7qqDRZdTZSzwruhRANCAASKQWCNkNHKoooyUM53C13hiZQbf1Pm
        vXMmbtIHvAi4KG+m7LbxkTm6b4MkF8fHtKncdik+4nt6XugtZscqAxCG
        -----END PRIVATE KEY-----
        """

    /// The same key under a password.
    static let ecEncrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgYNj8rlUZD/wICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEILB1s3MEGuo26a8J4vVTE0EgZBy
        MNdHnBb30YBw3JyCK2I2lMQvWHOvhXRcmdoUay2xDg1LwzogyfS08N5av1cYeUtQ
        Qx5lECrLELshSg0MdXNQDXR57kDJZt+Np59IYWiUgKIvZyD/WLFyY/0nfi1ncw+5
        OjpkkUi3ixH9wru7gayKKzVFyP5JIANqn6DaBUXB4/o3Lgcd80y88aKQFx1z3Lc=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The same private number beside the public point of another key.
    static let ecWithForeignPublicPart = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIqFsRa7P61AxdXK4
        7uRwSj5BfXYqJ7qqDRZdTZSzwruhRANCAAQ/V0D19ih11o7eS+/HUVRDVolje5Ur
        kUS28asH/lAvkXx/fzG/UIgr9l2ZuQzGC++e1XPS4Hp7n4EKKMrDMkR/
        -----END PRIVATE KEY-----
        """

    /// A key on a curve that JOSE has, but we do not.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgxqraStVhHRg/uG49fLuR
        Z2L4fJepHJKgOsG9JpZhqB+hRANCAAQB7c9iVHkzKsd2AJYr8GfX2aoJZTO6jldv
        QQ5R+hL1YVrFxRYxf5/Xes7p89DMrH20JHtquHvkyZB794KfWpMU
        -----END PRIVATE KEY-----
        """

    /// A key for key agreement, which can not sign.
    static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIHDxGBCH6SGZUg2+geBhIxis7gLL1BOtrRTgcf3+4i1+
        -----END PRIVATE KEY-----
        """

    /// An RSA key that is too short.
    static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAPHcU9qFBnAMIATR
        22n4ZxD8CRamqI3LqGWyMI+dTdAQZMNo0fmR6e9Hwai139yTdHpa/bcEC2kmUQqu
        S9dIq5XWZ3xmdjRAylWAz0hrYGEL60iF8I95HJ3eVT5/BIYBX1zcEV2F82U0EOgE
        c+X68sEK3eXzTrQckOWtjjohrPqBAgMBAAECgYEA64gTKQTOxiMos0jjEgnT5Rhs
        iWB3WM7yCUdEPzeDZZHxbtMPWKmeVWVd1Lx5a0c18UnXNnl720RzO6GNPfQJExde
        5Ei1e9zcBfwt/wD5x3qjkrFWba00M+W2uST2thu7xrKAZGPvItnWjAb+e1ONuNi7
        KU8qP5M19BARq/m6zrkCQQD+FRplW4BOFg/bHgqRvv52qT7Q/hN4KKKtPWREiVbH
        zpZGExG8k/M7occX6QrvCvchlAhBkeHzR5GvMuvm6eBnAkEA86+ci3Mz6RwmS5Pq
        UWJkXs5qPmGGcTWyEZhXpojHKmluvZAjWlRzlDrU6hfzZvA8DxbyvleoGC0+sbqF
        sK/c1wJAFlm64bGj3rqYGHlTCrEXZ07KBM5k3gwNC1o8KL9AEAF/PJjO1ZzaJ6O6
        hMLuQErhpGWGOGZhzum7ygKbt8tY/wJBAOrPdvrwgT7IPyZoW0sckjbAk6OUeeWw
        petKbnssJS369hh3QXmTEuPsZKlFdubj6htoM3OyJ2lUf6rmXlhIvXUCQQCSvocy
        tpbqDH870+q+Lmhw7p36vnEjxpAa92pcriIOgFSk1PNmnwLQnW5/3SVh7LOnMWxY
        svMrfMnXIv7eeEEm
        -----END PRIVATE KEY-----
        """
}
