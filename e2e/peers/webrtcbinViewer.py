"""A WHEP viewer as GStreamer's whepsrc is one: prints how many pictures webrtcbin and a decoder made."""

import json
import sys
import urllib.error
import urllib.request

import gi

for name in ("Gst", "GstSdp", "GstWebRTC"):
    gi.require_version(name, "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

PICTURES = 25
# The formats that whepsrc asks for unless it is told otherwise, in its order.
FORMATS = [
    "application/x-rtp,media=audio,encoding-name=OPUS,payload=101,clock-rate=48000",
    "application/x-rtp,media=video,encoding-name=H264,payload=102,clock-rate=90000",
]
RECVONLY = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
COMPLETE = GstWebRTC.WebRTCICEGatheringState.COMPLETE

Gst.init(None)
url = sys.argv[1]
loop = GLib.MainLoop()
pipeline = Gst.Pipeline.new()
webrtc = Gst.ElementFactory.make("webrtcbin")
webrtc.set_property("bundle-policy", "max-bundle")
pipeline.add(webrtc)
seen = {"pictures": 0, "audio": 0}
failures = []
kept = []


def fail(reason: str) -> bool:
    failures.append(reason)
    loop.quit()
    return False


def description(kind, text: str):
    _, message = GstSdp.SDPMessage.new()
    GstSdp.sdp_message_parse_buffer(text.encode(), message)
    return GstWebRTC.WebRTCSessionDescription.new(kind, message)


def count(pad, _info, kind: str):
    seen[kind] += 1
    if seen[kind] == PICTURES and kind == "pictures":
        GLib.idle_add(loop.quit)
    return Gst.PadProbeReturn.OK


def on_pad(_webrtc, pad):
    if pad.get_direction() != Gst.PadDirection.SRC:
        return
    is_video = "media=(string)video" in pad.get_current_caps().to_string()
    decode = "rtph264depay ! h264parse ! avdec_h264 ! " if is_video else ""
    end = Gst.parse_bin_from_description(decode + "fakesink name=end sync=false async=false", True)
    pipeline.add(end)
    end.sync_state_with_parent()
    pad.link(end.get_static_pad("sink"))
    kind = "pictures" if is_video else "audio"
    end.get_by_name("end").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, count, kind)


def request(method: str, address: str, body: bytes | None = None):
    headers = {"content-type": "application/sdp"} if body else {}
    return urllib.request.urlopen(urllib.request.Request(address, body, headers, method=method))


def post() -> bool:
    local = webrtc.get_property("local-description")
    offer = local.sdp.as_text()
    try:
        with request("POST", url, offer.encode()) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        return fail(f"{error.code} {error.read().decode()}")
    remote = description(GstWebRTC.WebRTCSDPType.ANSWER, text)
    webrtc.emit("set-remote-description", remote, None)
    # whepsrc adds these too; webrtcbin has taken all of them from the answer already.
    candidates = [line[2:] for line in text.splitlines() if line.startswith("a=candidate:")]
    webrtc.emit("add-ice-candidate", 0, candidates[0])
    return False


def on_gathering(*_):
    # whepsrc sends its offer once, with all candidates.
    if webrtc.get_property("ice-gathering-state") == COMPLETE:
        GLib.idle_add(post)


def on_offer(promise):
    # Each is named, so that Python keeps it as long as the text is read.
    reply = promise.get_reply()
    offer = reply.get_value("offer")
    text = offer.sdp.as_text()
    kept.extend([reply, offer])
    webrtc.emit("set-local-description", description(GstWebRTC.WebRTCSDPType.OFFER, text), None)


webrtc.connect("pad-added", on_pad)
webrtc.connect("notify::ice-gathering-state", on_gathering)
for caps in FORMATS:
    webrtc.emit("add-transceiver", RECVONLY, Gst.Caps.from_string(caps))
pipeline.set_state(Gst.State.PLAYING)
webrtc.emit("create-offer", None, Gst.Promise.new_with_change_func(on_offer))
GLib.timeout_add_seconds(30, fail, "it took too long")
loop.run()
if not failures:
    with request("DELETE", url.split("?")[0]) as answer:
        seen["status"] = answer.status
print(json.dumps({**seen, "failures": failures}))
pipeline.set_state(Gst.State.NULL)
