-- GET of a random id; all of them have to be there before.
package.path = (debug.getinfo(1, "S").source:match("@(.*/)") or "./") .. "?.lua;" .. package.path
local common = require("common")

function setup(thread)
	common.setup(thread)
end

function init(arguments)
	common.init(arguments, { [200] = true })
end

function request()
	return common.get()
end

function done(summary, latency)
	common.done(summary, latency)
end
