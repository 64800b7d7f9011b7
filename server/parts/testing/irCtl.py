"""
Debian's ir-ctl on a LIRC device that is played (umockdev). Takes scancodes as arguments, such as nec:0x1234. Prints for each
one JSON line with the carrier and the times that ir-ctl writes to the device, in microseconds.
"""

import ctypes
import errno
import json
import os
import struct
import subprocess
import sys
import threading

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

PRELOAD = "libumockdev-preload.so.0"
DEVICE = "/dev/lirc0"
NODE = r"""P: /devices/virtual/rc/rc0/lirc0
N: lirc0
E: SUBSYSTEM=lirc
E: DEVNAME=/dev/lirc0
A: dev=251:0\n
"""
GET_FEATURES = 0x80046900
SET_SEND_CARRIER = 0x40046913
SET_SEND_MODE = 0x40046911
MODE_PULSE = 2
CAN_SEND = 0x2 | 0x100


class Lirc(UMockdev.IoctlBase):
    carrier = None
    times = []

    def do_handle_ioctl(self, client):
        request = client.get_request()
        argument = client.get_arg().resolve(0, 4)
        if request == GET_FEATURES:
            argument.update(0, list(struct.pack("I", CAN_SEND)))
        elif request == SET_SEND_MODE and struct.unpack("I", bytes(argument.retrieve()))[0] != MODE_PULSE:
            # It would leave the times to the kernel.
            client.complete(-1, errno.EINVAL)
            return True
        elif request == SET_SEND_CARRIER:
            (self.carrier,) = struct.unpack("I", bytes(argument.retrieve()))
        client.complete(0, 0)
        return True

    def do_handle_write(self, client):
        data = bytes(client.get_arg().retrieve())
        self.times = list(struct.unpack(f"{len(data) // 4}I", data))
        client.complete(len(data), 0)
        return True


def main():
    ctypes.CDLL(PRELOAD)
    testbed = UMockdev.Testbed.new()
    testbed.add_from_string(NODE)
    root = testbed.get_root_dir()
    lirc = Lirc()
    testbed.attach_ioctl(DEVICE, lirc)
    loop = GLib.MainLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    env = {**os.environ, "LD_PRELOAD": PRELOAD, "UMOCKDEV_DIR": root}
    for scancode in sys.argv[1:]:
        done = subprocess.run(["ir-ctl", "-d", DEVICE, "-S", scancode], env=env, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        print(json.dumps({"carrier": lirc.carrier, "times": lirc.times}), flush=True)


main()
