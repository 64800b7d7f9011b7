import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { usePanel } from './paintedPanel.ts';
import { panels, testedArch } from './progress.ts';

const used = usePanel();
/** What QEMU's machine for arm64 does not have: docs/contributing.md says why. */
const isPc = testedArch === 'amd64';

/** The levels of the lines, as the socket tells them to one who begins to listen. */
async function levels(): Promise<string[]> {
  const line = await used.panel.line('gpio.sock');
  await line.heard(/^3 [01]$/m);
  line.close();
  return line.said.trim().split('\n').sort();
}

test('should have real parts, by drivers of the kernel', async () => {
  const { body } = await used.panel.api('/api/remote/info');
  const parts = body.parts as Record<string, { state: string; driver: string }>;
  const serial = ['serial:/dev/ttyS1', 'serial:/dev/ttyS2'];
  for (const name of ['gpio', 'led', 'ir:IR1', ...serial, 'power', 'sound', ...(isPc ? ['rtc'] : [])])
    expect(parts[name]?.state, name).toBe('real');
  expect(parts.gpio?.driver).toBe('gpiochip');
  expect(parts.led?.driver).toBe('sysfs');
  expect(parts['ir:IR1']?.driver).toBe('lirc');
});

test('should drive the relays in the kernel', async () => {
  const line = await used.panel.line('gpio.sock');
  for (const level of [1, 0] as const) {
    const { body } = await used.panel.api('/api/remote/gpio/write', { pin: 2, level });
    expect(body.ok).toBe(true);
    await line.heard(new RegExp(`^2 ${level}$(?!\\n2)`, 'm'));
  }
  line.close();
  expect(await levels()).toContain('2 0');
});

test('should refuse to drive an input', async () => {
  const answer = await used.panel.api('/api/remote/gpio/write', { pin: 0, level: 1 });
  expect([answer.status, answer.body.code]).toEqual([502, 'HARDWARE_ERROR']);
});

test('should read an input that is pulled', async () => {
  test.skip(!isPc, 'nobody can pull a line of its PL061');
  const { panel } = used;
  const line = await panel.line('gpio.sock');
  const read = async () => (await panel.api('/api/remote/gpio/read', { pin: 0 })).body.level;
  for (const level of [1, 0, 1]) {
    line.send(`0 ${level}\n`);
    await expect.poll(read, { timeout: 60_000 }).toBe(level);
  }
  // What is no such line changes nothing.
  line.send('9 1\n0 2\nrelay\n');
  line.send('x'.repeat(10_000));
  line.send('\n0 0\n');
  await expect.poll(read, { timeout: 60_000 }).toBe(0);
  line.close();
});

test('should switch a relay in the kernel by a touch of the glass', async () => {
  const { panel } = used;
  const line = await panel.line('gpio.sock');
  await line.heard(/^2 0$/m);
  line.clear();
  await panel.tap(0.5, 0.6);
  await line.heard(/^2 1$/m);
  line.close();
});

test('should light the LED in the kernel', async () => {
  const line = await used.panel.line('led.sock');
  const { status } = await used.panel.api('/api/remote/led/color', { red: 255, green: 120, blue: 7 });
  expect(status).toBe(200);
  expect((await used.panel.api('/api/remote/led/on', { on: true })).status).toBe(200);
  await line.heard(/^255 120 7$/m);
  line.close();
});

test('should speak and hear on both serial ports', async () => {
  for (const name of ['ttyS1', 'ttyS2']) {
    const line = await used.panel.line(`${name}.sock`);
    const port = { port: `/dev/${name}`, baudRate: 9600 };
    const { status } = await used.panel.api('/api/remote/serial/write', { ...port, hex: '48656c6c6f0d0a' });
    expect(status).toBe(200);
    await line.heard(/Hello\r\n/);
    const read = used.panel.api('/api/remote/serial/read', { ...port, timeout: 20_000, length: 9 });
    const timer = setInterval(() => line.send('from host'), 4_000);
    const { body } = await read.finally(() => clearInterval(timer));
    expect(body.data).toBe('from host');
    line.close();
  }
});

test('should send infrared through the kernel, and hear it', async () => {
  const { panel } = used;
  const { body } = await panel.api('/api/remote/ir');
  expect(body.ports).toEqual([
    { port: 'IR1', label: 'Loopback', sends: true, receives: true, carrier: true },
  ]);
  // Another reader of the device, which knows nothing of ours.
  await panel.root('timeout 300 cat /dev/lirc0 >/run/heard 2>&1 </dev/null & sleep 1');
  for (const [protocol, address, command, carrier] of [
    ['nec', 4, 8, 38_000],
    ['samsung32', 7, 2, 38_000],
    ['rc5', 5, 35, 36_000],
    ['rc6', 1, 12, 36_000],
    // Three frames at once: the kernel tells the carrier behind the last.
    ['sony12', 1, 21, null],
  ] as const) {
    const code = { protocol, address, command };
    const learned = panel.api('/api/remote/ir/learn', { seconds: 40 });
    let isHeard = false;
    const end = () => {
      isHeard = true;
    };
    void learned.then(end, end);
    // The panel may not listen yet. The pause ends a frame: rc-loopback does not say its end.
    while (!isHeard) {
      await sleep(1_000);
      const sent = await panel.api('/api/remote/ir/send', { code });
      expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    }
    expect(await learned, protocol).toMatchObject({ status: 200, body: { port: 'IR1', code, carrier } });
    // Its last frame, which the next must not take for its own.
    await sleep(3_000);
  }
  // Longer than the kernel takes in one piece.
  const long = { code: { protocol: 'nec', address: 4, command: 9 }, repeat: 10 };
  const sent = await panel.api('/api/remote/ir/send', long);
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  expect(sent.body.ms).toBeGreaterThan(1_000);
  const words = (await panel.root('od -An -v -w4 -t u4 /run/heard')).split('\n').map(Number);
  const pulse = 0x01000000;
  const at = (first: number, second: number) =>
    words.filter((word, index) => word === pulse + first && words[index + 1] === second).length;
  // The start of NEC, then its repetitions; the start of Samsung.
  expect(at(9_000, 4_500)).toBeGreaterThanOrEqual(2);
  expect(at(9_000, 2_250)).toBeGreaterThanOrEqual(10);
  expect(at(4_500, 4_500)).toBeGreaterThanOrEqual(1);
});

