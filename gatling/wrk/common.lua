-- What put.lua, get.lua and mixed.lua share: ids drawn from a seeded key space, where the connections go, checks of status, and
-- one line of results that tools/bench reads. Settings are words behind wrk2's own "--", all of them optional:
--   keys=20000       ids are key-00000000 to key-00019999, each as likely as the others
--   seed=1           of the ids; every thread draws its own
--   replicas=2/3     named in each request; without it the node's default
--   value=100        bytes of what is put
--   reads=0.9        share of GET in mixed.lua
--   ports=8080,8081  thread 1 connects to the first, thread 2 to the second and so on: give wrk2 as many threads (-t)
--   check=exact      each status has to be the one that is expected; costs the generator time. Else all below 400 are.

-- The token of each request is in the file that QUORATE_TOKEN_FILE names, if it is set.

local common = {}
local threads = {}

-- In wrk2's main state, where setup and done run.
function common.setup(thread)
	table.insert(threads, thread)
	thread:set("number", #threads)
end

-- In the state of a thread.
function common.init(arguments, expected)
	local settings = {}
	for _, word in ipairs(arguments) do
		local name, value = word:match("^(%w+)=(.*)$")
		settings[name or word] = value
	end
	common.keys = tonumber(settings.keys) or 20000
	common.reads = tonumber(settings.reads) or 0.9
	common.replicas = settings.replicas and "&replicas=" .. settings.replicas or ""
	common.value = string.rep("0123456789", math.ceil((tonumber(settings.value) or 100) / 10)):sub(1, tonumber(settings.value) or 100)
	math.randomseed((tonumber(settings.seed) or 1) * 1000 + number)
	if settings.ports then
		common.connect(settings.ports)
	end
	local token = os.getenv("QUORATE_TOKEN_FILE")
	if token then
		wrk.headers["Authorization"] = "Bearer " .. assert(io.open(token)):read("*l")
	end
	unexpected = 0
	if settings.check == "exact" then
		response = function(status)
			if not expected[status] then
				unexpected = unexpected + 1
			end
		end
	end
end

function common.connect(list)
	local ports = {}
	for port in list:gmatch("%d+") do
		table.insert(ports, port)
	end
	wrk.thread.addr = wrk.lookup(wrk.host, ports[(number - 1) % #ports + 1])[1]
end

local function path()
	return string.format("/v0/entity?id=key-%08d%s", math.random(common.keys) - 1, common.replicas)
end

function common.get()
	return wrk.format("GET", path())
end

function common.put()
	return wrk.format("PUT", path(), nil, common.value)
end

-- Latencies in milliseconds from the instant at which a request was due.
function common.done(summary, latency)
	local errors = summary.errors
	local wrong = 0
	for _, thread in ipairs(threads) do
		wrong = wrong + thread:get("unexpected")
	end
	io.write(string.format("RESULT requests=%d seconds=%.3f max=%.3f status=%d socket=%d unexpected=%d", summary.requests,
		summary.duration / 1e6, latency.max / 1e3, errors.status, errors.connect + errors.read + errors.write + errors.timeout, wrong))
	for _, percent in ipairs({ 0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99 }) do
		io.write(string.format(" p%s=%.3f", percent, latency:percentile(percent) / 1e3))
	end
	io.write("\n")
end

return common
