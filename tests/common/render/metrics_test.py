"""What common/render/scripts/metrics.py computes, without Flux."""
import asyncio
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("metrics", ROOT / "common/render/scripts/metrics.py")
metrics = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(metrics)
Has, Need = metrics.Has, metrics.Need

RANK = Has(4, 1)  # each rank has 4 cores and a GPU


def nodes(count, slots=None, exclusive=False):
    return Need(count, slots or count, 1, 0, exclusive)


def slots(count, cores=1, gpus=0):
    return Need(0, count, cores, gpus, False)


# Ranks with jobs and what each has left, what the first pending job needs, the wanted size.
SIZES = {
    "no jobs": ({}, None, 1),
    "one rank is busy": ({0: Has(0, 0)}, None, 1),
    "a smaller size would remove the highest ranks first": ({5: Has(0, 0)}, None, 6),
    "nodes on an idle instance": ({}, nodes(4), 4),
    "nodes beside busy ones": ({0: Has(0, 0), 1: Has(0, 0)}, nodes(4), 6),
    "a busy node has room for a part of the job": ({0: Has(2, 0), 1: Has(0, 0)}, nodes(2, 4), 3),
    "it has too little room": ({0: Has(1, 0)}, nodes(2, 4), 3),
    "whole nodes": ({0: Has(3, 1)}, nodes(2, exclusive=True), 3),
    "the highest busy rank counts more": ({7: Has(0, 0)}, nodes(2), 8),
    "cores on an idle instance": ({}, slots(9), 3),
    "cores that fill the ranks": ({}, slots(8), 2),
    "cores, some of them left on a busy rank": ({0: Has(1, 0)}, slots(9), 3),
    "cores that are left on a busy rank": ({0: Has(3, 0)}, slots(3), 1),
    "a slot is not divided between ranks": ({0: Has(2, 0)}, slots(2, cores=3), 3),
    "GPUs": ({0: Has(3, 0)}, slots(3, gpus=1), 4),
    "a GPU that is left": ({0: Has(3, 1)}, slots(3, gpus=1), 3),
    "a slot that fits on no rank": ({}, slots(2, cores=5), 2),
}


def slot(count, cores, gpus=0):
    inner = [{"type": "core", "count": cores}] + ([{"type": "gpu", "count": gpus}] if gpus else [])
    return {"type": "slot", "count": count, "label": "task", "with": inner}


SOCKETS = {"type": "socket", "count": 2, "with": [{"type": "core", "count": 3}]}

JOBSPECS = {
    "flux submit -n3 -c2": ([slot(3, 2)], Need(0, 3, 2, 0, False)),
    "flux submit -n3 -g1": ([slot(3, 1, 1)], Need(0, 3, 1, 1, False)),
    "flux submit -N2 -n4": (
        [{"type": "node", "count": 2, "with": [slot(2, 1)]}],
        Need(2, 4, 1, 0, False),
    ),
    "flux submit -N2 --exclusive": (
        [{"type": "node", "count": 2, "exclusive": True, "with": [slot(1, 1)]}],
        Need(2, 2, 1, 0, True),
    ),
    "sockets in a slot": (
        [{"type": "slot", "count": 2, "with": [SOCKETS]}],
        Need(0, 2, 6, 0, False),
    ),
    "a range of nodes": (
        [{"type": "node", "count": {"min": 3, "max": 5}, "with": [slot(1, 1)]}],
        Need(3, 3, 1, 0, False),
    ),
    "a range as text": ([slot("2-4", 1)], Need(0, 2, 1, 0, False)),
}

REQUESTS = {
    b"GET /metrics HTTP/1.1\r\n\r\n": "200",
    b"GET /metrics?a=b HTTP/1.0\r\n\r\n": "200",
    b"POST /metrics HTTP/1.1\r\n\r\n": "405",
    b"GET / HTTP/1.1\r\n\r\n": "404",
    b"GET /metrics/../etc HTTP/1.1\r\n\r\n": "404",
    b"GET /metrics\r\n\r\n": "400",
    b"\x16\x03\x01\r\n\r\n": "400",
    b"GET /metrics FTP/1.1\r\n\r\n": "400",
}


