import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { knownPart } from './storedValue.ts';

const call = z.strictObject({ id: z.string(), how: z.enum(['in', 'out']) });

describe('the known part of a value', () => {
  it('should be the whole value when nothing is unknown', () => {
    const value = { a: 1 };
    const part = knownPart(z.strictObject({ a: z.number() }), value, { a: 0 });
    assert.deepEqual([part.value, part.unknown, part.unfit], [value, [], []]);
    assert.deepEqual(part.restore({ a: 2 }), { a: 2 });
  });

  it('should leave out what is unknown at any depth, and put it back around a change', () => {
    const schema = z.strictObject({ a: z.strictObject({ b: z.number(), c: z.number() }) });
    const raw = { x: 1, a: { b: 1, c: '2', y: { z: 1 } } };
    const part = knownPart(schema, raw, { a: { b: 0, c: 0 } });
    assert.deepEqual(part.value, { a: { b: 1, c: 0 } });
    assert.deepEqual([...part.unknown].sort(), ['a.y', 'x']);
    assert.deepEqual(part.unfit, ['a.c']);
    assert.deepEqual(part.restore({ a: { b: 5, c: 0 } }), { x: 1, a: { b: 5, c: '2', y: { z: 1 } } });
    assert.deepEqual(part.restore({ a: { b: 5, c: 7 } }), { x: 1, a: { b: 5, c: 7, y: { z: 1 } } });
  });

  it('should skip entries of a list that do not fit, and keep them in front of the same entry', () => {
    const raw = [
      { id: 'x', how: 'sideways' },
      { id: 'a', how: 'in', tone: 1 },
      { id: 'y', how: 'sideways' },
      { id: 'b', how: 'out' },
      'noise',
    ];
    const part = knownPart(z.array(call), raw, []);
    assert.deepEqual(part.value, [
      { id: 'a', how: 'in' },
      { id: 'b', how: 'out' },
    ]);
    const fresh = { id: 'n', how: 'in' as const };
    assert.deepEqual(part.restore([fresh, ...part.value]), [fresh, ...raw]);
    const [x, a, y, , noise] = raw;
    assert.deepEqual(part.restore([fresh, part.value[0]!]), [fresh, x, a, y, noise]);
    assert.deepEqual(part.restore([]), [x, y, noise]);
  });

  it('should tell apart entries that look the same here', () => {
    const raw = [1, 2, 3].map((by) => ({ id: 'a', how: 'in', by }));
    const part = knownPart(z.array(call), raw, []);
    assert.deepEqual(part.restore([...part.value.slice(0, 2)]), raw.slice(0, 2));
  });

  it('should keep the beginning of a list that is longer than this version allows', () => {
    const part = knownPart(z.array(z.number()).max(2), [1, 2, 3, 4], []);
    assert.deepEqual(part.value, [1, 2]);
    assert.deepEqual(part.restore([9, 1]), [9, 1, 3, 4]);
  });

  it('should skip entries of a record that do not fit, and keep them', () => {
    const schema = z.strictObject({ all: z.record(z.string().max(3), call) });
    const raw = { all: { a: { id: 'a', how: 'in' }, b: { id: 'b' }, long: { id: 'c', how: 'in' } } };
    const part = knownPart(schema, raw, { all: {} });
    assert.deepEqual(part.value, { all: { a: { id: 'a', how: 'in' } } });
    const c = { id: 'c', how: 'out' as const };
    assert.deepEqual(part.restore({ all: { c } }), { all: { c, b: raw.all.b, long: raw.all.long } });
  });

  it('should be the defaults when nothing fits, or when the schema does not say what fails', () => {
    const numbers = z.strictObject({ a: z.number() });
    for (const raw of [null, 5, [], 'x']) {
      const part = knownPart(numbers, raw, { a: 0 });
      assert.deepEqual([part.value, part.unfit], [{ a: 0 }, ['(all)']]);
      assert.equal(part.restore({ a: 0 }), raw);
      assert.deepEqual(part.restore({ a: 1 }), { a: 1 });
    }
    const mute = {
      parse: (): { a: number } => {
        throw new Error('no');
      },
    };
    const part = knownPart(mute, { a: 1, b: 2 }, { a: 0 });
    assert.deepEqual(part.value, { a: 0 });
    assert.deepEqual(part.restore({ a: 7 }), { a: 7, b: 2 });
  });

  it('should end even if a schema always finds a new fault', () => {
    let asked = 0;
    const never = {
      parse: (): number[] => {
        asked++;
        throw Object.assign(new Error('no'), { issues: [{ code: 'custom', path: [0] }] });
      },
    };
    assert.deepEqual(knownPart(never, Array(1_000).fill(1), []).value, []);
    assert.ok(asked <= 20, `${asked} times`);
  });

  it('security: should not reach the prototype through a key of the file', () => {
    const raw = JSON.parse('{"a":1,"__proto__":{"b":2},"constructor":3}') as unknown;
    const part = knownPart(z.strictObject({ a: z.number() }), raw, { a: 0 });
    assert.deepEqual(Object.keys(part.value), ['a']);
    assert.equal(JSON.stringify(part.restore({ a: 2 })), '{"a":2,"__proto__":{"b":2},"constructor":3}');
    assert.equal(({} as { b?: number }).b, undefined);
  });
});
