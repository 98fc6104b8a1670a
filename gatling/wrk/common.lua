-- What put.lua and get.lua share: ids drawn from a seeded key space, and one line of results that bin/bench-http and
-- bin/bench-cluster read. Arguments behind wrk's own "--": the number of keys, the seed, and the replicas ("2/3") if they
-- are to be named.

local common = {}

function common.seed(arguments)
	common.keys = tonumber(arguments[1]) or 20000
	math.randomseed(tonumber(arguments[2]) or 1)
	common.replicas = arguments[3] and "&replicas=" .. arguments[3] or ""
end

function common.path()
	return "/v0/entity?id=key-" .. math.random(common.keys) .. common.replicas
end

function common.report(summary, latency)
	local errors = summary.errors
	io.write(string.format("RESULT requests=%d seconds=%.3f p50=%.3f p90=%.3f p99=%.3f p999=%.3f max=%.3f status=%d socket=%d\n",
		summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(90) / 1e3, latency:percentile(99) / 1e3,
		latency:percentile(99.9) / 1e3, latency.max / 1e3, errors.status,
		errors.connect + errors.read + errors.write + errors.timeout))
end

return common