class Metrics(unittest.TestCase):
    def test_the_wanted_size_follows_what_runs_and_what_the_first_pending_job_needs(self):
        for name, (busy, need, size) in SIZES.items():
            with self.subTest(name):
                self.assertEqual(metrics.wanted_size(set(busy), list(busy.values()), RANK, need), size)

    def test_a_need_is_that_of_the_jobspec(self):
        for name, (resources, need) in JOBSPECS.items():
            with self.subTest(name):
                self.assertEqual(metrics.need_of({"resources": resources}), need)

    def test_only_a_get_of_the_metrics_asks_for_them(self):
        for request, status in REQUESTS.items():
            with self.subTest(request):
                asked = []
                answer = metrics.answer_to(request, lambda: asked.append(1) or "x 1\n")
                self.assertEqual(answer.split(b" ")[1].decode(), status)
                self.assertEqual(len(asked), 1 if status == "200" else 0)

    def test_flux_that_does_not_answer_is_told(self):
        def fail():
            raise OSError(38, "Function not implemented")

        answer = metrics.answer_to(b"GET /metrics HTTP/1.1\r\n\r\n", fail)
        self.assertIn(b"503 Service Unavailable", answer)
        self.assertTrue(answer.endswith(b"Flux does not answer: [Errno 38] Function not implemented\n"))


class Hostile(unittest.IsolatedAsyncioTestCase):
    """Clients of a server on the loopback."""

    async def asyncSetUp(self):
        listener = metrics.listen(0)
        self.port = listener.getsockname()[1]
        server = metrics.Server(lambda: "x 1\n")
        self.server = await asyncio.start_server(server.serve, sock=listener, limit=metrics.REQUEST_BYTES)
        self.addAsyncCleanup(self.close)
        self.writers = []

    async def close(self):
        for writer in self.writers:
            writer.close()
        self.server.close()
        served = asyncio.all_tasks() - {asyncio.current_task()}
        if served:
            await asyncio.wait(served, timeout=10)

    async def client(self, sent, host="127.0.0.1"):
        reader, writer = await asyncio.open_connection(host, self.port)
        self.writers.append(writer)
        writer.write(sent)
        return reader

    async def scrape(self, host="127.0.0.1"):
        reader = await self.client(b"GET /metrics HTTP/1.1\r\n\r\n", host)
        return await asyncio.wait_for(reader.read(), 10)

    async def test_both_families_are_served(self):
        self.assertTrue((await self.scrape()).endswith(b"\r\n\r\nx 1\n"))
        self.assertTrue((await self.scrape("::1")).endswith(b"\r\n\r\nx 1\n"))

    async def test_clients_that_say_nothing_do_not_keep_others_waiting(self):
        silent = [await self.client(b"GET /met") for _ in range(3 * metrics.CONNECTIONS)]
        self.assertTrue((await self.scrape()).endswith(b"x 1\n"))
        oldest = asyncio.wait_for(silent[0].read(), metrics.REQUEST_SECONDS / 2)
        self.assertEqual(await oldest, b"", "it makes room before its time is over")

    async def test_a_request_that_does_not_end_is_given_up(self):
        reader = await self.client(b"GET /metrics HTTP/1.1\r\n" + b"a: b\r\n" * metrics.REQUEST_BYTES)
        try:
            self.assertEqual(await asyncio.wait_for(reader.read(), 10), b"")
        except ConnectionResetError:
            pass
        self.assertTrue((await self.scrape()).endswith(b"x 1\n"))

    async def test_a_silent_client_is_given_up(self):
        reader = await self.client(b"GET /metrics HTTP/1.1\r\n")
        self.assertEqual(await asyncio.wait_for(reader.read(), 2 * metrics.REQUEST_SECONDS), b"")


if __name__ == "__main__":
    unittest.main()
