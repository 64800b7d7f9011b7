import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { settled } from '../../testing/fakeClock.ts';
import { PtyPair, skipWithoutSocat } from '../../testing/ptyLine.ts';
import { Tty } from '../serial/tty.ts';
import { ModbusLineDevice } from '../testing/modbusBench.ts';
import { context, port, portForTests, serialOn, type TestPort } from '../testing/testPort.ts';
import { rtuFrame } from './pdu.ts';
import { ModbusService } from './service.ts';

const network = {
  resolve: () => assert.fail('no network'),
  connect: () => assert.fail('no network'),
};
const targets = { judged: () => assert.fail('no network') };

/** Asks for registers 0 and 1 of unit 1, and the answer that they are 6 and 5. */
const REQUEST = '010300000002c40b';
const ANSWER = '01030400060005da31';
/** As long as the silence between two frames at 9600 baud, in milliseconds, rounded up. */
const SILENCE = 5;

/** With its checksum. */
function framed(hex: string): string {
  const [unit, ...pdu] = Buffer.from(hex, 'hex');
  return Buffer.from(rtuFrame(unit!, Uint8Array.from(pdu))).toString('hex');
}

describe('Modbus on a serial line', () => {
  let { tty, clock, serial, states } = {} as TestPort;
  let modbus: ModbusService;
  portForTests((opened) => {
    ({ tty, clock, serial, states } = opened);
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
  /** Begins a request and lets it go out. */
  const begin = async (params = {}) => {
    const asked = ask(params);
    asked.catch(() => undefined);
    await clock.advance(2 * SILENCE);
    return asked;
  };
  /** As `begin`, for a request whose answer the test sends later. */
  const started = async (params = {}) => {
    const asked = ask(params);
    asked.catch(() => undefined);
    await clock.advance(2 * SILENCE);
    return { asked };
  };

  test('should ask at the speed and parity of the call, and read the answer in pieces', async () => {
    const { asked } = await started({ baudRate: 19_200, parity: 'even' });
    answer(ANSWER.slice(0, 6));
    await clock.advance(50);
    answer(ANSWER.slice(6));
    assert.deepEqual(await asked, { values: [6, 5] });
    assert.deepEqual(tty.calls, ['open 19200 8E1', `write ${REQUEST}`]);
  });

  test('should write and answer the values', async () => {
    const params = { port, unit: 1, address: 1, values: [3], timeoutMs: 1_000 };
    const asked = modbus.write({ ...params, kind: 'holding' }, context);
    await clock.advance(2 * SILENCE);
    assert.deepEqual(sent(), ['write 010600010003980b']);
    answer('010600010003980b');
    assert.deepEqual(await asked, { values: [3] });
  });

  test('should find the answer in noise', async () => {
    const { asked } = await started();
    answer(`00ff01${ANSWER}00`);
    assert.deepEqual(await asked, { values: [6, 5] });
  });

  test('should answer HARDWARE_ERROR with the name of the exception', async () => {
    const { asked } = await started();
    answer('018302c0f1');
    await assert.rejects(asked, {
      code: 'HARDWARE_ERROR',
      message: 'Unit 1 at /dev/ttyS5 refused the request: ILLEGAL_DATA_ADDRESS.',
    });
  });

  for (const [name, hex, message] of [
    ['a wrong checksum', '01030400060005da32', /its checksum is wrong \(01030400060005DA32\)/],
    ['another unit', framed('02030400060005'), /unit 2 answered instead/],
    ['noise', 'ffff00', /FFFF00 came instead of one: noise/],
  ] as const) {
    test(`should wait for a valid answer after ${name}, and say what came at the timeout`, async () => {
      const { asked } = await started();
      answer(hex);
      let isEnded = false;
      asked.catch(() => {
        isEnded = true;
      });
      await clock.advance(900);
      assert.equal(isEnded, false);
      await clock.advance(100);
      await assert.rejects(asked, { code: 'HARDWARE_ERROR', message });
    });
  }

  test('should answer HARDWARE_TIMEOUT after silence', async () => {
    const { asked } = await started();
    await clock.advance(1_000);
    await assert.rejects(asked, {
      code: 'HARDWARE_TIMEOUT',
      message: 'Unit 1 on /dev/ttyS5 did not answer within 1000 ms.',
    });
  });

  test('should not take a late answer for that of the next request', async () => {
    const { asked } = await started();
    await clock.advance(1_000);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    const { asked: next } = await started({ address: 10 });
    assert.equal(sent().length, 1, 'the next request waits for what is owed');
    await clock.advance(300);
    answer(ANSWER);
    await clock.advance(2 * SILENCE);
    assert.equal(sent().length, 2);
    answer(framed('01030400070008'));
    assert.deepEqual(await next, { values: [7, 8] });
  });

  test('should ask another unit at once after one was silent, and drop what comes late', async () => {
    const { asked } = await started();
    await clock.advance(1_000);
    await assert.rejects(asked, { code: 'HARDWARE_TIMEOUT' });
    const { asked: next } = await started({ unit: 2 });
    assert.equal(sent().length, 2);
    answer(ANSWER);
    answer(framed('02030400090009'));
    assert.deepEqual(await next, { values: [9, 9] });
  });

  test('should send one request after the other, with silence between them', async () => {
    const both = [ask(), ask({ address: 10 })];
    await clock.advance(2 * SILENCE);
    assert.equal(sent().length, 1);
    answer(ANSWER);
    await settled();
    assert.equal(sent().length, 1, 'the line is silent for 3.5 characters');
    await clock.advance(SILENCE);
    assert.equal(sent().length, 2);
    answer(ANSWER);
    assert.deepEqual(await Promise.all(both), [{ values: [6, 5] }, { values: [6, 5] }]);
  });

  test('security: should refuse more than 64 waiting requests', async () => {
    const calls = Array.from({ length: 65 }, () => ask({ timeoutMs: 10 }));
    const ended = Promise.allSettled(calls);
    await assert.rejects(calls[64]!, { code: 'CONFLICT' });
    await clock.advance(64 * 50);
    assert.equal((await ended).filter(({ status }) => status === 'rejected').length, 65);
  });

  test('should refuse bytes while Modbus has the port, and Modbus while it is open for bytes', async () => {
    const { asked } = await started();
    answer(ANSWER);
    await asked;
    const write = () => serial.write({ port, baudRate: 9_600, hex: '01' }, context);
    await assert.rejects(write(), { code: 'PORT_BUSY', message: /in use by Modbus/ });
    const read = serial.read({ port, baudRate: 9_600, timeout: 0 }, context);
    await assert.rejects(read, { code: 'PORT_BUSY' });
    await clock.advance(5_000);
    await settled();
    assert.deepEqual(states(), ['open', 'closed'], 'it lets go after 5 s');
    await write();
    await assert.rejects(begin(), { code: 'PORT_BUSY', message: /open for bytes/ });
    await serial.close({ port }, context);
    const { asked: again } = await started();
    answer(ANSWER);
    assert.deepEqual(await again, { values: [6, 5] });
    await serial.close({ port }, context);
    await write();
  });

  test('should answer HARDWARE_ERROR at once when the port is lost meanwhile', async () => {
    const { asked } = await started();
    tty.lose();
    await assert.rejects(asked, { code: 'HARDWARE_ERROR', message: /unplugged/ });
    await clock.advance(5_000);
  });

  test('should end with the caller, and with the service', async () => {
    const caller = new AbortController();
    const asked = ask({}, { signal: caller.signal });
    await clock.advance(2 * SILENCE);
    caller.abort(new Error('gone'));
    await assert.rejects(asked, /gone/);
    const { asked: next } = await started();
    await modbus.stop();
    await assert.rejects(next, { code: 'SHUTTING_DOWN' });
  });

  test('should answer NOT_FOUND for a port that the board does not list', async () => {
    await assert.rejects(ask({ port: '/dev/ttyS7' }), { code: 'NOT_FOUND' });
  });

  test('security: should not grow with a device that never stops sending', async () => {
    const { asked } = await started();
    for (let piece = 0; piece < 200; piece++) answer('55'.repeat(4_096));
    await clock.advance(1_000);
    await assert.rejects(asked, (error: Error) => error.message.length < 300);
  });
});

describe('Modbus over a pty, with a device that others wrote', { skip: skipWithoutSocat }, () => {
  const ptys = new PtyPair();
  const { ours } = ptys;
  const device = new ModbusLineDevice();
  const { memory } = device;
  const log = silentLogger();
  const serial = serialOn(ours, new Tty(ours), new EventBus(log), log);
  const modbus = new ModbusService({ serial, network, targets });
  before(async () => {
    await ptys.plug();
    await device.start(ptys.theirs, 3);
    await serial.start();
  });
  after(async () => {
    await modbus.stop();
    await serial.stop();
    await device.stop();
    await ptys.close();
  });

  const target = { port: ours, unit: 3, timeoutMs: 15_000 };

  test('should write, read back, and hear exceptions', async () => {
    await modbus.write({ ...target, kind: 'holding', address: 20, values: [1, 2, 3] }, context);
    await modbus.write({ ...target, kind: 'coil', address: 1, values: [1] }, context);
    assert.deepEqual(memory.registers.slice(20, 23), [1, 2, 3]);
    assert.equal(memory.coils[1], true);
    const read = await modbus.read({ ...target, kind: 'holding', address: 19, count: 4 }, context);
    assert.deepEqual(read, { values: [1_019, 1, 2, 3] });
    assert.deepEqual(await modbus.read({ ...target, kind: 'coil', address: 0, count: 3 }, context), {
      values: [0, 1, 0],
    });
    const beyond = modbus.read({ ...target, kind: 'holding', address: 99, count: 2 }, context);
    await assert.rejects(beyond, { code: 'HARDWARE_ERROR', message: /ILLEGAL_DATA_ADDRESS/ });
  });

  test('should answer PORT_BUSY while another master holds the port', async () => {
    await serial.close({ port: ours }, context);
    const other = new Tty(ours);
    const nobody = { onData: () => undefined, onLost: () => undefined };
    const usual = { baudRate: 9_600, dataBits: 8, parity: 'none', stopBits: 1, flowControl: 'none' } as const;
    const line = await other.open(usual, nobody);
    const asked = () => modbus.read({ ...target, kind: 'coil', address: 0, count: 1 }, context);
    await assert.rejects(asked(), { code: 'PORT_BUSY', message: /another program/ });
    await line.close();
    assert.deepEqual(await asked(), { values: [0] });
  });
});
