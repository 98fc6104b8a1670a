-- GET of a random id; all of them have to be there before.
package.path = (debug.getinfo(1, "S").source:match("@(.*/)") or "./") .. "?.lua;" .. package.path
local common = require("common")

function init(arguments)
	common.seed(arguments)
end

function request()
	return wrk.format("GET", common.path())
end

function done(summary, latency, requests)
	common.report(summary, latency)
end
