-- What put.lua and get.lua share: ids drawn from a seeded key space, and one line of results that bin/bench-http reads.
-- Arguments behind wrk's own "--": the number of keys, the seed.

local common = {}

function common.seed(arguments)
	common.keys = tonumber(arguments[1]) or 20000
	math.randomseed(tonumber(arguments[2]) or 1)
end

function common.path()
	return "/v0/entity?id=key-" .. math.random(common.keys)
end

function common.report(summary, latency)
	local errors = summary.errors
	io.write(string.format("RESULT requests=%d seconds=%.3f p50=%.3f p99=%.3f p999=%.3f max=%.3f status=%d socket=%d\n",
		summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
		latency:percentile(99.9) / 1e3, latency.max / 1e3, errors.status,
		errors.connect + errors.read + errors.write + errors.timeout))
end

return common
