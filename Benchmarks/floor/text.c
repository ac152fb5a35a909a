#include "floor.h"

// The value of a text member, wherever in the document it is, as it stands there.
bool member(const char *json, const char *name, char *value, size_t capacity) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":", name);
    const char *start = strstr(json, pattern);
    if (start == NULL) return false;
    start = strchr(start + strlen(pattern), '"') + 1;
    const char *end = strchr(start, '"');
    size_t count = (size_t)(end - start);
    if (count >= capacity) return false;
    memcpy(value, start, count);
    value[count] = 0;
    return true;
}

// Appends `name=value`, percent-encoded, and returns the new end.
char *append_form(char *end, const char *name, const char *value) {
    end += sprintf(end, "%s=", name);
    for (; *value; value++) {
        char c = *value;
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("-_.~", c);
        if (plain) *end++ = c;
        else end += sprintf(end, "%%%02X", (unsigned char)c);
    }
    *end = 0;
    return end;
}
