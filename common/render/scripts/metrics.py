"""metrics.py PORT: serves GET /metrics, by which the size can follow the jobs (spec.metricsPort).

rc1.sh runs it with `flux python` in the lead's pod. It returns once the port is open, and goes on in
the background until its broker ends. Whoever reaches the pod may ask: a request, its time and the
number of connections are bounded, and Flux is asked at most once a second.
"""
import asyncio
import collections
import json
import math
import os
import re
import socket
import sys
import time

REQUEST_BYTES = 4096
REQUEST_SECONDS = 5
CONNECTIONS = 32  # of more, the oldest is closed
CACHE_SECONDS = 1
RUNNING_JOBS = 10000  # that are looked at

# What a job asks for: nodes (0 if it does not say), slots in all, and the cores and GPUs of a slot.
Need = collections.namedtuple("Need", "nodes slots cores gpus exclusive")
# What a rank has, or has free.
Has = collections.namedtuple("Has", "cores gpus")


def slots_in(has, need):
    """How many slots of the job fit in what a rank has."""
    fits = [has.cores // need.cores] if need.cores else []
    fits += [has.gpus // need.gpus] if need.gpus else []
    return min(fits, default=0)


def nodes_beyond(need, free, rank):
    """The number of idle ranks that the job needs, if `free` is what the busy ranks have left."""
    if need.nodes:
        on_each = math.ceil(need.slots / need.nodes)
        shared = 0 if need.exclusive else sum(slots_in(has, need) >= on_each for has in free)
        return max(0, need.nodes - shared)
    left = need.slots - sum(slots_in(has, need) for has in free)
    return math.ceil(max(0, left) / max(1, slots_in(rank, need)))


def wanted_size(busy, free, rank, need):
    """The size that the running jobs and the first pending one need together, at least 1.

    busy: the ranks with running jobs; free: what each of these has left; rank: what an idle rank has;
    need: that of the first pending job, or None. A smaller size removes the highest ranks first, so a
    job on rank 5 needs a size of 6.
    """
    pending = len(busy) + nodes_beyond(need, free, rank) if need else 0
    return max(1, max(busy, default=0) + 1, pending)


def count_of(given):
    """The least of a count in a jobspec: a number, a range (RFC 14) or an idset (RFC 45)."""
    if isinstance(given, dict):
        given = given["min"]
    return int(re.match(r"\d+", str(given)).group())


def need_of(jobspec):
    """The Need of a jobspec."""
    total = {"node": 0, "slot": 0, "core": 0, "gpu": 0}
    exclusive = False

    def walk(resources, times, in_slot):
        nonlocal exclusive
        for each in resources:
            kind, count = each["type"], count_of(each["count"])
            exclusive = exclusive or kind == "node" and each.get("exclusive", False)
            if kind in total:
                total[kind] += count * (in_slot if kind in ("core", "gpu") else times)
            inner = count * in_slot if in_slot else 0
            walk(each.get("with", []), times * count, 1 if kind == "slot" else inner)

    walk(jobspec["resources"], 1, 0)
    return Need(total["node"], max(1, total["slot"]), total["core"], total["gpu"], exclusive)


def ranks_of(resources):
    """What each rank has in a resource set (RFC 20)."""
    from flux.idset import IDset

    out = {}
    for entry in resources["execution"]["R_lite"]:
        children = entry["children"]
        has = Has(*(len(IDset(children.get(kind, ""))) for kind in ("core", "gpu")))
        out.update((rank, has) for rank in IDset(entry["rank"]))
    return out


def text_of(wanted, pending, running):
    """The metrics, in the text format of Prometheus."""
    return (
        "# HELP minicluster_wanted_size The size that the running jobs and the first pending job need together.\n"
        "# TYPE minicluster_wanted_size gauge\n"
        f"minicluster_wanted_size {wanted}\n"
        "# HELP minicluster_jobs Jobs of Flux that have not ended.\n"
        "# TYPE minicluster_jobs gauge\n"
        f'minicluster_jobs{{state="pending"}} {pending}\n'
        f'minicluster_jobs{{state="running"}} {running}\n'
    )


class Instance:
    """The instance of Flux that FLUX_URI names."""

    def __init__(self):
        import flux

        self.flux = flux.Flux()
        self.need = (None, None)  # of the job with this id
        self.text, self.until = "", 0

    def has_ended(self):
        import flux.constants

        return bool(self.flux.pollevents() & flux.constants.FLUX_POLLERR)

    def metrics(self):
        """The text of the metrics, at most CACHE_SECONDS old. An OSError if Flux does not answer."""
        if time.monotonic() >= self.until:
            self.text = self.ask()
            self.until = time.monotonic() + CACHE_SECONDS
        return self.text

    def jobs(self, state, most, attribute):
        from flux.constants import FLUX_USERID_UNKNOWN
        from flux.job.list import job_list

        asked = job_list(self.flux, most, [attribute], userid=FLUX_USERID_UNKNOWN, states=state)
        return asked.get_jobs()

    def first_need(self):
        """The Need of the pending job that comes first. One that is held has the priority 0."""
        from flux.constants import FLUX_JOB_STATE_SCHED

        first = self.jobs(FLUX_JOB_STATE_SCHED, 1, "priority")
        if not first or first[0]["priority"] == 0:
            return None
        job = first[0]["id"]
        if self.need[0] != job:
            asked = {"id": job, "keys": ["jobspec"], "flags": 0}
            answer = self.flux.rpc("job-info.lookup", asked).get()
            self.need = (job, need_of(json.loads(answer["jobspec"])))
        return self.need[1]

    def ask(self):
        from flux.constants import FLUX_JOB_STATE_RUNNING
        from flux.idset import IDset
        from flux.job.stats import JobStats
        from flux.resource.list import resource_list

        # In this order, a job that starts meanwhile is counted once, or not, but never twice.
        running = self.jobs(FLUX_JOB_STATE_RUNNING, RUNNING_JOBS, "ranks")
        need = self.first_need()
        resources = resource_list(self.flux).get()
        busy = {rank for job in running for rank in IDset(job.get("ranks", ""))}
        if len(running) == RUNNING_JOBS:
            busy.update(resources.allocated.ranks)
        left = ranks_of(json.loads(resources.free.encode()))
        free = [left[rank] for rank in busy if rank in left]
        every = ranks_of(json.loads(resources.all.encode()))
        rank = max(every.values(), default=Has(0, 0))
        stats = JobStats(self.flux)
        stats.update_sync()
        return text_of(wanted_size(busy, free, rank, need), stats.pending, stats.running)


def answer_to(request, metrics):
    """The answer to the head of a request; metrics() is called if it asks for them."""
    words = request.split(b"\r\n", 1)[0].split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        status, text = "400 Bad Request", "not a request\n"
    elif words[1].split(b"?")[0] != b"/metrics":
        status, text = "404 Not Found", "only /metrics is here\n"
    elif words[0] != b"GET":
        status, text = "405 Method Not Allowed", "only GET is allowed\n"
    else:
        try:
            status, text = "200 OK", metrics()
        except OSError as error:
            status, text = "503 Service Unavailable", f"Flux does not answer: {error}\n"
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(text.encode())}\r\nConnection: close\r\n\r\n"
    )
    return (head + text).encode()


