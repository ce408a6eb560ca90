local db = require("app.db")
local M = { size = 1, reset = function() return M.size end }
local a, b = db.pair()

local Cart = setmetatable({}, { __index = M })
Cart.__index = Cart

function Cart.new(owner, ...)
  local self = setmetatable({}, Cart)
  self.items = {}
  self.owner = owner or db.default
  return self
end

function Cart:add(item)
  self.items[#self.items + 1] = item
  self:changed(item)
  for i, held in ipairs(self.items) do
    if held ~= item and i > 1 then held:touch() end
  end
  for n = 1, 3 do log(n) end
  return self
end

M.open = function(name)
  local row = db.query(name)
  return row.first, function(x) return x.y end
end

local function helper(list) return #list end

function total(cart)
  goto done
  ::done::
  return helper(cart.items) + M.open("x")
end

return M
