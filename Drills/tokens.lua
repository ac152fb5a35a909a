-- What wrk sends for those who have signed in: each line of the file TOKENS is an access token and a refresh token. WHAT is
-- "look-up", which asks who somebody is, or "refresh", which takes a session's next tokens with those that came last.
local sessions, number = {}, 0
local refreshes = os.getenv("WHAT") == "refresh"

function init()
    for line in io.lines(os.getenv("TOKENS")) do
        local access, refresh = line:match("(%S+) (%S+)")
        sessions[#sessions + 1] = refreshes and refresh or access
    end
end

function request()
    if not refreshes then
        number = number % #sessions + 1
        return wrk.format("GET", "/users/me", { Authorization = "Bearer " .. sessions[number] })
    end
    -- There are more of them than connections, so one is always left.
    return wrk.format("POST", "/auth/token", { ["Content-Type"] = "application/x-www-form-urlencoded" },
        "grant_type=refresh_token&refresh_token=" .. table.remove(sessions, 1))
end

if refreshes then
    function response(_, _, body)
        sessions[#sessions + 1] = body:match('"refresh_token":"([^"]+)"')
    end
end
