#!/usr/bin/python3
"""RTSP cameras for tests, on a free port of 127.0.0.1. Prints the port; ends when its standard input closes."""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
gi.require_version("GstRtsp", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

USER, PASSWORD = "cam", "s3cret pass"


def video(width, height, encoder="", payloader="", rate=25, pattern="ball"):
    """A picture, by default a moving ball, as H.264 baseline with a key frame every two seconds."""
    return (
        f"videotestsrc is-live=true pattern={pattern} "
        f"! video/x-raw,width={width},height={height},framerate={rate}/1 "
        f"! x264enc tune=zerolatency speed-preset=ultrafast key-int-max={2 * rate} bitrate=600 {encoder}"
        f" ! rtph264pay name=pay0 pt=96 mtu=1200 config-interval=-1 {payloader}"
    )


BASELINE = "! video/x-h264,profile=baseline"
PCMU = "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay name=pay1 pt=0"
PCMA = "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=pay1 pt=8"
G722 = "audiotestsrc is-live=true ! audio/x-raw,rate=16000,channels=1 ! avenc_g722 ! rtpg722pay name=pay1 pt=9"
OPUS = "audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay name=pay1 pt=97"
AAC = "audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! avenc_aac ! aacparse ! rtpmp4gpay name=pay1 pt=97"
H265 = (
    "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=10/1 "
    "! x265enc tune=zerolatency speed-preset=ultrafast bitrate=200 ! rtph265pay name=pay0 pt=96"
)

B_FRAMES = (
    "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=25/1 "
    "! x264enc bframes=2 b-adapt=false speed-preset=ultrafast key-int-max=25 ! video/x-h264,profile=main "
    "! rtph264pay name=pay0 pt=96 config-interval=-1"
)

MOUNTS = {
    "/h264-pcmu": f"{video(640, 360, BASELINE)} {PCMU}",
    "/h264-pcma": f"{video(320, 180, BASELINE)} {PCMA}",
    "/h264-g722": f"{video(320, 180, BASELINE)} {G722}",
    "/h264-opus": f"{video(640, 360, BASELINE)} {OPUS}",
    "/h264-aac": f"{video(320, 180, BASELINE)} {AAC}",
    "/h264": video(320, 180, BASELINE),
    "/high": video(640, 360, "dct8x8=true ! video/x-h264,profile=high"),
    "/main": video(640, 360, "! video/x-h264,profile=main"),
    # Parameter sets only in the description.
    "/no-sets": video(640, 360, f"{BASELINE} ! h264parse ! video/x-h264,stream-format=avc", "config-interval=0"),
    # Most cameras fill an Ethernet frame: more than a browser accepts.
    "/usual-packets": video(1280, 720, f"bitrate=3000 {BASELINE}", "mtu=1400"),
    "/large-packets": video(640, 360, BASELINE, "mtu=16000"),
    # The profiles of one camera, with nothing black.
    "/white-small": video(320, 180, BASELINE, pattern="white"),
    "/white-large": video(1280, 720, BASELINE, pattern="white"),
    "/h265": H265,
    "/b-frames": B_FRAMES,
    "/udp": f"{video(320, 180, BASELINE)} {PCMU}",
    "/login": video(320, 180, BASELINE, rate=15),
}
# An anonymous caller must see the mount but not build it: only then does the server answer 401.
NEEDS_LOGIN = {"/login"}
# Answers 461 to a client that wants the media inside the connection.
UDP_ONLY = {"/udp"}


def factory(path, launch):
    made = GstRtspServer.RTSPMediaFactory()
    made.set_launch(f"( {launch} )")
    made.set_shared(True)
    made.set_latency(0)
    if path in UDP_ONLY:
        made.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
    permissions = GstRtspServer.RTSPPermissions()
    for role in ("user", "anonymous"):
        permissions.add_permission_for_role(role, "media.factory.access", True)
        allowed = role == "user" or path not in NEEDS_LOGIN
        permissions.add_permission_for_role(role, "media.factory.construct", allowed)
    made.set_permissions(permissions)
    return made


def auth():
    made = GstRtspServer.RTSPAuth()
    made.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    user = GstRtspServer.RTSPToken()
    user.set_string("media.factory.role", "user")
    made.add_digest(USER, PASSWORD, user)
    anonymous = GstRtspServer.RTSPToken()
    anonymous.set_string("media.factory.role", "anonymous")
    made.set_default_token(anonymous)
    return made


def main():
    Gst.init(None)
    loop = GLib.MainLoop()
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(sys.argv[1] if len(sys.argv) > 1 else "0")
    mounts = server.get_mount_points()
    for path, launch in MOUNTS.items():
        mounts.add_factory(path, factory(path, launch))
    server.set_auth(auth())
    if server.attach(None) == 0:
        sys.exit("the port is in use")
    print(server.get_bound_port(), flush=True)
    # The test that started this may be killed: its end of the pipe then closes, and nothing is left behind.
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP | GLib.IOCondition.IN, lambda *_: loop.quit())
    loop.run()


main()
