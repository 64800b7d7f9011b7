"""An independent double of a panel's device nodes, for tests of the unchanged drivers (umockdev; no root needed).

Serves /dev/gpio_control, /dev/ledjni, LED class folders, the wake alarm and two ttys at their real paths to every
process that runs with LD_PRELOAD=libumockdev-preload.so.0 and UMOCKDEV_DIR. It must be a separate process: an ioctl
blocks its caller until the double has answered.

Prints one JSON line when ready: {"root", "socket"}. Takes commands as JSON lines on that Unix socket, one answer line
each; ends when its standard input ends. The commands are the methods of class Commands.
"""

import ctypes
import errno
import json
import os
import select
import shutil
import socket
import struct
import sys
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

PRELOAD = "libumockdev-preload.so.0"
"""Of the package umockdev; the Python binding works without it, but then programs would open the real nodes."""

TIOCGRS485 = 0x542E
TIOCSRS485 = 0x542F
IN_CLOSE_WRITE = 0x8
TRIGGERS = ["none", "timer", "heartbeat"]

DEVICES = r"""P: /devices/platform/gpio_control
N: gpio_control
E: SUBSYSTEM=misc
E: DEVNAME=/dev/gpio_control
A: dev=10:120\n

P: /devices/platform/ledjni
N: ledjni
E: SUBSYSTEM=misc
E: DEVNAME=/dev/ledjni
A: dev=10:121\n

P: /devices/platform/leds/leds/rgb:status
E: SUBSYSTEM=leds
A: brightness=0\n
A: max_brightness=255\n
A: multi_index=green red blue\n
A: multi_intensity=0 0 0\n
A: trigger=none timer [heartbeat]\n

P: /devices/platform/leds/leds/panel:red:status
E: SUBSYSTEM=leds
A: brightness=0\n
A: max_brightness=100\n
A: trigger=[none] timer heartbeat\n

P: /devices/platform/leds/leds/panel:green:status
E: SUBSYSTEM=leds
A: brightness=0\n
A: max_brightness=100\n
A: trigger=[none] timer heartbeat\n

P: /devices/platform/leds/leds/panel:blue:status
E: SUBSYSTEM=leds
A: brightness=0\n
A: max_brightness=1\n
A: trigger=[none] timer heartbeat\n

P: /devices/platform/rtc/rtc0
N: rtc0
E: SUBSYSTEM=rtc
E: DEVNAME=/dev/rtc0
A: dev=250:0\n
A: since_epoch=1790000000\n
A: wakealarm=

P: /devices/platform/i2c/iio:device0
E: SUBSYSTEM=iio
A: name=sht3x\n
A: in_temp_input=21500\n
A: in_humidityrelative_input=40000\n
A: in_proximity_raw=0\n

P: /devices/platform/i2c/hwmon/hwmon0
E: SUBSYSTEM=hwmon
A: name=sht3x\n
A: temp1_input=21500\n
A: humidity1_input=40000\n

P: /devices/platform/gpio-keys/input/input3/event3
N: input/event3
E: SUBSYSTEM=input
E: DEVNAME=/dev/input/event3
A: dev=13:67\n

P: /devices/platform/serial8250/tty/ttyS5
N: ttyS5
E: SUBSYSTEM=tty
E: DEVNAME=/dev/ttyS5
A: dev=4:69\n

P: /devices/platform/serial8250/tty/ttyS9
N: ttyS9
E: SUBSYSTEM=tty
E: DEVNAME=/dev/ttyS9
A: dev=4:73\n
"""
WATCHED = [
    "/sys/devices/platform/leds/leds/rgb:status",
    "/sys/devices/platform/leds/leds/panel:red:status",
    "/sys/devices/platform/leds/leds/panel:green:status",
    "/sys/devices/platform/leds/leds/panel:blue:status",
    "/sys/devices/platform/rtc/rtc0",
]
INPUT = "/dev/input/event3"
EVIOCGRAB = 0x40044590
EVIOCGKEY = 0x80604518
TTYS = ["/dev/ttyS5", "/dev/ttyS9"]

calls = []
"""Every ioctl and every written attribute, in order."""

faults = {}
"""Per device the errors to answer: a list of [calls to let pass, errno number, times]."""


def fault_of(device):
    """The errno that this call must fail with, or 0."""
    for fault in faults.get(device, []):
        if fault[0] > 0:
            fault[0] -= 1
            continue
        if fault[2] > 0:
            fault[2] -= 1
            return fault[1]
    return 0


