#!/usr/bin/python3
"""
A camera with a loudspeaker (ONVIF back channel) at /talk, one whose own sound is silence at /silent, and one without at
/plain, on a free port of 127.0.0.1. Writes what it hears to the file of its second argument, as samples of 16 bits at 8 kHz. Prints the port; ends when its standard
input closes.
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

VIDEO = (
    "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=10/1 "
    "! x264enc tune=zerolatency key-int-max=20 ! video/x-h264,profile=baseline ! rtph264pay name=pay0 pt=96"
)
PCMA = "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=pay1 pt=8"
CAPS = "application/x-rtp, media=audio, payload=0, clock-rate=8000, encoding-name=PCMU"


def main():
    Gst.init(None)
    loop = GLib.MainLoop()
    server = GstRtspServer.RTSPOnvifServer()
    server.set_address("127.0.0.1")
    server.set_service(sys.argv[1])
    mounts = server.get_mount_points()
    for path, sound in {"/talk": PCMA, "/silent": PCMA.replace("audiotestsrc", "audiotestsrc wave=silence")}.items():
        talk = GstRtspServer.RTSPOnvifMediaFactory()
        talk.set_launch(f"( {VIDEO} {sound} )")
        talk.set_backchannel_launch(
            f'( capsfilter caps="{CAPS}" name=depay_backchannel ! rtppcmudepay ! mulawdec ! audioconvert ! audioresample '
            "! audio/x-raw,format=S16LE,rate=8000,channels=1 "
            f"! filesink sync=false async=false buffer-mode=unbuffered append=true location={sys.argv[2]} )"
        )
        # Without it the factory makes media that have no way back.
        talk.set_media_gtype(GstRtspServer.RTSPOnvifMedia.__gtype__)
        talk.set_shared(False)
        mounts.add_factory(path, talk)
    plain = GstRtspServer.RTSPMediaFactory()
    plain.set_launch(f"( {VIDEO} )")
    mounts.add_factory("/plain", plain)
    if server.attach(None) == 0:
        sys.exit("the port is in use")
    print(server.get_bound_port(), flush=True)
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP | GLib.IOCondition.IN, lambda *_: loop.quit())
    loop.run()


main()
