import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpioProfile, outputRulesOf, restLevelsOf } from './profile.ts';

const gpioRow = gpioProfile.row.unwrap();

/** Places and messages of the mistakes of a part; empty when it is accepted. */
function mistakes(part: object): string[] {
  const parsed = gpioRow.safeParse({ driver: 'simulated', ...part });
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const input = { direction: 'input', offset: 1 };
const out = { direction: 'output', offset: 2 };
const both = { direction: 'both', offset: 3 };
const chip = (...lines: object[]) => ({ driver: 'gpiochip', path: '/dev/gpiochip0', lines });

describe('rules of outputs in a board profile', () => {
  test('should be accepted for every driver, and be what the service is given', () => {
    const rules = {
      interlock: [[2, 3]],
      maxOnMs: { 2: 60_000 },
      safe: { 3: 0 },
      safeAfterPageLost: 10,
      debounceMs: 20,
    };
    for (const driver of [{}, { driver: 'gpio_control', path: '/dev/x' }, chip(input, both, out, out)]) {
      const parsed = gpioRow.parse({ driver: 'simulated', ...driver, ...rules });
      assert.deepEqual(outputRulesOf(parsed), rules);
      assert.deepEqual(restLevelsOf(parsed), { 2: 0, 3: 0 });
    }
    assert.deepEqual(outputRulesOf(gpioRow.parse({ driver: 'simulated' })), {
      interlock: [],
      maxOnMs: {},
      safe: {},
      safeAfterPageLost: null,
      debounceMs: 0,
    });
  });

  test('should take the older safe levels of both drivers for safe ones', () => {
    const control = gpioRow.parse({ driver: 'gpio_control', path: '/dev/x', safeLevels: { 2: 1 } });
    assert.deepEqual(outputRulesOf(control).safe, { 2: 1 });
    const lines = gpioRow.parse(chip(input, out, { ...out, safeLevel: 0 }, { ...out, safeLevel: 1 }));
    assert.deepEqual(outputRulesOf(lines).safe, { 2: 0, 3: 1 });
    assert.deepEqual(
      mistakes({ driver: 'gpio_control', path: '/dev/x', safeLevels: { 2: 0 }, safe: { 2: 0 } }),
      ['safe.2: pin 2 has an older safeLevel beside it: give one of them'],
    );
  });

  test('should refuse an interlock that cannot be, with its place and a sentence', () => {
    const must = 'which is never 1 together with it, must have the safe level 0';
    const wrong: readonly (readonly [object, string])[] = [
      [{ interlock: [[2, 2]] }, 'interlock.0: pin 2 cannot be locked with itself'],
      [
        {
          interlock: [
            [0, 1],
            [2, 4],
          ],
        },
        'interlock.1: there is no pin 4: pins are 0 to 3',
      ],
      [{ interlock: [[2, -1]] }, 'interlock.0: there is no pin -1: pins are 0 to 3'],
      [
        {
          interlock: [
            [2, 3],
            [3, 2],
          ],
        },
        'interlock.1: pins 3 and 2 stand here twice',
      ],
      [{ interlock: [2, 3] }, 'interlock.0: must be a pair of pins, such as [2, 3]'],
      [{ interlock: [[2, 3]], safe: { 2: 1 } }, `interlock.0: pin 2 starts at 1, so pin 3, ${must}`],
      [
        { ...chip(input, both, out, out), interlock: [[0, 3]] },
        'interlock.0: pin 0 is an input: nothing switches it off',
      ],
    ];
    for (const [part, mistake] of wrong) assert.equal(mistakes(part)[0], mistake, JSON.stringify(part));
    const older = { driver: 'gpio_control', path: '/dev/x', safeLevels: { 2: 1, 3: 1 }, interlock: [[2, 3]] };
    for (const part of [
      { interlock: [[2, 3]], safe: { 2: 1, 3: 1 } },
      older,
      { ...chip(both, both, { ...out, initial: 1 }, { ...out, initial: 1 }), interlock: [[2, 3]] },
    ])
      assert.equal(mistakes(part).length, 2, JSON.stringify(part));
    assert.deepEqual(mistakes({ interlock: [[2, 3]], safe: { 2: 1, 3: 0 } }), []);
  });

  test('should refuse times and levels that contradict each other', () => {
    const wrong: readonly (readonly [object, string])[] = [
      [
        { maxOnMs: { 2: 1_000 }, safe: { 2: 1 } },
        'maxOnMs.2: pin 2 cannot rest at its safe level 1 and be 1 for a time only',
      ],
      [
        { ...chip(input, both, { ...out, initial: 1 }, out), maxOnMs: { 2: 1_000 } },
        'maxOnMs.2: pin 2 cannot start at initial 1 and be 1 for a time only',
      ],
      [{ ...chip(input, both, out, out), maxOnMs: { 0: 1_000 } }, 'maxOnMs.0: pin 0 is an input'],
      [
        { ...chip(input, both, out, out), safe: { 1: 0 } },
        'safe.1: pin 1 must have direction output, for its safe level is driven at start',
      ],
      [
        { ...chip(input, both, { ...out, initial: 1 }, out), safe: { 2: 0 } },
        'safe.2: pin 2 cannot start at its safe level 0 and at initial 1',
      ],
      [
        { safeAfterPageLost: 5 },
        'safeAfterPageLost: needs safe: there is no level to drive when the page is lost',
      ],
    ];
    for (const [part, mistake] of wrong) assert.deepEqual(mistakes(part), [mistake]);
  });

  test('should refuse pins that do not exist, and values out of range', () => {
    for (const part of [
      { maxOnMs: { 4: 1_000 } },
      { maxOnMs: { 2: 9 } },
      { maxOnMs: { 2: 86_400_001 } },
      { safe: { 4: 0 } },
      { safe: { 2: 2 } },
      { safe: { 2: 0 }, safeAfterPageLost: 0 },
      { debounceMs: -1 },
      { debounceMs: 1_001 },
    ])
      assert.equal(mistakes(part).length, 1, JSON.stringify(part));
  });
});
