-- PUT of a value under a random id.
package.path = (debug.getinfo(1, "S").source:match("@(.*/)") or "./") .. "?.lua;" .. package.path
local common = require("common")

function setup(thread)
	common.setup(thread)
end

function init(arguments)
	common.init(arguments, { [201] = true })
end

function request()
	return common.put()
end

function done(summary, latency)
	common.done(summary, latency)
end
