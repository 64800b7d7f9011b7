import { appendFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { kept, VirtualPanel } from '../virtualPanel.ts';

// One boot for all, in this order. What passed is kept in the folder until all has: a run that was ended goes on there,
// on the same disk.
test.describe.configure({ mode: 'serial' });
const folder = process.env.PANEL_DIR ?? join(import.meta.dirname, '../../dist/panel/test');
const results = join(folder, 'passed.txt');
const panel = new VirtualPanel(folder);

test.beforeAll(async () => {
  test.setTimeout(60 * 60_000);
  // The one who asks for the disk is root: the image holds files of others.
  if (kept(results) === '' && process.env.PANEL_DIR === undefined)
    rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await panel.start();
});

test.beforeEach(() => {
  test.skip(kept(results).split('\n').includes(test.info().title), 'passed in the run before');
});

test.afterEach(() => {
  const { title, status } = test.info();
  if (status === 'passed') appendFileSync(results, `${title}\n`);
});

test.afterAll(async () => {
  test.setTimeout(20 * 60_000);
  await panel.powerOff();
});

/** The levels of the lines, as the socket tells them to one who begins to listen. */
async function levels(): Promise<string[]> {
  const line = await panel.line('gpio.sock');
  await line.heard(/^3 [01]$/m);
  line.close();
  return line.said.trim().split('\n').sort();
}

test('should have real parts, by drivers of the kernel', async () => {
  const { body } = await panel.api('/api/remote/info');
  const parts = body.parts as Record<string, { state: string; driver: string }>;
  for (const name of ['gpio', 'led', 'serial:/dev/ttyS1', 'serial:/dev/ttyS2', 'rtc', 'power', 'sound'])
    expect(parts[name]?.state, name).toBe('real');
  expect(parts.gpio?.driver).toBe('gpiochip');
  expect(parts.led?.driver).toBe('sysfs');
});

test('should drive the relays in the kernel', async () => {
  const line = await panel.line('gpio.sock');
  for (const level of [1, 0] as const) {
    const { body } = await panel.api('/api/remote/gpio/write', { pin: 2, level });
    expect(body.ok).toBe(true);
    await line.heard(new RegExp(`^2 ${level}$(?!\\n2)`, 'm'));
  }
  line.close();
  expect(await levels()).toContain('2 0');
});

test('should refuse to drive an input', async () => {
  const answer = await panel.api('/api/remote/gpio/write', { pin: 0, level: 1 });
  expect([answer.status, answer.body.code]).toEqual([502, 'HARDWARE_ERROR']);
});

test('should read an input that is pulled', async () => {
  const line = await panel.line('gpio.sock');
  for (const level of [1, 0, 1]) {
    line.send(`0 ${level}\n`);
    const read = async () => (await panel.api('/api/remote/gpio/read', { pin: 0 })).body.level;
    await expect.poll(read, { timeout: 60_000 }).toBe(level);
  }
  // What is no such line changes nothing.
  line.send('9 1\n0 2\nrelay\n');
  line.send('x'.repeat(10_000));
  line.send('\n0 0\n');
  const read = async () => (await panel.api('/api/remote/gpio/read', { pin: 0 })).body.level;
  await expect.poll(read, { timeout: 60_000 }).toBe(0);
  line.close();
});

test('should light the LED in the kernel', async () => {
  const line = await panel.line('led.sock');
  const { status } = await panel.api('/api/remote/led/color', { red: 255, green: 120, blue: 7 });
  expect(status).toBe(200);
  expect((await panel.api('/api/remote/led/on', { on: true })).status).toBe(200);
  await line.heard(/^255 120 7$/m);
  line.close();
});

test('should speak and hear on both serial ports', async () => {
  for (const name of ['ttyS1', 'ttyS2']) {
    const line = await panel.line(`${name}.sock`);
    const port = { port: `/dev/${name}`, baudRate: 9600 };
    const { status } = await panel.api('/api/remote/serial/write', { ...port, hex: '48656c6c6f0d0a' });
    expect(status).toBe(200);
    await line.heard(/Hello\r\n/);
    const read = panel.api('/api/remote/serial/read', { ...port, timeout: 20_000, length: 9 });
    const timer = setInterval(() => line.send('from host'), 4_000);
    const { body } = await read.finally(() => clearInterval(timer));
    expect(body.data).toBe('from host');
    line.close();
  }
});

test('should set the wake alarm of the clock', async () => {
  const alarm = { enabled: true, onTime: '06:30', offTime: '22:00', onDays: [0, 1, 2, 3, 4, 5, 6] };
  const { status, body } = await panel.api('/api/remote/rtc/alarm', alarm);
  expect(status).toBe(200);
  expect(body.nextOn).not.toBeNull();
  expect((await panel.api('/api/remote/rtc/alarm', { ...alarm, enabled: false })).status).toBe(200);
});

test('should show a page on the glass', async () => {
  await panel.pageShown();
  const picture = join(folder, 'glass.png');
  panel.screenshot(picture);
  // A picture of one colour is some kilobytes small.
  expect(statSync(picture).size).toBeGreaterThan(10_000);
});

test('should be back after a power cut, with what was answered', async () => {
  const color = { red: 1, green: 2, blue: 3 };
  expect((await panel.api('/api/remote/led/color', color)).status).toBe(200);
  await panel.cut();
  await panel.start();
  expect(await panel.isHealthy).toBe(true);
  expect((await panel.api('/api/remote/info')).status).toBe(200);
});

test('should forget what passed, as all did', () => rmSync(results, { force: true }));
