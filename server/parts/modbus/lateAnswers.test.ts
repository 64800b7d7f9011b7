import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { context, port, portForTests, type TestPort } from '../testing/testPort.ts';
import { rtuFrame } from './pdu.ts';
import { ModbusService } from './service.ts';

const network = {
  resolve: () => assert.fail('no network'),
  connect: () => assert.fail('no network'),
};
const targets = { judged: () => assert.fail('no network') };

/** As long as the silence between two frames at 9600 baud, in milliseconds, rounded up. */
const SILENCE = 5;

/** With its checksum. */
function framed(hex: string): string {
  const [unit, ...pdu] = Buffer.from(hex, 'hex');
  return Buffer.from(rtuFrame(unit!, Uint8Array.from(pdu))).toString('hex');
}

describe('late answers on a serial line', () => {
  let { tty, clock, serial } = {} as TestPort;
  let modbus: ModbusService;
  portForTests((opened) => {
    ({ tty, clock, serial } = opened);
    modbus = new ModbusService({ serial, network, targets, clock });
  });
  beforeEach(() => serial.start());

  const ask = (params = {}, { signal } = context) =>
    modbus.read(
      { port, unit: 1, kind: 'holding', address: 0, count: 2, timeoutMs: 1_000, ...params },
      { signal },
    );
  const answer = (hex: string) => tty.listener?.onData(Buffer.from(hex, 'hex'));
  const sent = () => tty.calls.filter((call) => call.startsWith('write'));
  /** Begins a request and lets it go out, where nothing is owed. */
  const started = async (params = {}) => {
    const asked = ask(params);
    asked.catch(() => undefined);
    await clock.advance(2 * SILENCE);
    return { asked };
  };

  /** What the unit answers, in the order it is asked: two registers from an address, with its number in the values. */
  const registers = (address: number, unit = 1) =>
    framed(Buffer.from([unit, 3, 4, 0, address, 0, address + 1]).toString('hex'));

  test('should believe no late answer, whatever was asked between', async () => {
    const { asked } = await started({ address: 77 });
    await clock.advance(1_000);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    const { asked: other } = await started({ unit: 2, address: 9 });
    answer(registers(9, 2));
    assert.deepEqual(await other, { values: [9, 10] });
    // Unit 1 answers what it was asked first.
    const { asked: next } = await started({ address: 3 });
    await clock.advance(1_000);
    answer(registers(77));
    await clock.advance(4 * SILENCE);
    assert.equal(sent().length, 4, 'it is asked again');
    answer(registers(3));
    assert.deepEqual(await next, { values: [3, 4] });
    // The second answer to it is not that of the next request either.
    const { asked: last } = await started({ address: 20 });
    assert.equal(sent().length, 4, 'the next request waits for it');
    answer(registers(3));
    await clock.advance(200);
    assert.equal(sent().length, 5);
    answer(registers(20));
    assert.deepEqual(await last, { values: [20, 21] });
  });

  test('should believe no answer that is later than a request waits for it', async () => {
    const addresses = [77, 3, 5];
    for (const address of addresses.slice(0, 2)) {
      const { asked } = await started({ address, timeoutMs: 100 });
      await clock.advance(250);
      await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    }
    const { asked } = await started({ address: 5, timeoutMs: 1_000 });
    await clock.advance(150);
    for (const late of [77, 3]) {
      answer(registers(late));
      await clock.advance(4 * SILENCE);
    }
    answer(registers(5));
    assert.deepEqual(await asked, { values: [5, 6] });
  });

  test('should take what comes right behind a late answer, without asking again', async () => {
    const { asked } = await started({ address: 77, timeoutMs: 100 });
    await clock.advance(100);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    await clock.advance(5_000);
    const { asked: next } = await started({ address: 3 });
    answer(registers(77) + registers(3));
    assert.deepEqual(await next, { values: [3, 4] });
    assert.equal(sent().length, 2);
  });

  test('should be as fast as before once a unit that was off is back', async () => {
    const { asked } = await started({ address: 3 });
    await clock.advance(1_000);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    await clock.advance(10_000);
    for (const requests of [2, 1, 1, 1]) {
      const before = sent().length;
      const { asked: next } = await started({ address: 3 });
      for (let request = 0; request < requests; request++) {
        answer(registers(3));
        await clock.advance(request === 0 ? 4 * SILENCE : 0);
      }
      assert.deepEqual(await next, { values: [3, 4] });
      assert.equal(sent().length - before, requests);
      await clock.advance(100);
    }
  });

  test('should not take a late exception or a late echo of a write for the answer to another', async () => {
    const write = async (value: number) => {
      const params = { port, unit: 1, address: 1, values: [value], timeoutMs: 100 };
      const asked = modbus.write({ ...params, kind: 'holding' }, context);
      asked.catch(() => undefined);
      await clock.advance(2 * SILENCE);
      return { asked };
    };
    const { asked } = await write(3);
    await clock.advance(100);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    await clock.advance(1_000);
    const { asked: next } = await write(4);
    answer(framed('018604'));
    await clock.advance(4 * SILENCE);
    answer(framed('010600010004'));
    assert.deepEqual(await next, { values: [4] });
    const { asked: more } = await write(5);
    await clock.advance(60);
    answer(framed('010600010004'));
    answer(framed('010600010005'));
    assert.deepEqual(await more, { values: [5] });
  });

  test('should know that the answer of a caller who is gone may still come', async () => {
    const caller = new AbortController();
    const asked = ask({ address: 77 }, { signal: caller.signal });
    await clock.advance(2 * SILENCE);
    caller.abort(new Error('gone'));
    await assert.rejects(asked, /gone/);
    await clock.advance(1_500);
    const { asked: next } = await started({ address: 3 });
    answer(registers(77));
    await clock.advance(4 * SILENCE);
    answer(registers(3));
    assert.deepEqual(await next, { values: [3, 4] });
  });
});
