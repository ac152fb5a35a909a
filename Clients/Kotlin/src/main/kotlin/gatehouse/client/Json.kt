package gatehouse.client

import java.io.IOException

/** As much of JSON (RFC 8259) as the API speaks: objects of texts are written; all of it is read. */
internal object Json {
    fun write(members: Map<String, String?>): String =
        members.entries.joinToString(",", "{", "}") { (name, value) ->
            "${quoted(name)}:${value?.let(::quoted) ?: "null"}"
        }

    private fun quoted(text: String): String = buildString {
        append('"')
        for (character in text) {
            when {
                character == '"' || character == '\\' -> append('\\').append(character)
                character < ' ' -> append("\\u%04x".format(character.code))
                else -> append(character)
            }
        }
        append('"')
    }

    /** @throws IOException when that is not JSON, as when an answer has broken off. */
    fun read(text: String): Any? {
        val reader = Reader(text)
        val value = reader.value(0)
        if (!reader.isAtEnd()) throw IOException("not JSON")
        return value
    }

    private class Reader(private val text: String) {
        private var position = 0

        fun isAtEnd(): Boolean { skipSpace(); return position == text.length }

        fun value(depth: Int): Any? {
            if (depth > 32) throw broken()
            skipSpace()
            return when (peek()) {
                '{' -> buildMap {
                    members('{', '}') {
                        val name = string()
                        skipSpace()
                        expect(':')
                        put(name, value(depth + 1))
                    }
                }
                '[' -> buildList { members('[', ']') { add(value(depth + 1)) } }
                '"' -> string()
                else -> literal()
            }
        }

        private fun members(open: Char, close: Char, member: () -> Unit) {
            expect(open)
            skipSpace()
            if (peek() == close) { position++; return }
            while (true) {
                skipSpace()
                member()
                skipSpace()
                if (peek() == close) { position++; return }
                expect(',')
            }
        }

        private fun string(): String = buildString {
            expect('"')
            while (true) {
                when (val character = next()) {
                    '"' -> return@buildString
                    '\\' -> append(escaped())
                    else -> append(character)
                }
            }
        }

        private fun escaped(): Char = when (val character = next()) {
            'n' -> '\n'
            't' -> '\t'
            'r' -> '\r'
            'b' -> '\b'
            'f' -> '\u000C'
            'u' -> (1..4).joinToString("") { next().toString() }.toIntOrNull(16)?.toChar() ?: throw broken()
            else -> character
        }

        private fun literal(): Any? {
            val start = position
            while (position < text.length && text[position] !in ",]} \t\r\n") position++
            return when (val word = text.substring(start, position)) {
                "true" -> true
                "false" -> false
                "null" -> null
                else -> word.toLongOrNull() ?: word.toDoubleOrNull() ?: throw broken()
            }
        }

        private fun skipSpace() { while (position < text.length && text[position] in " \t\r\n") position++ }
        private fun peek(): Char = text.getOrNull(position) ?: throw broken()
        private fun next(): Char = peek().also { position++ }
        private fun expect(character: Char) { if (next() != character) throw broken() }
        private fun broken() = IOException("not JSON")
    }
}
