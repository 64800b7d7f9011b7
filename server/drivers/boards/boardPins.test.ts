import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpioPart, ledPart } from './boardPins.ts';

/** Places and messages of the mistakes of a part; empty when it is accepted. */
function mistakes(schema: typeof gpioPart | typeof ledPart, part: unknown): string[] {
  const parsed = schema.safeParse(part);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function chip(...lines: unknown[]) {
  return { driver: 'gpiochip', path: '/dev/gpiochip0', lines };
}

const out = { direction: 'output', offset: 1 };

describe('gpio of a board profile', () => {
  test('should accept gpio_control with labels and safe levels', () => {
    const part = {
      driver: 'gpio_control',
      path: '/dev/gpio_control',
      labels: ['Bell', 'Door', 'Gate', 'Light'],
      safeLevels: { 2: 0, 3: 1 },
    };
    assert.deepEqual(gpioPart.parse(part), part);
    assert.deepEqual(gpioPart.parse({ driver: 'gpio_control', path: '/dev/x' }), {
      driver: 'gpio_control',
      path: '/dev/x',
      safeLevels: {},
    });
  });

  test('should refuse safe levels of missing pins, other levels, and labels that do not fit', () => {
    const base = { driver: 'gpio_control', path: '/dev/x' };
    for (const wrong of [
      { safeLevels: { 4: 0 } },
      { safeLevels: { 2: 2 } },
      { safeLevels: [0] },
      { labels: ['one'] },
      { path: 'dev/x' },
      { lines: [] },
    ]) {
      assert.notDeepEqual(mistakes(gpioPart, { ...base, ...wrong }), [], JSON.stringify(wrong));
    }
    assert.deepEqual(mistakes(gpioPart, base), []);
  });

  test('should accept lines by offset and by name with every option of their direction', () => {
    const part = chip(
      { direction: 'input', name: 'IO1', bias: 'pull-up', activeLow: true },
      { direction: 'both', offset: 2, drive: 'open-drain' },
      { direction: 'output', offset: 3, initial: 1 },
      { direction: 'output', name: 'RELAY2', safeLevel: 0 },
    );
    assert.deepEqual(gpioPart.parse(part), part);
  });

  test('should refuse lines that contradict themselves, each with its place', () => {
    const wrong = [
      [{ direction: 'output' }, 'offset'],
      [{ ...out, name: 'A' }, 'name'],
      [{ ...out, initial: 0, safeLevel: 1 }, 'initial'],
      [{ ...out, direction: 'input', initial: 0 }, 'initial'],
      [{ ...out, direction: 'both', safeLevel: 0 }, 'safeLevel'],
      [{ ...out, direction: 'input', drive: 'open-drain' }, 'drive'],
      [{ ...out, offset: -1 }, 'offset'],
      [{ ...out, bias: 'up' }, 'bias'],
    ] as const;
    for (const [line, place] of wrong) {
      const found = mistakes(gpioPart, chip(out, out, line, out));
      assert.equal(found.length, 1, `${JSON.stringify(line)}: ${found.join(' | ')}`);
      assert.ok(found[0]?.startsWith(`lines.2.${place}: `), found[0]);
    }
  });

  test('should require four lines', () => {
    assert.deepEqual(mistakes(gpioPart, chip(out, out)), ['lines: must hold four lines, for pins 0 to 3']);
  });
});

describe('led of a board profile', () => {
  test('should accept ledjni with scale 255 or 15, and use 255 when none is given', () => {
    const path = '/dev/ledjni';
    assert.deepEqual(ledPart.parse({ driver: 'ledjni', path }), { driver: 'ledjni', path, scale: 255 });
    assert.deepEqual(ledPart.parse({ driver: 'ledjni', path, scale: 15 }), {
      driver: 'ledjni',
      path,
      scale: 15,
    });
    assert.deepEqual(mistakes(ledPart, { driver: 'ledjni', path, scale: 16 }), ['scale: must be 15 or 255']);
  });

  test('should accept sysfs with one folder or with three', () => {
    const three = { red: '/sys/class/leds/r', green: '/sys/class/leds/g', blue: '/sys/class/leds/b' };
    for (const path of ['/sys/class/leds/rgb:status', three]) {
      assert.deepEqual(ledPart.parse({ driver: 'sysfs', path }), { driver: 'sysfs', path });
    }
    for (const path of ['rgb:status', { red: '/sys/class/leds/r' }, { ...three, white: '/w' }]) {
      assert.match(mistakes(ledPart, { driver: 'sysfs', path })[0] ?? '', /^path(\.\w+)?: /);
    }
  });
});
