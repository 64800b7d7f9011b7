import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { irCommands } from './contract.ts';
import { ofSendir, prontoOf, signalOf } from './formats.ts';

/** A field of an error. */
const field = (name: string) => (error: Error & { field?: string }) => error.field === name;
const { params } = irCommands['ir.send'];
/** What `ir.send` does with params, from the schema on. */
const sent = (given: object) => signalOf(params.parse(given), false);

describe('forms of infrared codes', () => {
  test('should read learned Pronto, whose values are cycles of its carrier', () => {
    // 0x006D = 109: 4145146 / 109 = 38029 Hz; one cycle is 26.3 us.
    const { timings, carrier } = sent({ pronto: '0000 006D 0002 0000 0157 00AC 0015 0689' });
    assert.equal(carrier, 38_029);
    assert.deepEqual(timings, [9_019, 4_523, 552]);
  });

  test('should send the once part first, and the held part for each repetition', () => {
    const pronto = '0000 006D 0001 0001 0010 0100 0020 0200';
    const cycle = (cycles: number) => Math.round((cycles * 109 * 1_000_000) / 4_145_146);
    const [a, b, c, d] = [0x10, 0x100, 0x20, 0x200].map(cycle);
    assert.deepEqual(sent({ pronto }).timings, [a]);
    assert.deepEqual(sent({ pronto, repeat: 2 }).timings, [a, b, c, d, c]);
    const held = '0000 006D 0000 0001 0020 0200';
    assert.deepEqual(sent({ pronto: held }).timings, [c]);
    assert.deepEqual(sent({ pronto: held, repeat: 1 }).timings, [c, d, c]);
  });

  test('should repeat raw values after 40 ms', () => {
    assert.deepEqual(sent({ timings: [900, 450, 900], repeat: 2 }), {
      carrier: 38_000,
      timings: [900, 450, 900, 40_000, 900, 450, 900, 40_000, 900, 450, 900],
    });
    assert.deepEqual(
      sent({ pronto: '0000 006D 0001 0000 0010 0020', repeat: 1 }).timings,
      [421, 40_000, 421],
    );
  });

  test('should read sendir with repeat, offset and the letters of its compressed form', () => {
    const { id, signal } = ofSendir('7,40000,2,3,4,8,12,16');
    assert.equal(id, 7);
    // One cycle of 40 kHz is 25 us; the second time begins at the third value.
    assert.deepEqual(signal, { carrier: 40_000, timings: [100, 200, 300, 400, 300] });
    assert.deepEqual(
      ofSendir('1,40000,1,1,4,8,12,16AAB').signal.timings,
      [100, 200, 300, 400, 100, 200, 100, 200, 300],
    );
  });

  for (const [text, number] of [
    ['', '001'],
    ['1,38000', '001'],
    ['70000,38000,1,1,4,8', '004'],
    ['1,1000,1,1,4,8', '005'],
    ['1,38000,0,1,4,8', '006'],
    ['1,38000,51,1,4,8', '006'],
    ['1,38000,1,2,4,8', '007'],
    ['1,38000,1,3,4,8', '007'],
    ['1,38000,1,1,4,0', '009'],
    ['1,38000,1,1,4,x', '009'],
    ['1,38000,1,1,4,8,5', '010'],
    ['1,38000,1,1,4,8,5A', '021'],
    ['1,38000,1,1,4,8B', '022'],
    [`1,38000,1,1${',4,8'.repeat(3_000)}`, '020'],
  ] as const)
    test(`should refuse sendir ${text.slice(0, 30)} as ERR ${number}`, () => {
      assert.throws(() => ofSendir(text), { number, code: 'INVALID_REQUEST' });
    });

  test('should name the field of what is wrong', () => {
    const long = Array.from({ length: 1_001 }, () => 1_000);
    const wrong: [object, string][] = [
      [{ pronto: '5000 006D 0001 0000 0010 0020' }, 'pronto'],
      [{ pronto: '0000 0000 0001 0000 0010 0020' }, 'pronto'],
      [{ pronto: '0000 0001 0001 0000 0010 0020' }, 'pronto'],
      [{ pronto: '0000 006D 0002 0000 0010 0020' }, 'pronto'],
      [{ pronto: '0000 006D 0000 0000' }, 'pronto'],
      [{ pronto: 'hello' }, 'pronto'],
      [{ timings: long }, 'timings'],
      [{ timings: [500_000, 500_000, 1], repeat: 20 }, 'timings'],
      [{ sendir: '1,38000,1,2,4,8' }, 'sendir'],
    ];
    for (const [given, name] of wrong)
      assert.throws(() => sent(given), field(name), JSON.stringify(given).slice(0, 60));
  });

  test('should take exactly one form, and nothing beside it that it has itself', () => {
    const path = (given: object) => params.safeParse(given).error?.issues[0]?.path.join('.');
    const code = { protocol: 'nec', address: 1, command: 2 };
    assert.equal(path({}), 'code');
    assert.equal(path({ code, timings: [100] }), 'code');
    assert.equal(path({ pronto: '0000', carrier: 38_000 }), 'carrier');
    assert.equal(path({ sendir: '1', repeat: 1 }), 'repeat');
    assert.equal(path({ sendir: '1', carrier: 38_000 }), 'carrier');
    assert.equal(path({ timings: [100, 200] }), 'timings');
    assert.equal(path({ timings: [0] }), 'timings.0');
    assert.equal(path({ code: { ...code, address: 256 } }), 'code.address');
    assert.equal(path({ code: { ...code, protocol: 'sony12', command: 128 } }), 'code.command');
    assert.equal(path({ code, carrier: 19_999 }), 'carrier');
    assert.equal(path({ code, repeat: 21 }), 'repeat');
    assert.equal(path({ code }), undefined);
  });

  test('should write what was learned as Pronto that sends the same', () => {
    const timings = [9_000, 4_500, 560, 1_690, 560];
    const again = sent({ pronto: prontoOf({ timings, carrier: 38_000 }) });
    for (const [index, us] of again.timings.entries())
      assert.ok(Math.abs(us - timings[index]!) < 27, String(us));
    assert.equal(again.timings.length, timings.length);
  });

  test('should use the carrier of the protocol, or the one that is asked for', () => {
    assert.equal(sent({ code: { protocol: 'rc6', address: 0, command: 1 } }).carrier, 36_000);
    assert.equal(sent({ code: { protocol: 'sony15', address: 0, command: 1 } }).carrier, 40_000);
    assert.equal(
      sent({ code: { protocol: 'rc5', address: 0, command: 1 }, carrier: 37_000 }).carrier,
      37_000,
    );
  });
});