class Handler(UMockdev.IoctlBase):
    """Answers the ioctls of one node; our own exceptions become EIO for the driver and a line on standard error."""

    device = ""

    def do_handle_ioctl(self, client):
        request = client.get_request()
        try:
            result, error = self.answer(request, client)
        except Exception as failure:  # noqa: BLE001
            print("double:", repr(failure), file=sys.stderr, flush=True)
            result, error = -1, errno.EIO
        client.complete(result, error)
        return True

    def recorded(self, request, argument):
        calls.append({"device": self.device, "request": request, "argument": argument})
        return fault_of(self.device)


class GpioControl(Handler):
    """Four pins; the level stands in the request, the argument is the address of the pin number."""

    device = "/dev/gpio_control"

    def __init__(self):
        super().__init__()
        self.levels = [0, 0, 0, 0]
        self.stuck = None

    def answer(self, request, client):
        if request not in (0x40000000, 0x40000001, 0x80000000):
            return -1, errno.ENOTTY
        (pin,) = struct.unpack("i", bytes(client.get_arg().resolve(0, 4).retrieve()))
        error = self.recorded(request, pin)
        if error:
            return -1, error
        if not 0 <= pin <= 3:
            return -1, errno.EINVAL
        if request == 0x80000000:
            return self.levels[pin], 0
        if pin != self.stuck:
            self.levels[pin] = request & 1
        return 0, 0


class LedJni(Handler):
    """Three channels; the argument is the value itself."""

    device = "/dev/ledjni"

    def __init__(self):
        super().__init__()
        self.channels = [0, 0, 0]

    def answer(self, request, client):
        if request not in (0xA1, 0xA2, 0xA3, 0x99):
            return -1, errno.ENOTTY
        (value,) = struct.unpack("Q", bytes(client.get_arg().retrieve()))
        error = self.recorded(request, value)
        if error:
            return -1, error
        if request == 0x99:
            self.channels = [0, 0, 0]
        else:
            self.channels[request - 0xA1] = value
        return 0, 0


class Tty(Handler):
    """A pty, with the RS-485 calls of a uart that a pty does not know."""

    def __init__(self, device):
        super().__init__()
        self.device = device
        self.rs485 = bytes(32)

    def answer(self, request, client):
        if request not in (TIOCGRS485, TIOCSRS485):
            return client.execute()
        argument = client.get_arg().resolve(0, 32)
        if request == TIOCGRS485:
            error = self.recorded(request, None)
            if not error:
                argument.update(0, list(self.rs485))
            return (-1, error) if error else (0, 0)
        value = bytes(argument.retrieve())
        error = self.recorded(request, value.hex())
        if error:
            return -1, error
        self.rs485 = value
        return 0, 0


class Input(Handler):
    """Keys: what is typed comes through a pipe, the kernel's answers from here."""

    device = INPUT

    def __init__(self):
        super().__init__()
        self.down = []

    def answer(self, request, client):
        if request == EVIOCGRAB:
            (value,) = struct.unpack("Q", bytes(client.get_arg().retrieve()))
            error = self.recorded(request, value)
            return (-1, error) if error else (0, 0)
        if request != EVIOCGKEY:
            return -1, errno.ENOTTY
        bits = bytearray(96)
        for code in self.down:
            bits[code >> 3] |= 1 << (code & 7)
        client.get_arg().resolve(0, 96).update(0, list(bits))
        return 96, 0


class Attributes:
    """Notices each written attribute by inotify, and answers a trigger as the kernel does."""

    def __init__(self, root):
        self.root = root
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.folders = {}
        for folder in WATCHED:
            watch = libc.inotify_add_watch(self.fd, (root + folder).encode(), IN_CLOSE_WRITE)
            self.folders[watch] = folder
        GLib.io_add_watch(self.fd, GLib.IO_IN, self.take)

    def take(self, *_):
        try:
            events = os.read(self.fd, 65536)
        except BlockingIOError:
            return True
        while events:
            watch, _mask, _cookie, length = struct.unpack_from("iIII", events)
            name = events[16 : 16 + length].rstrip(b"\0").decode()
            events = events[16 + length :]
            self.written(self.folders[watch], name)
        return True

    def written(self, folder, name):
        if name.endswith(".new"):
            return
        path = f"{self.root}{folder}/{name}"
        with open(path) as file:
            value = file.read().strip()
        calls.append({"device": f"/sys/class/{folder.split('/')[-2]}/{folder.split('/')[-1]}/{name}", "wrote": value})
        if name == "trigger" and value in TRIGGERS:
            self.replace(path, " ".join(f"[{one}]" if one == value else one for one in TRIGGERS))

    def replace(self, path, value):
        """By rename: our own change must not count as a written attribute."""
        with open(f"{path}.new", "w") as file:
            file.write(f"{value}\n")
        os.rename(f"{path}.new", path)


