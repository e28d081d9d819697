-- The health of a MiniCluster for Argo CD: resource.customizations.health.flux-framework.org_MiniCluster
-- in the ConfigMap argocd-cm. By the conditions that docs/lifecycle.md describes.
local function health(status, message)
  return {status = status, message = message or ""}
end

local found = {}
for _, condition in ipairs(obj.status and obj.status.conditions or {}) do
  found[condition.type] = condition
end
local function is_true(type)
  return found[type] ~= nil and found[type].status == "True"
end

if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", "The controller has not seen the latest spec yet.")
end
if is_true("Stalled") then
  return health("Degraded", found.Stalled.message)
end
if is_true("Ready") then
  return health("Healthy", found.Ready.message)
end
if is_true("Suspended") and found.Suspended.reason == "Suspended" then
  return health("Suspended", found.Suspended.message)
end
return health("Progressing", found.Ready and found.Ready.message)
