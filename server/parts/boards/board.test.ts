import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { BoardProfileError, isSimulated, loadBoard, realParts } from './board.ts';

/** What every Linux machine has. */
const linuxParts = {
  rtc: { driver: 'wakealarm', path: '/sys/class/rtc/rtc0' },
  power: { driver: 'logind' },
  apps: { driver: 'desktop' },
};

describe('board profiles', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('board');
  });

  /** Writes a profile file and loads it. */
  function load(profile: unknown) {
    const path = join(folder, 'my-panel.json');
    writeFileSync(path, typeof profile === 'string' ? profile : JSON.stringify(profile));
    return loadBoard(path);
  }
  /** The mistakes that loading reports. */
  async function mistakes(loading: Promise<unknown>): Promise<readonly string[]> {
    try {
      await loading;
    } catch (error) {
      assert.ok(error instanceof BoardProfileError, String(error));
      for (const mistake of error.mistakes) assert.ok(error.message.includes(mistake));
      return error.mistakes;
    }
    return assert.fail('the profile was accepted');
  }

  test('should take every profile that is shipped, and say in docs/boards.md which nobody has tried', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/boards.md'), 'utf8');
    const names = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'));
    assert.ok(names.length >= 6);
    for (const file of names) {
      const name = file.slice(0, -'.json'.length);
      assert.equal((await loadBoard(name)).name, name);
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``));
      assert.equal(/"Untried\./.test(text), row?.includes('**untried**') ?? false, name);
      if (name !== 'simulated') assert.ok(row, `${name} is not in docs/boards.md`);
    }
  });

  test('should leave comments to people, wherever they stand', async () => {
    const commented = {
      $comment: ['first', { any: 'thing' }],
      name: 'x',
      gpio: { $comment: 'guessed', driver: 'simulated', labels: ['A'] },
      serial: [{ $comment: 'left', port: 'a', driver: 'simulated' }],
    };
    assert.deepEqual(await load(commented), {
      name: 'x',
      gpio: { driver: 'simulated', labels: ['A'] },
      serial: [{ port: 'a', driver: 'simulated' }],
    });
    assert.deepEqual(await mistakes(load({ name: 'x', $comments: '' })), [
      '$comments: is not known here: known here are name, gpio, led, climate, buttons, readers, ir, proximity, serial, rtc, power, apps, network, time and sound',
    ]);
  });

  test('should ship the simulated board with all its parts', async () => {
    const board = await loadBoard('simulated');
    assert.equal(board.name, 'simulated');
    assert.equal(board.gpio?.driver, 'simulated');
    assert.equal(board.led?.driver, 'simulated');
    for (const part of ['rtc', 'power', 'apps'] as const) assert.equal(board[part]?.driver, 'simulated');
    assert.deepEqual(board.serial, [
      { port: '/dev/ttyS5', label: 'RS-232', driver: 'simulated' },
      { port: '/dev/ttyS9', label: 'RS-485', driver: 'simulated' },
    ]);
  });

  test('should ship generic-linux without any panel hardware', async () => {
    assert.deepEqual(await loadBoard('generic-linux'), { name: 'generic-linux', serial: [], ...linuxParts });
  });

  test('should ship the panel with its device nodes', async () => {
    assert.deepEqual(await loadBoard('rk3576-panel'), {
      name: 'rk3576-panel',
      gpio: { driver: 'gpio_control', path: '/dev/gpio_control', safeLevels: {} },
      led: { driver: 'ledjni', path: '/dev/ledjni', scale: 255 },
      serial: [
        { port: '/dev/ttyS5', label: 'RS-232', driver: 'tty', path: '/dev/ttyS5', rs485: false },
        { port: '/dev/ttyS9', label: 'RS-485', driver: 'tty', path: '/dev/ttyS9', rs485: false },
      ],
      ...linuxParts,
    });
  });

  test('should choose the simulated board for auto when no rule recognises the machine', async () => {
    assert.equal((await loadBoard('auto')).name, 'simulated');
    const no = { profile: 'generic-linux', matches: async () => false };
    assert.equal((await loadBoard('auto', [no])).name, 'simulated');
  });

  test('should choose the first board that a rule recognises for auto, and use no rule otherwise', async () => {
    const rules = [
      { profile: 'simulated', matches: async () => false },
      { profile: 'generic-linux', matches: async () => true },
    ];
    assert.equal((await loadBoard('auto', rules)).name, 'generic-linux');
    assert.equal((await loadBoard('simulated', rules)).name, 'simulated');
  });

  test('should load a profile file with ttys and simulated ports', async () => {
    const board = await load({
      name: 'my-panel',
      led: { driver: 'simulated' },
      serial: [
        { port: '/dev/ttyS5', label: 'RS-232', path: '/dev/ttyUSB0' },
        { port: '/dev/ttyS9', path: '/dev/ttyS9', rs485: false },
        { port: 'test', driver: 'simulated' },
      ],
    });
    assert.deepEqual(board, {
      name: 'my-panel',
      led: { driver: 'simulated' },
      serial: [
        { port: '/dev/ttyS5', label: 'RS-232', driver: 'tty', path: '/dev/ttyUSB0', rs485: false },
        { port: '/dev/ttyS9', driver: 'tty', path: '/dev/ttyS9', rs485: false },
        { port: 'test', driver: 'simulated' },
      ],
    });
  });

  test('should accept every profile that docs/hardware.md and docs/boards.md show', async () => {
    const text = ['hardware.md', 'boards.md']
      .map((page) => readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8'))
      .join('\n');
    const profiles = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json!));
    assert.ok(profiles.length >= 5, `${profiles.length} profiles found`);
    for (const profile of profiles) assert.equal((await load(profile)).name, profile.name);
  });

  test('should report all mistakes at once, each with its place', async () => {
    const found = await mistakes(
      load({
        name: 'My Panel!',
        gpio: { driver: 'magic' },
        led: { driver: 'simulated', colour: 'red' },
        serial: [{ port: '', path: 'ttyS5' }, { driver: 'simulated' }, 'text'],
        extra: 1,
      }),
    );
    for (const place of [
      'name',
      'gpio.driver',
      'led.colour',
      'serial.0.port',
      'serial.0.path',
      'serial.1.port',
      'serial.2',
      'extra',
    ]) {
      assert.ok(
        found.some((mistake) => mistake.startsWith(`${place}: `)),
        `${place} in ${found.join(' | ')}`,
      );
    }
  });

  test('should refuse two ports with one name or one path', async () => {
    const found = await mistakes(
      load({
        name: 'x',
        serial: [
          { port: 'a', path: '/dev/ttyS0' },
          { port: 'a', driver: 'simulated' },
          { port: 'b', path: '/dev/ttyS0' },
        ],
      }),
    );
    assert.deepEqual(found, [
      'serial.1.port: a stands here twice',
      'serial.2.path: /dev/ttyS0 stands here twice',
    ]);
  });

  test('security: should name every part that is not simulated', async () => {
    assert.deepEqual(realParts(await loadBoard('simulated')), []);
    const ofSystem = ['network', 'time', 'sound', 'display'];
    assert.deepEqual(realParts(await loadBoard('rk3576-panel')), [
      'gpio',
      'led',
      'serial',
      'rtc',
      'power',
      'apps',
      ...ofSystem,
    ]);
    assert.deepEqual(realParts(await load({ name: 'x' })), ofSystem);
    const simulated = { driver: 'simulated' };
    const system = { network: simulated, time: simulated, sound: simulated };
    const mixed = [
      { port: 'a', ...simulated },
      { port: 'b', path: '/dev/b' },
    ];
    assert.deepEqual(realParts(await load({ name: 'simulated', ...system, serial: mixed })), ['serial']);
    assert.deepEqual(realParts(await load({ name: 'simulated', ...system, gpio: simulated })), []);
    assert.deepEqual(realParts(await load({ name: 'desk', ...system, gpio: simulated })), ['display']);
    const sensor = { driver: 'iio', path: '/sys/bus/iio/devices/iio:device0' };
    assert.deepEqual(realParts(await load({ name: 'simulated', ...system, climate: sensor })), ['climate']);
  });

  test('security: should take a board for a desk only when all its parts are simulated', async () => {
    assert.equal(isSimulated(await loadBoard('simulated')), true);
    const simulated = { driver: 'simulated' };
    const desk = { name: 'desk', network: simulated, time: simulated, sound: simulated };
    assert.equal(isSimulated(await load(desk)), true);
    assert.equal(isSimulated(await load({ ...desk, sound: undefined })), false);
    assert.equal(isSimulated(await load({ ...desk, readers: [{ name: 'a', path: '/dev/a' }] })), false);
  });

  test('should accept rs485 on a tty', async () => {
    const board = await load({ name: 'x', serial: [{ port: 'a', path: '/dev/a', rs485: true }] });
    assert.deepEqual(board.serial, [{ port: 'a', driver: 'tty', path: '/dev/a', rs485: true }]);
  });

  test('should say what is wrong with a file that cannot be used', async () => {
    assert.match((await mistakes(load('{"name": ')))[0] ?? '', /not valid JSON/);
    assert.match((await mistakes(loadBoard(join(folder, 'none.json'))))[0] ?? '', /ENOENT/);
    assert.match((await mistakes(load('[]')))[0] ?? '', /^the profile: /);
  });

  test('should list the shipped profiles when another name is given', async () => {
    for (const name of ['no-such-panel', 'constructor', '']) {
      assert.match((await mistakes(loadBoard(name)))[0] ?? '', /simulated, rk3576-panel, generic-linux/);
    }
  });
});