class Commands:
    """What a test may ask of the double; the arguments are the other members of the JSON object."""

    def __init__(self, testbed, gpio, led, keys, attributes):
        self.testbed = testbed
        self.root = testbed.get_root_dir()
        self.gpio = gpio
        self.led = led
        self.keys = keys
        self.attributes = attributes

    def take_calls(self):
        """Everything since the last time, oldest first."""
        self.attributes.take()
        taken = list(calls)
        calls.clear()
        return taken

    def pins(self):
        return self.gpio.levels

    def set_pin(self, pin, level):
        """The outside world changes a wire."""
        self.gpio.levels[pin] = level

    def stick_pin(self, pin):
        """A relay that no longer moves; null repairs it."""
        self.gpio.stuck = pin

    def channels(self):
        return self.led.channels

    def fail(self, device, error, after=0, times=1):
        """The next calls of a node fail, except the first `after` ones."""
        faults.setdefault(device, []).append([after, getattr(errno, error), times])

    def mend(self):
        faults.clear()

    def attribute(self, path):
        with open(self.root + path) as file:
            return file.read()

    def set_attribute(self, path, value):
        self.attributes.replace(os.path.realpath(self.root + path), value)

    def remove(self, path):
        """The node or attribute is gone until `restore`."""
        os.rename(self.root + path, f"{self.root}{path}.gone")

    def restore(self, path):
        os.rename(f"{self.root}{path}.gone", self.root + path)

    def type_keys(self, events, down=None):
        """Somebody types: events as [type, code, value]; `down` is what the kernel then says is down."""
        self.keys.down = down or []
        pipe = os.open(self.root + INPUT, os.O_RDWR | os.O_NONBLOCK)
        os.write(pipe, b"".join(struct.pack("qqHHi", 0, 0, *event) for event in events))
        # The reader has it open: what was written stays in the pipe.
        os.close(pipe)

    def tty_send(self, path, hex):
        """The peer on the wire sends."""
        os.write(self.testbed.get_dev_fd(path), bytes.fromhex(hex))

    def tty_received(self, path, count):
        """The next bytes that come out of the port; fewer if they do not come within 5 s."""
        fd = self.testbed.get_dev_fd(path)
        deadline = time.monotonic() + 5
        received = b""
        while len(received) < count:
            ready, _, _ = select.select([fd], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                break
            received += os.read(fd, count - len(received))
        return received.hex()


def serve(commands, connection):
    """One connection of a test: a line in, a line out."""
    file = connection.makefile("rwb")

    def line(*_):
        text = file.readline()
        if not text:
            connection.close()
            return False
        arguments = json.loads(text)
        try:
            answer = {"result": getattr(commands, arguments.pop("do"))(**arguments)}
        except Exception as failure:  # noqa: BLE001
            answer = {"error": repr(failure)}
        file.write(json.dumps(answer).encode() + b"\n")
        file.flush()
        return True

    GLib.io_add_watch(connection.fileno(), GLib.IO_IN | GLib.IO_HUP, line)
    return True


def main():
    ctypes.CDLL(PRELOAD)
    testbed = UMockdev.Testbed.new()
    testbed.add_from_string(DEVICES)
    root = testbed.get_root_dir()
    gpio, led, keys = GpioControl(), LedJni(), Input()
    os.unlink(root + INPUT)
    os.mkfifo(root + INPUT)
    nodes = {"/dev/gpio_control": gpio, "/dev/ledjni": led, INPUT: keys, **{path: Tty(path) for path in TTYS}}
    for path, handler in nodes.items():
        testbed.attach_ioctl(path, handler)
    commands = Commands(testbed, gpio, led, keys, Attributes(root))

    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{root}/commands")
    server.listen()
    GLib.io_add_watch(server.fileno(), GLib.IO_IN, lambda *_: serve(commands, server.accept()[0]))
    loop = GLib.MainLoop()

    def ended(*_):
        if not os.read(0, 4096):
            loop.quit()
            return False
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, ended)
    print(json.dumps({"root": root, "socket": f"{root}/commands"}), flush=True)
    loop.run()
    for path in nodes:
        testbed.detach_ioctl(path)
    shutil.rmtree(root, ignore_errors=True)


main()
