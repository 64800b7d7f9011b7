import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpioProfile, pinsOf } from './profile.ts';

const gpioRow = gpioProfile.row.unwrap();

/** Places and messages of the mistakes of a part; empty when it is accepted. */
function mistakes(part: unknown): string[] {
  const parsed = gpioRow.safeParse(part);
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
    assert.deepEqual(gpioRow.parse(part), part);
    assert.deepEqual(gpioRow.parse({ driver: 'gpio_control', path: '/dev/x' }), {
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
      { labels: ['one', ''] },
      { labels: ['one'], safeLevels: { 1: 0 } },
      { path: 'dev/x' },
      { lines: [] },
    ]) {
      assert.notDeepEqual(mistakes({ ...base, ...wrong }), [], JSON.stringify(wrong));
    }
    assert.deepEqual(mistakes(base), []);
  });

  test('should accept lines by offset and by name with every option of their direction', () => {
    const part = chip(
      { direction: 'input', name: 'IO1', bias: 'pull-up', activeLow: true },
      { direction: 'both', offset: 2, drive: 'open-drain' },
      { direction: 'output', offset: 3, initial: 1 },
      { direction: 'output', name: 'RELAY2', safeLevel: 0 },
    );
    assert.deepEqual(gpioRow.parse(part), part);
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
      const found = mistakes(chip(out, out, line, out));
      assert.equal(found.length, 1, `${JSON.stringify(line)}: ${found.join(' | ')}`);
      assert.ok(found[0]?.startsWith(`lines.2.${place}: `), found[0]);
    }
  });

  test('should take 0 to 32 pins: as many as labels or lines', () => {
    const labels = (count: number) => Array.from({ length: count }, (_, pin) => `Pin ${pin}`);
    for (const count of [0, 1, 8, 32]) {
      const simulated = { driver: 'simulated', labels: labels(count) };
      assert.equal(pinsOf(gpioRow.parse(simulated)).length, count);
      const lines = chip(...Array.from({ length: count }, () => out));
      assert.equal(pinsOf(gpioRow.parse(lines)).length, count);
      assert.deepEqual(gpioRow.parse({ ...lines, labels: labels(count) }).labels, labels(count));
    }
    for (const part of [{ driver: 'simulated', labels: labels(33) }, chip(...labels(33).map(() => out))])
      assert.equal(mistakes(part).length, 1);
    assert.deepEqual(mistakes({ ...chip(out, out), labels: labels(3) }), [
      'labels: must be as many as lines: 2',
    ]);
  });

  test('should say which pins are relays, and call those without a label by their number', () => {
    const of = (part: object) => pinsOf(gpioRow.parse(part)).map(({ label, kind }) => `${kind} ${label}`);
    const usual = ['io IO 1', 'io IO 2', 'relay Relay 1', 'relay Relay 2'];
    const input = { ...out, direction: 'input' };
    assert.deepEqual(of({ driver: 'simulated' }), usual);
    assert.deepEqual(of(chip(out, out, out, out)), usual);
    assert.deepEqual(of(chip(input, out, out)), ['io IO 1', 'relay Relay 1', 'relay Relay 2']);
    assert.deepEqual(of({ ...chip(out, input, out), relays: [2] }), ['io IO 1', 'io IO 2', 'relay Relay 1']);
    assert.deepEqual(of({ driver: 'simulated', labels: ['Bell', 'Gate'], relays: [1] }), [
      'io Bell',
      'relay Gate',
    ]);
    assert.deepEqual(mistakes({ ...chip(out, input, out), relays: [0, 1, 3, 0] }), [
      'relays.1: pin 1 is an input',
      'relays.2: there is no pin 3: pins are 0 to 2',
      'relays.3: pin 0 stands here twice',
    ]);
  });

  test('should take rules for the pins that there are, and refuse those for others', () => {
    const labels = Array.from({ length: 8 }, (_, pin) => `Pin ${pin}`);
    const rules = { interlock: [[6, 7]], safe: { 6: 0, 7: 0 }, maxOnMs: { 7: 1_000 } };
    assert.deepEqual(mistakes({ driver: 'simulated', labels, ...rules }), []);
    assert.deepEqual(mistakes({ driver: 'simulated', labels: labels.slice(1), ...rules }), [
      'safe.7: there is no pin 7: pins are 0 to 6',
      'maxOnMs.7: there is no pin 7: pins are 0 to 6',
      'interlock.0: there is no pin 7: pins are 0 to 6',
    ]);
    assert.deepEqual(mistakes({ driver: 'simulated', labels: [], safe: { 0: 0 } }), [
      'safe.0: there is no pin 0: the board has none',
    ]);
  });
});
