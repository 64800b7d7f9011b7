import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { IrHeard, IrSending } from './contract.ts';
import { SimulatedAir, SimulatedIr } from './driver.ts';
import { IrService } from './service.ts';

const go = { signal: new AbortController().signal };
const nec = { protocol: 'nec', address: 4, command: 8 } as const;
/** Length of a NEC frame, in whole milliseconds. */
const NEC_MS = 69;

describe('infrared', () => {
  let clock: FakeClock;
  let ir: IrService;
  let heard: IrHeard[];

  const make = (ports: readonly [string, boolean][]) => {
    const air = new SimulatedAir();
    const events = new EventBus(silentLogger());
    heard = [];
    events.onAny((name, payload) => {
      if (name === 'ir') heard.push(payload as IrHeard);
    });
    return new IrService({
      ports: ports.map(([port, receives]) => ({
        port,
        label: '',
        driver: new SimulatedIr(receives, air, clock),
      })),
      clock,
      events,
      log: silentLogger(),
    });
  };
  const send = (params: IrSending, signal = go.signal) => ir.send(params, { signal });

  beforeEach(async () => {
    clock = new FakeClock();
    ir = make([
      ['IR1', false],
      ['IR2', false],
      ['IR-IN', true],
    ]);
    await ir.start();
  });
  afterEach(() => ir.stop());

  test('should list its ports', () => {
    assert.deepEqual(ir.list({}, go).ports, [
      { port: 'IR1', label: '', sends: true, receives: false, carrier: true },
      { port: 'IR2', label: '', sends: true, receives: false, carrier: true },
      { port: 'IR-IN', label: '', sends: false, receives: true, carrier: true },
    ]);
    assert.equal(ir.parts()['ir:IR1']?.state, 'simulated');
  });

  test('should answer once the code has been sent, and the receiver hears it', async () => {
    let answer: unknown;
    const sending = send({ port: 'IR1', code: nec, repeat: 1 }).then((result) => {
      answer = result;
    });
    await clock.advance(110);
    assert.equal(answer, undefined);
    await clock.advance(20);
    await sending;
    assert.deepEqual(answer, { status: 'ok', port: 'IR1', ms: 120 });
    assert.deepEqual(
      heard.map(({ port, code }) => ({ port, code })),
      [
        { port: 'IR-IN', code: nec },
        { port: 'IR-IN', code: { ...nec, repeat: true } },
      ],
    );
  });

  test('should change the toggle of RC5 with each call, and only there', async () => {
    const rc5 = { protocol: 'rc5', address: 5, command: 35 } as const;
    for (let count = 0; count < 3; count++) {
      const sending = send({ port: 'IR2', code: rc5 });
      await clock.advance(200);
      await sending;
    }
    const [one, two, three] = heard.map(({ timings }) => timings.join());
    assert.notEqual(one, two);
    assert.equal(one, three);
  });

  test('should name the port or take the only one', async () => {
    await assert.rejects(send({ code: nec }), { code: 'INVALID_REQUEST', field: 'port' });
    await assert.rejects(send({ port: 'IR9', code: nec }), { code: 'NOT_FOUND', field: 'port' });
    await assert.rejects(send({ port: 'IR-IN', code: nec }), { code: 'UNSUPPORTED_HARDWARE' });
    await ir.stop();
    ir = make([['IR1', false]]);
    await ir.start();
    const sending = send({ code: nec });
    await clock.advance(NEC_MS);
    assert.equal((await sending).port, 'IR1');
    await assert.rejects(ir.learn({ seconds: 1 }, go), { code: 'UNSUPPORTED_HARDWARE' });
    await ir.stop();
    ir = make([]);
    await ir.start();
    await assert.rejects(send({ code: nec }), { code: 'UNSUPPORTED_HARDWARE' });
  });

  test('should send in turn, and let at most sixteen wait for a port', async () => {
    const all = Array.from({ length: 17 }, (_, command) => send({ port: 'IR1', code: { ...nec, command } }));
    await assert.rejects(send({ port: 'IR1', code: nec }), { code: 'CONFLICT' });
    const other = send({ port: 'IR2', code: nec });
    await clock.advance(NEC_MS);
    await other;
    await clock.advance(17 * (NEC_MS + 1));
    await Promise.all(all);
    assert.deepEqual(
      heard
        .filter(({ code }) => code?.command !== nec.command || code.address === 4)
        .map(({ code }) => code?.command)
        .toSorted((a, b) => a! - b!),
      [...Array.from({ length: 17 }, (_, command) => command), nec.command].toSorted((a, b) => a - b),
    );
  });

  test('should send nothing for a caller who is gone, and go on with the next', async () => {
    const gone = new AbortController();
    const first = send({ port: 'IR1', code: nec });
    const second = send({ port: 'IR1', code: { ...nec, command: 9 } }, gone.signal);
    const third = send({ port: 'IR1', code: { ...nec, command: 10 } });
    gone.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
    await clock.advance(3 * NEC_MS);
    await Promise.all([first, third]);
    assert.deepEqual(
      heard.map(({ code }) => code?.command),
      [8, 10],
    );
  });

  test('should learn the first frame that comes, and let nobody else learn there', async () => {
    const learning = ir.learn({ seconds: 20 }, go);
    await clock.advance(10);
    await assert.rejects(ir.learn({ seconds: 1 }, go), { code: 'CONFLICT' });
    await ir.simulate({ code: nec });
    const { port, timings, carrier, pronto, code } = await learning;
    assert.deepEqual([port, carrier, code], ['IR-IN', 38_000, nec]);
    assert.equal(timings.length, 67);
    assert.match(pronto, /^0000 006D 0022 0000 /);
    const late = ir.learn({ seconds: 1 }, go);
    const failed = assert.rejects(late, { code: 'HARDWARE_TIMEOUT' });
    await clock.advance(1_001);
    await failed;
  });

  test('should end what waits when the panel stops', async () => {
    const learning = assert.rejects(ir.learn({ seconds: 20 }, go), { code: 'SHUTTING_DOWN' });
    const sending = assert.rejects(send({ port: 'IR1', code: nec }), { code: 'SHUTTING_DOWN' });
    await clock.advance(1);
    await Promise.all([ir.stop(), learning, sending]);
    assert.equal(clock.pending, 0);
  });
});