class Server:
    """Answers one request on each connection."""

    def __init__(self, metrics):
        self.metrics = metrics
        self.open = []  # the oldest first

    async def serve(self, reader, writer):
        self.open.append(writer)
        if len(self.open) > CONNECTIONS:
            self.open.pop(0).transport.abort()
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), REQUEST_SECONDS)
            writer.write(answer_to(head, self.metrics))
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # no request, or nobody who waits for its answer
        finally:
            writer.close()
            if writer in self.open:
                self.open.remove(writer)


def listen(port):
    """A socket for IPv6 and IPv4, or for IPv4 where there is no IPv6."""
    try:
        out = socket.socket(socket.AF_INET6)
        out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        anywhere = "::"
    except OSError:
        out = socket.socket(socket.AF_INET)
        anywhere = "0.0.0.0"
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    out.bind((anywhere, port))
    out.listen(CONNECTIONS)
    return out


def go_on_in_background():
    """Leaves the process group and the streams of rc1.sh, which waits for both."""
    if os.fork():
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def main():
    instance = Instance()
    listener = listen(int(sys.argv[1]))
    go_on_in_background()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    server = Server(instance.metrics)
    loop.run_until_complete(asyncio.start_server(server.serve, sock=listener, limit=REQUEST_BYTES))
    loop.add_reader(instance.flux.pollfd(), lambda: instance.has_ended() and loop.stop())
    loop.run_forever()


if __name__ == "__main__":
    main()
