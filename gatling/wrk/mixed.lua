-- GET of a random id, or PUT of a value under it; all ids have to be there before.
package.path = (debug.getinfo(1, "S").source:match("@(.*/)") or "./") .. "?.lua;" .. package.path
local common = require("common")

function setup(thread)
	common.setup(thread)
end

function init(arguments)
	common.init(arguments, { [200] = true, [201] = true })
end

function request()
	return math.random() < common.reads and common.get() or common.put()
end

function done(summary, latency)
	common.done(summary, latency)
end
