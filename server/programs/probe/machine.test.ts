import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadBoard } from '../../parts/boards/board.ts';
import { errnoError } from '../../platform/errno.ts';
import { FakeGpioChip } from '../../testing/fakeGpioChip.ts';
import { firstProfile } from './firstProfile.ts';
import { bitsOf } from './inputs.ts';
import { machineFacts } from './machine.ts';
import { report } from './report.ts';
import { ScratchMachine } from './testing/scratchMachine.ts';

const CHIP = '/dev/gpiochip0';

/** A board as people own it. */
const BOARD = {
  '/sys/firmware/devicetree/base/model': 'Acme Panel 7 (rev. 2)\0',
  [CHIP]: '',
  '/sys/class/leds/panel:red:status/max_brightness': '255\n',
  '/sys/class/leds/panel:green:status/max_brightness': '255\n',
  '/sys/class/leds/panel:blue:status/max_brightness': '255\n',
  '/sys/class/leds/mmc0::/max_brightness': '1\n',
  '/sys/class/backlight/backlight/max_brightness': '200\n',
  '/dev/ttyS0': '',
  '/dev/ttyS2': '',
  '/dev/ttyS10': '',
  '/dev/ttyUSB0': '',
  '/sys/class/tty/console/active': 'tty0 ttyS2\n',
  '/sys/class/tty/tty1/dev': '4:1\n',
  '/sys/class/tty/ttyS0/type': '0\n',
  '/sys/class/tty/ttyS2/type': '4\n',
  '/sys/class/tty/ttyS10/type': '4\n',
  '/sys/class/tty/ttyS10/device/of_node/linux,rs485-enabled-at-boot-time': '',
  '/sys/class/tty/ttyUSB0/device/driver': '-> /sys/bus/usb-serial/drivers/ftdi_sio',
  '/dev/serial/by-id/usb-FTDI_A50285BI-if00-port0': '-> /dev/ttyUSB0',
  '/sys/class/rtc/rtc0/name': 'rk808-rtc\n',
  '/sys/class/rtc/rtc1/name': 'hym8563\n',
  '/sys/class/rtc/rtc1/wakealarm': '',
  '/sys/class/rtc/rtc1/hctosys': '1\n',
  '/sys/class/sound/card0/id': 'rockchipes8388\n',
  '/sys/class/sound/pcmC0D0p/dev': '116:3\n',
  '/sys/bus/iio/devices/iio:device0/name': 'sht3x\n',
  '/sys/bus/iio/devices/iio:device0/in_temp_input': '21500\n',
  '/sys/bus/iio/devices/iio:device0/in_humidityrelative_input': '40000\n',
  '/sys/bus/iio/devices/iio:device1/name': 'rockchip-saradc\n',
  '/sys/bus/iio/devices/iio:device1/in_voltage0_raw': '12\n',
  '/sys/class/hwmon/hwmon0/name': 'cpu_thermal\n',
  '/sys/class/hwmon/hwmon0/temp1_input': '41000\n',
  '/sys/class/input/event0/device/name': 'gpio-keys\n',
  '/sys/class/input/event0/device/capabilities/key': '1000000000000000 0\n',
  '/dev/input/event0': '',
  '/dev/input/by-path/platform-gpio-keys-event': '-> /dev/input/event0',
  '/sys/class/input/event1/device/name': 'Goodix Touch\n',
  '/sys/class/input/event1/device/capabilities/abs': '2658000 3\n',
  '/sys/class/input/event1/device/properties': '2\n',
  '/sys/class/input/event2/device/name': 'Barcode\n',
  '/sys/class/input/event2/device/capabilities/key':
    '1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe\n',
} as const;

