-- Flux's job shell reads this before its own files (flux-shell-initrc(5)): the defaults of jobs in a
-- MiniCluster, in which any option of a job wins; a message for options that have no effect; and the
-- search for MPI programs that do not find each other (singletons.sh). wait.sh makes the folder with
-- a link to this file; the job shells of instances that a job starts find it by FLUX_SHELL_RC_PATH
-- and have read Flux's own files before.
local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- True if a file `name` is in one of the folders between colons.
local function is_in(folders, name)
  for each in (folders or ""):gmatch("[^:]+") do
    if exists(each .. "/" .. name) then return true end
  end
  return false
end

local function say_once(text)
  if shell.info.rank == 0 then shell.log(text) end
end

local is_first = exists(folder .. "/initrc.lua")
local has_pmix = is_in(plugin.searchpath, "pmix.so")

-- The pod shares its cores with others, which would be pinned to the same ones.
if exists(folder .. "/unpinned") and shell.options["cpu-affinity"] == nil then
  shell.options["cpu-affinity"] = "off"
end

-- Open MPI 5 speaks only PMIx, others PMI-1 or PMI-2 (simple). With per-resource, which batch jobs
-- have, flux-pmix counts slots and not tasks.
if shell.options.pmi == nil and has_pmix and shell.options["per-resource"] == nil then
  shell.options.pmi = "simple,pmix"
  -- MPICH 5 aborts if it finds both, unless it is told which one to speak.
  if shell.getenv("MPIR_CVAR_PMI_VERSION") == nil then shell.setenv("MPIR_CVAR_PMI_VERSION", "1") end
  if not is_first then plugin.load { file = "pmix.so", conf = {} } end
end

if is_first then
  local builtin = { simple = true, pmi1 = true, pmi2 = true, none = true, off = true, single = true,
                    ["cray-pals"] = true }
  for name in tostring(shell.options.pmi or ""):gmatch("[^,]+") do
    if not builtin[name] and not is_in(plugin.searchpath, name .. ".so") then
      say_once("-o pmi=" .. name .. " has no effect: this Flux has no plugin " .. name ..
               (name == "pmix" and "; a Flux view with flux-pmix has it" or ""))
    end
  end
  local mpi = shell.options.mpi
  if type(mpi) == "string" and mpi ~= "none" then
    local folders = shell.rcpath .. "/lua.d:" .. (shell.getenv("FLUX_SHELL_RC_PATH") or "")
    local name = mpi:match("^[^@]+") or mpi
    if not is_in(folders, "mpi/" .. name .. ".lua") and not is_in(folders, "mpi/" .. mpi .. ".lua") then
      say_once("-o mpi=" .. mpi .. " has no effect: this Flux has no file mpi/" .. name .. ".lua")
    end
  end
  source(folder .. "/system.lua")
  if shell.info.ntasks > 1 then
    plugin.register {
      name = "minicluster",
      handlers = { {
        topic = "shell.start",
        fn = function()
          -- In the background: the shell waits only for its tasks.
          os.execute("sh '" .. folder .. "/scripts/singletons.sh' " ..
                     string.format("%.0f", shell.info.jobid) .. " $PPID " .. shell.rankinfo.ntasks ..
                     " >/dev/null 2>&1 </dev/null &")
        end
      } }
    }
  end
end
