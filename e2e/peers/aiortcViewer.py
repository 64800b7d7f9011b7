"""A WHEP viewer that is no browser: prints how many pictures it decoded, and how long after DELETE its video ended."""

import asyncio
import json
import sys
import time

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription

PICTURES = 25


async def main(url: str) -> None:
    pc = RTCPeerConnection()
    # Sound first, as most programs offer it: a camera without sound has it rejected.
    pc.addTransceiver("audio", direction="recvonly")
    pc.addTransceiver("video", direction="recvonly")
    enough, ended = asyncio.Event(), asyncio.Event()
    pictures = 0

    @pc.on("track")
    async def watch(track):
        nonlocal pictures
        if track.kind != "video":
            return
        try:
            while True:
                await track.recv()
                pictures += 1
                if pictures == PICTURES:
                    enough.set()
        except Exception:
            ended.set()

    await pc.setLocalDescription(await pc.createOffer())
    async with aiohttp.ClientSession() as http:
        offer = pc.localDescription.sdp
        async with http.post(url, data=offer, headers={"content-type": "application/sdp"}) as answer:
            text = await answer.text()
            if answer.status != 201:
                raise SystemExit(f"{answer.status} {text}")
        await pc.setRemoteDescription(RTCSessionDescription(text, "answer"))
        await asyncio.wait_for(enough.wait(), 20)
        began = time.monotonic()
        async with http.delete(url.split("?")[0]) as answer:
            assert answer.status == 200
        await asyncio.wait_for(ended.wait(), 10)
    print(json.dumps({"pictures": pictures, "endedMs": round(1000 * (time.monotonic() - began))}))
    await pc.close()


asyncio.run(main(sys.argv[1]))
