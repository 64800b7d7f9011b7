import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasKeyboard, LinuxKeyboards, SimulatedKeyboards } from './driver.ts';

// As the kernel writes them (drivers/input/input.c, input_devices_seq_show).
const POWER_BUTTON = `I: Bus=0019 Vendor=0000 Product=0001 Version=0000
N: Name="Power Button"
S: Sysfs=/devices/LNXSYSTM:00/LNXPWRBN:00/input/input0
H: Handlers=kbd event0
B: EV=3
B: KEY=10000000000000 0`;
const TOUCH = `I: Bus=0018 Vendor=0416 Product=038f Version=0000
N: Name="Goodix Capacitive TouchScreen"
S: Sysfs=/devices/platform/fe5c0000.i2c/i2c-3/3-0014/input/input2
H: Handlers=mouse0 event2
B: EV=b
B: KEY=400 0 0 0 2000000000000000 1f 0`;
const KEYBOARD = `I: Bus=0003 Vendor=046d Product=c31c Version=0110
N: Name="Logitech USB Keyboard"
S: Sysfs=/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/0003:046D:C31C.0001/input/input5
H: Handlers=sysrq kbd leds event5
B: EV=120013
B: KEY=1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe`;
const VIRTUAL = KEYBOARD.replace(/S: Sysfs=.*/, 'S: Sysfs=/devices/virtual/input/input9');
const REMOTE = `${KEYBOARD.split('\n').slice(0, -1).join('\n')}\nB: KEY=ffc000000000000 3ff`;
/** Of a board with 32 bits. */
const KEYBOARD_32 = `${KEYBOARD.split('\n').slice(0, -1).join('\n')}\nB: KEY=10000 7 ff9f207a c14057ff febeffdf ffefffff ffffffff fffffffe`;

test('should find keyboards that are plugged in, and nothing else', () => {
  const list = (...devices: string[]) => `${devices.join('\n\n')}\n\n`;
  assert.equal(hasKeyboard(list(POWER_BUTTON, TOUCH, VIRTUAL, REMOTE)), false);
  assert.equal(hasKeyboard(list(POWER_BUTTON, KEYBOARD, TOUCH)), true);
  assert.equal(hasKeyboard(list(KEYBOARD_32)), true);
  assert.equal(hasKeyboard(''), false);
  assert.equal(hasKeyboard('B: KEY=\n\nB: KEY=xyz'), false);
});

test('should answer no where there is no list, and on the simulated board', async () => {
  assert.equal(await new LinuxKeyboards('/nowhere').isThere(), false);
  assert.equal(await new SimulatedKeyboards().isThere(), false);
  assert.equal(typeof (await new LinuxKeyboards().isThere()), 'boolean');
});
