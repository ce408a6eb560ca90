# SPDX-License-Identifier: MIT
"""The official Python SDK against ken: client.py stdio|HTTP legacy|modern. Prints what works, a line each;
../languages.test.mjs starts it and says where everything is."""

import glob
import os
import signal
import sys
import time
import urllib.request

import anyio
from mcp import Client, MCPError, ResourceUpdatedNotification, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, SubscriptionLost

TRANSPORT, ERA = sys.argv[1:]
PROJECT, LARGE = os.environ["LAB_PROJECT"], os.environ["LAB_LARGE"]
PATIENCE = 20 * float(os.environ["LAB_PATIENCE"])
STATUS = "ken://languages-project/status"


def connect(**options):
    server = os.environ["LAB_URL"]
    if TRANSPORT == "stdio":
        server = StdioServerParameters(
            command=os.environ["KEN_BINARY"], args=["mcp"], cwd=PROJECT, env=dict(os.environ))
    return Client(server, mode="legacy" if ERA == "legacy" else "auto", **options)


def break_connection():
    """Kills the server that we started, or cuts what leads to the one that we did not start."""
    if TRANSPORT == "stdio":
        for task in os.listdir("/proc/self/task"):
            for pid in open(f"/proc/self/task/{task}/children").read().split():
                os.kill(int(pid), signal.SIGKILL)
    else:
        urllib.request.urlopen(os.environ["LAB_CUT"]).read()


def change_project():
    with open(os.path.join(PROJECT, "src", "more.py"), "a") as f:
        f.write(f"more_{TRANSPORT}_{ERA} = {os.getpid()}\n")


def rewrite_large():
    for path in glob.glob(os.path.join(LARGE, "*", "*.c")):
        with open(path, "a") as f:
            f.write(f"// {time.monotonic_ns()}\n")


async def call(client, name, **arguments):
    result = await client.call_tool(name, {"format": "json", **arguments})
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def search(client):
    found = await call(client, "search_code", query="where are retries handled", project=PROJECT)
    assert found["results"][0]["file_path"] == "src/retry.py", found


async def index_large(client, begun):
    """A run with something to do, which says when it is under way."""

    async def on_progress(done, total, message):
        begun.set()

    rewrite_large()
    return await client.call_tool("index_repository", {"path": LARGE}, progress_callback=on_progress)


async def lists(client):
    assert client.server_info.name == "ken"
    assert client.protocol_version == ("2025-11-25" if ERA == "legacy" else "2026-07-28")
    assert len((await client.list_tools()).tools) == 31
    assert any(str(r.uri) == "ken://projects" for r in (await client.list_resources()).resources)


async def calls(client):
    await search(client)
    failed = await client.call_tool("outline", {"file_path": "none.c", "project": PROJECT})
    assert failed.is_error
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as e:
        assert e.error.code == -32602
    else:
        raise AssertionError("an unknown tool must be refused")


async def cancels(client):
    """What is cancelled does not go on: the index can be written again, and what has changed is still to do."""
    begun = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(index_large, client, begun)
        await begun.wait()
        tasks.cancel_scope.cancel()
    while True:
        again = await client.call_tool("index_repository", {"path": LARGE, "format": "json"})
        if not again.is_error:
            break
        await anyio.sleep(0.1)
    assert again.structured_content["changes"]["modified"] > 1000, again.structured_content


async def subscribes(client, updates):
    if ERA == "modern":
        async with client.listen(resource_subscriptions=[STATUS]) as subscription:
            await anyio.sleep(2.5)
            change_project()
            assert await anext(subscription) == ResourceUpdated(uri=STATUS)
        return
    await client.subscribe_resource(STATUS)
    await anyio.sleep(2.5)
    change_project()
    assert await updates.receive() == STATUS
    await client.unsubscribe_resource(STATUS)


async def break_call(client):
    """How a call ends whose connection breaks."""
    outcome = {}

    async def run():
        try:
            outcome["result"] = await index_large(client, begun)
        except MCPError as e:
            outcome["error"] = e

    begun = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await begun.wait()
        await anyio.to_thread.run_sync(break_connection)
    return outcome


async def comes_back(client):
    outcome = await break_call(client)
    if TRANSPORT == "stdio":
        assert "error" in outcome, outcome
        async with connect() as again:
            await search(again)
        return
    # The legacy era takes up the stream; the stateless one has nothing to take up.
    assert ("result" if ERA == "legacy" else "error") in outcome, outcome
    await search(client)


async def main():
    sender, updates = anyio.create_memory_object_stream(100)

    async def on_message(message):
        if isinstance(message, ResourceUpdatedNotification):
            await sender.send(str(message.params.uri))

    with anyio.fail_after(PATIENCE):
        async with connect(message_handler=on_message) as client:
            for step, *more in ((lists,), (calls,), (cancels,), (subscribes, updates), (comes_back,)):
                await step(client, *more)
                print(step.__name__.replace("_", " "), flush=True)


anyio.run(main)
