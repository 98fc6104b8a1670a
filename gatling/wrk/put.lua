-- PUT of 100 bytes under a random id.
package.path = (debug.getinfo(1, "S").source:match("@(.*/)") or "./") .. "?.lua;" .. package.path
local common = require("common")
local value = string.rep("0123456789", 10)

function init(arguments)
	common.seed(arguments)
end

function request()
	return wrk.format("PUT", common.path(), nil, value)
end

function done(summary, latency, requests)
	common.report(summary, latency)
end
