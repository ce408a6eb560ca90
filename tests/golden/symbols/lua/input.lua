#!/usr/bin/env lua
local json = require("json")
local M = {}

--- The limit.
M.max = 100
local count, spare = 0, 1
global_one = 1

--- The sum.
function M.total(tax)
  -- inside
  local here = 1
  local function helper(x)
    return x
  end
  return helper(here)
end

function M:add(item)
  self.items[1] = item
end

M.draw = function(self)
  local x = 1
  return x
end

M.util.trim = function(s)
  local x = s
  return x
end

--[[ A block
comment. ]]
local function private_one() end

local handlers = {
  open = function(file)
    local x = file
    return x
  end,
  plain = 1,
}

T["adds"] = function()
  assert(1)
  assert(2)
end

return M