describe('what a machine has', () => {
  let machine: ScratchMachine;

  /** The board of above, its lines with these names; the second last is held by another program. */
  function look(names: readonly string[], files: Readonly<Record<string, string>> = BOARD) {
    machine = new ScratchMachine(files);
    const chip = new FakeGpioChip(CHIP, names);
    const held = chip.lines.at(-2);
    if (held) held.flags = 8n;
    const facts = machineFacts(chip, machine.root);
    assert.equal(chip.chips.size + chip.held.size, 0, 'every descriptor is closed');
    assert.ok(
      chip.lines.every(({ configured }) => configured.length === 0),
      'no line is requested',
    );
    return facts;
  }

  function accepted(profile: unknown) {
    const path = join(machine.root, 'profile.json');
    writeFileSync(path, JSON.stringify(profile));
    return loadBoard(path);
  }

  test('should find each kind of part, with its stable name and its use', () => {
    const facts = look(['', 'RELAY1', 'DI1', 'sd-power', 'RELAY2', 'DI2']);
    assert.equal(facts.model, 'Acme Panel 7 (rev. 2)');
    assert.deepEqual(facts.gpioChips[0]?.label, 'fake-pins');
    assert.deepEqual(facts.gpioChips[0]?.lines[4], {
      offset: 4,
      name: 'RELAY2',
      holder: 'another program',
      direction: 'output',
    });
    assert.deepEqual(
      facts.serialPorts.map(({ node, stable, driver, isConsole, isRs485 }) => [
        node,
        stable,
        driver,
        isConsole,
        isRs485,
      ]),
      [
        ['/dev/ttyS2', null, null, true, false],
        ['/dev/ttyS10', null, null, false, true],
        ['/dev/ttyUSB0', '/dev/serial/by-id/usb-FTDI_A50285BI-if00-port0', 'ftdi_sio', false, false],
      ],
    );
    assert.deepEqual(
      facts.rtcs.map(({ name, wakes, isSystemClock }) => [name, wakes, isSystemClock]),
      [
        ['rk808-rtc', false, false],
        ['hym8563', true, true],
      ],
    );
    assert.deepEqual(facts.soundCards, [{ id: 'rockchipes8388', plays: true, records: false }]);
    assert.deepEqual(
      facts.sensors.map(({ name, measures }) => [name, ...measures]),
      [
        ['sht3x', 'temperature', 'humidity'],
        ['cpu_thermal', 'temperature'],
      ],
    );
    assert.deepEqual(
      facts.inputs.map(({ kind, stable, keys }) => [kind, stable, keys]),
      [
        ['buttons', '/dev/input/by-path/platform-gpio-keys-event', [124]],
        ['touch screen', null, []],
        ['keyboard or reader', null, []],
      ],
    );
    assert.deepEqual(facts.unread, []);
  });

  test('should tell people all of it', () => {
    const text = report(look(['', 'RELAY1', 'DI1', 'sd-power', 'RELAY2', 'DI2']));
    for (const line of [
      'Acme Panel 7 (rev. 2)',
      '  /dev/gpiochip0  fake-pins  6 lines  those without name and holder left out',
      '      1 RELAY1  input',
      '      4 RELAY2  output  held by another program',
      '  /dev/ttyS2  the console of the kernel',
      '  /sys/class/rtc/rtc1  hym8563  can wake the machine  sets the time',
      '  /sys/bus/iio/devices/iio:device0  sht3x  temperature and humidity',
      '  /dev/input/event0  buttons  gpio-keys  keys 124  /dev/input/by-path/platform-gpio-keys-event',
    ])
      assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  });

  test('should write a first profile that the service takes, with pins that nothing moves', async () => {
    const profile = firstProfile(look(['', 'RELAY1', 'DI1', 'sd-power', 'RELAY3', 'RELAY2', 'DI1']));
    const board = await accepted(profile);
    assert.equal(board.name, 'acme-panel-7-rev-2');
    assert.deepEqual(board.gpio, {
      driver: 'gpiochip',
      path: CHIP,
      labels: ['DI1', 'RELAY1', 'RELAY3'],
      relays: [1, 2],
      lines: [
        { name: 'DI1', direction: 'input' },
        { name: 'RELAY1', direction: 'both' },
        { name: 'RELAY3', direction: 'both' },
      ],
    });
    assert.deepEqual(board.led, {
      driver: 'sysfs',
      path: {
        red: '/sys/class/leds/panel:red:status',
        green: '/sys/class/leds/panel:green:status',
        blue: '/sys/class/leds/panel:blue:status',
      },
    });
    assert.deepEqual(
      board.serial.map((part) => 'path' in part && [part.port, part.path, part.rs485]),
      [
        ['/dev/ttyS10', '/dev/ttyS10', true],
        ['/dev/ttyUSB0', '/dev/serial/by-id/usb-FTDI_A50285BI-if00-port0', false],
      ],
    );
    assert.deepEqual(board.buttons, {
      driver: 'evdev',
      path: '/dev/input/by-path/platform-gpio-keys-event',
    });
    assert.equal(board.readers, undefined);
    assert.deepEqual(board.climate, { driver: 'iio', path: '/sys/bus/iio/devices/iio:device0' });
    assert.deepEqual(board.rtc, { driver: 'wakealarm', path: '/sys/class/rtc/rtc1' });
    assert.match(String(profile.$comment), /ttyS2 is left out: the kernel prints there/);
  });

  test('should leave pins out whose names tell nothing, and say so', async () => {
    const profile = firstProfile(look(['GPIO2', 'GPIO3', 'GPIO4', 'GPIO17']));
    assert.equal((await accepted(profile)).gpio, undefined);
    assert.match(String(profile.$comment), /no free line has a name that tells/);
  });

  test('should name what it may not read, and go on', async () => {
    machine = new ScratchMachine(BOARD);
    const io = new FakeGpioChip(CHIP, []);
    io.open = (path) => {
      throw errnoError('EACCES', path);
    };
    const facts = machineFacts(io, machine.root);
    assert.deepEqual(facts.unread, ['/dev/gpiochip0: EACCES (permission denied)']);
    assert.equal(facts.leds.length, 4);
    assert.match(report(facts), /Could not be read \(try as root\)\n {2}\/dev\/gpiochip0/);
    assert.equal((await accepted(firstProfile(facts))).gpio, undefined);
  });

  test('should make a profile of a machine that has nothing', async () => {
    const facts = look([], {});
    assert.deepEqual(await accepted(firstProfile(facts)), {
      name: 'my-panel',
      serial: [],
      power: { driver: 'logind' },
      apps: { driver: 'desktop' },
    });
  });

  test('security: should take control characters out of what a device calls itself', () => {
    const facts = look([], {
      '/sys/class/input/event0/device/name': 'Evil\u001b[2Jname\n',
      '/sys/firmware/devicetree/base/model': '\u0007..\u0000',
    });
    assert.equal(facts.inputs[0]?.name, 'Evil [2Jname');
    assert.equal(facts.model, '..');
    assert.equal(firstProfile(facts).name, 'my-panel');
  });
});

test('should read the bits of a map word by word', () => {
  assert.deepEqual(bitsOf('1000000000000000 0'), [124]);
  assert.deepEqual(bitsOf('10 1'), [0, 68]);
  assert.deepEqual(bitsOf('0'), []);
  assert.deepEqual(bitsOf('nonsense'), []);
});