test('should set the wake alarm of the clock', async () => {
  test.skip(!isPc, 'its clock refuses alarms');
  const alarm = { enabled: true, onTime: '06:30', offTime: '22:00', onDays: [0, 1, 2, 3, 4, 5, 6] };
  const { status, body } = await used.panel.api('/api/remote/rtc/alarm', alarm);
  expect(status).toBe(200);
  expect(body.nextOn).not.toBeNull();
  expect(await used.panel.root('cat /sys/class/rtc/rtc0/wakealarm')).toMatch(/^\d{10}$/);
  expect((await used.panel.api('/api/remote/rtc/alarm', { ...alarm, enabled: false })).status).toBe(200);
  expect(await used.panel.root('cat /sys/class/rtc/rtc0/wakealarm')).toBe('');
});

test('should play a sound by the driver of the sound card', async () => {
  const file = join(used.panel.folder, 'sound.wav');
  const before = statSync(file).size;
  expect((await used.panel.api('/api/remote/sound', { name: 'alarm', volume: 100 })).status).toBe(200);
  await expect.poll(() => statSync(file).size, { timeout: 60_000 }).toBeGreaterThan(before + 20_000);
});

test('should show a page on the glass', async () => {
  await used.panel.pageShown();
  const picture = join(panels, 'glass.png');
  await used.panel.screenshot(picture);
  // A picture of one colour is some kilobytes small.
  expect(statSync(picture).size).toBeGreaterThan(10_000);
});

test('should set the backlight in the kernel, and switch it off and on', async () => {
  test.skip(!isPc, 'it has no backlight');
  const { panel } = used;
  const light = async (name: string) => Number(await panel.root(`cat /sys/class/backlight/*/${name}`));
  expect((await panel.api('/api/remote/display', { brightness: 30 })).status).toBe(200);
  const set = await light('actual_brightness');
  expect(set).toBeGreaterThan(0);
  expect((await panel.api('/api/remote/display', { brightness: 90 })).status).toBe(200);
  expect(await light('actual_brightness')).toBeGreaterThan(set);
  expect((await panel.api('/api/remote/display')).body.brightness).toBe(90);
  expect((await panel.api('/api/remote/display', { on: false })).status).toBe(200);
  await expect.poll(() => light('bl_power'), { timeout: 60_000 }).toBeGreaterThan(0);
  await panel.tap(0.5, 0.5);
  await expect.poll(() => light('bl_power'), { timeout: 60_000 }).toBe(0);
  expect((await panel.api('/api/remote/display')).body).toMatchObject({ on: true, brightness: 90 });
});

test('should switch the signal of a screen without a backlight off and on', async () => {
  const { panel } = used;
  if (isPc)
    await panel.root('cd /sys/bus/acpi/drivers/video && for each in LNXVIDEO*; do echo $each > unbind; done');
  const brightness = async () => (await panel.api('/api/remote/display')).body.brightness;
  await expect.poll(brightness, { timeout: 60_000 }).toBe(null);
  const signal = () => panel.root('cat /sys/class/drm/card*-Virtual-1/dpms');
  expect((await panel.api('/api/remote/display', { on: false })).status).toBe(200);
  await expect.poll(signal, { timeout: 60_000 }).toBe('Off');
  // A touch wakes it.
  await panel.tap(0.5, 0.5);
  await expect.poll(signal, { timeout: 60_000 }).toBe('On');
  expect((await panel.api('/api/remote/display')).body.on).toBe(true);
});

test('should suspend, wake by the alarm, and go on', async () => {
  test.skip(!isPc, 'its clock refuses alarms');
  const { panel } = used;
  const began = performance.now();
  await panel.rootWithoutAnswer('rtcwake -m mem -s 20');
  const status = async () => ((await panel.qemu('query-status')) as { status: string }).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('suspended');
  await expect.poll(status, { timeout: 60_000 }).toBe('running');
  expect(performance.now() - began).toBeGreaterThan(15_000);
  await panel.untilHealthy();
  await panel.pageShown();
  const { body } = await panel.api('/api/remote/gpio/write', { pin: 3, level: 1 });
  expect(body.ok).toBe(true);
  await panel.cut();
});
