-- What wrk sends: a sign-in with a code that nobody has used. SEED is another number in each run, and LOAD in each of
-- those that run at once: instances refuse a code that another of them has taken.
local number, name = 0, ""

function init()
    math.randomseed(tonumber(os.getenv("SEED")) + tonumber(os.getenv("LOAD")))
    name = string.format("%x", math.random(1, 2 ^ 40))
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    number = number + 1
    return wrk.format(nil, "/auth/signin", nil, string.format(
        '{"client_id":"ready-made","code":"%s-%d","redirect_uri":"https://app.example/cb","code_verifier":"%043d"}',
        name, number, number))
end
