import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { createBoardDrivers } from './board.ts';
import { profiles } from './partProfiles.ts';

const log = silentLogger();
const record = { value: {}, load: async () => ({}), save: async () => {} };
const options = { log, desktop: { installDir: '/nowhere', environment: {}, record } };
const line = { direction: 'output' } as const;

test('should make the driver of each part that the profile names, and none for the others', () => {
  const simulated = createBoardDrivers(
    {
      name: 'x',
      gpio: { driver: 'simulated' },
      led: { driver: 'simulated' },
      serial: [
        { port: 'a', driver: 'tty', path: '/dev/ttyS0', rs485: true },
        { port: 'b', driver: 'simulated' },
      ],
    },
    options,
  );
  assert.equal(simulated.gpio?.simulated, true);
  assert.equal(simulated.led?.simulated, true);
  assert.deepEqual(
    simulated.serial.map(({ port, driver }) => [port, driver.name, driver.path]),
    [
      ['a', 'tty', '/dev/ttyS0'],
      ['b', 'simulated', null],
    ],
  );
});

test('should leave out each part that the profile leaves out, but those of the system', () => {
  const { network, time, sound, ...others } = createBoardDrivers({ name: 'x', serial: [] }, options);
  assert.deepEqual([network.name, time.name, sound.name], ['networkManager', 'timedated', 'alsa']);
  assert.deepEqual(Object.keys({ ...others, network, time, sound }), Object.keys(profiles));
  for (const [part, driver] of Object.entries(others))
    assert.deepEqual(driver, Array.isArray(driver) ? [] : null, part);
});

test('should make the drivers of real pins and LED bars at the paths of the profile', () => {
  const panel = createBoardDrivers(
    {
      name: 'x',
      gpio: { driver: 'gpio_control', path: '/dev/gpio_control', safeLevels: { 2: 0 } },
      led: { driver: 'ledjni', path: '/dev/ledjni', scale: 15 },
      serial: [],
    },
    options,
  );
  assert.deepEqual([panel.gpio?.name, panel.gpio?.path], ['gpio_control', '/dev/gpio_control']);
  assert.deepEqual([panel.led?.name, panel.led?.path], ['ledjni', '/dev/ledjni']);

  const linux = createBoardDrivers(
    {
      name: 'x',
      gpio: {
        driver: 'gpiochip',
        path: '/dev/gpiochip1',
        lines: [
          { ...line, offset: 0 },
          { ...line, offset: 1 },
          { ...line, name: 'A' },
          { ...line, name: 'B' },
        ],
      },
      led: { driver: 'sysfs', path: '/sys/class/leds/rgb:status' },
      serial: [],
    },
    options,
  );
  assert.deepEqual([linux.gpio?.name, linux.gpio?.path], ['gpiochip', '/dev/gpiochip1']);
  assert.deepEqual([linux.led?.name, linux.led?.path], ['sysfs', '/sys/class/leds/rgb:status']);
  assert.equal(linux.gpio?.simulated, false);
});

test('should make the drivers of the clock, of power and of packages', () => {
  const simulated = { driver: 'simulated' } as const;
  const desk = createBoardDrivers(
    { name: 'x', serial: [], rtc: simulated, power: simulated, apps: simulated },
    options,
  );
  const panel = createBoardDrivers(
    {
      name: 'x',
      serial: [],
      rtc: { driver: 'wakealarm', path: '/sys/class/rtc/rtc1' },
      power: { driver: 'logind' },
      apps: { driver: 'desktop' },
    },
    options,
  );
  for (const part of ['rtc', 'power', 'apps'] as const) assert.equal(desk[part]?.simulated, true);
  assert.deepEqual([panel.rtc?.name, panel.rtc?.path], ['wakealarm', '/sys/class/rtc/rtc1']);
  assert.deepEqual([panel.power?.name, panel.apps?.name], ['logind', 'desktop']);
});
