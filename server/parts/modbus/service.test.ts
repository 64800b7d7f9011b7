import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { LocalTargets } from '../../platform/net/localTargets.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { until } from '../../testing/waiting.ts';
import { ModbusDevice, modbusOnNetwork, ScriptedDevice } from '../testing/modbusBench.ts';
import { ModbusService } from './service.ts';
import { TcpSockets } from './tcpMaster.ts';

const context = { signal: new AbortController().signal };
const LONG = 20_000;

/** An answer to a request to read one register, whose value is its address. */
function answerTo(
  request: Buffer,
  { transaction = request.readUInt16BE(0), unit = request[6]! } = {},
): Buffer {
  const answer = Buffer.alloc(11);
  answer.writeUInt16BE(transaction, 0);
  answer.writeUInt16BE(5, 4);
  answer[6] = unit;
  answer[7] = 3;
  answer[8] = 2;
  answer.writeUInt16BE(request.readUInt16BE(8), 9);
  return answer;
}

describe('Modbus over TCP', () => {
  const device = new ModbusDevice();
  const modbus = modbusOnNetwork();
  before(async () => {
    await device.start();
    await modbus.start();
  });
  after(async () => {
    await modbus.stop();
    await device.stop();
  });

  const target = () => ({ host: '127.0.0.1', tcpPort: device.port, unit: 1, timeoutMs: LONG });

  test('should read and write each kind of value at a device that others wrote', async () => {
    const written = await modbus.write(
      { ...target(), kind: 'holding', address: 5, values: [7, 65_535] },
      context,
    );
    assert.deepEqual(written, { values: [7, 65_535] });
    await modbus.write({ ...target(), kind: 'holding', address: 7, values: [42] }, context);
    await modbus.write({ ...target(), kind: 'coil', address: 3, values: [1] }, context);
    await modbus.write(
      { ...target(), kind: 'coil', address: 10, values: [1, 0, 1, 1, 1, 0, 0, 1, 1] },
      context,
    );
    assert.deepEqual(device.memory.registers.slice(4, 9), [1_004, 7, 65_535, 42, 1_008]);
    const read = (kind: 'coil' | 'discrete' | 'holding' | 'input', address: number, count: number) =>
      modbus.read({ ...target(), kind, address, count }, context);
    assert.deepEqual(await read('holding', 4, 4), { values: [1_004, 7, 65_535, 42] });
    assert.deepEqual(await read('input', 7, 1), { values: [42] });
    assert.deepEqual(await read('coil', 2, 3), { values: [0, 1, 0] });
    assert.deepEqual(await read('discrete', 9, 11), { values: [0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0] });
  });

  test('should answer HARDWARE_ERROR with the name of the exception', async () => {
    const beyond = modbus.read({ ...target(), kind: 'holding', address: 100, count: 1 }, context);
    await assert.rejects(beyond, {
      code: 'HARDWARE_ERROR',
      message: 'Unit 1 at 127.0.0.1 refused the request: ILLEGAL_DATA_ADDRESS.',
    });
  });

  test('should serve 200 concurrent requests over one connection', async () => {
    const scripted = new ScriptedDevice((request, socket) => socket.write(answerTo(request)));
    await scripted.start();
    const own = modbusOnNetwork();
    const ask = (address: number) =>
      own.read({ ...target(), tcpPort: scripted.port, kind: 'holding', address, count: 1 }, context);
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index)));
      assert.deepEqual(
        answers.flatMap(({ values }) => values),
        Array.from({ length: 50 }, (_, index) => index),
      );
    }
    assert.equal(scripted.connections, 1);
    const many = await Promise.allSettled(Array.from({ length: 70 }, (_, index) => ask(index)));
    const refused = many.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      new Array(6).fill('CONFLICT'),
    );
    await own.stop();
    await until(() => scripted.open === 0, 'the connection to be closed');
    await scripted.stop();
  });
});

describe('devices on the network that do wrong', () => {
  const cases = [
    {
      name: 'answers for another unit',
      does: (request: Buffer, socket: Socket) => socket.write(answerTo(request, { unit: 9 })),
      error: { code: 'HARDWARE_ERROR', message: /unit 9 answered instead of unit 1/ },
    },
    {
      name: 'answers something that does not fit',
      does: (request: Buffer, socket: Socket) => {
        const answer = answerTo(request);
        answer[7] = 4;
        socket.write(answer);
      },
      error: { code: 'HARDWARE_ERROR', message: /does not fit/ },
    },
    {
      name: 'does not speak Modbus',
      does: (_: Buffer, socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      error: { code: 'HARDWARE_ERROR', message: /does not speak Modbus TCP/ },
    },
    {
      name: 'closes instead of answering',
      does: (_: Buffer, socket: Socket) => socket.end(),
      error: { code: 'HARDWARE_ERROR', message: /closed the connection/ },
    },
    {
      name: 'breaks the connection',
      does: (_: Buffer, socket: Socket) => socket.resetAndDestroy(),
      error: { code: 'HARDWARE_ERROR', message: /ECONNRESET/ },
    },
    {
      name: 'is silent',
      does: () => undefined,
      error: { code: 'HARDWARE_TIMEOUT', message: /did not answer within 300 ms/ },
    },
    {
      name: 'sends half an answer',
      does: (request: Buffer, socket: Socket) => socket.write(answerTo(request).subarray(0, 9)),
      error: { code: 'HARDWARE_TIMEOUT' },
    },
  ];
  for (const { name, does, error } of cases) {
    test(`should say so when one ${name}`, async () => {
      const device = new ScriptedDevice(does);
      await device.start();
      const modbus = modbusOnNetwork();
      const target = { host: '127.0.0.1', tcpPort: device.port, unit: 1, timeoutMs: 300 };
      await assert.rejects(modbus.read({ ...target, kind: 'holding', address: 0, count: 1 }, context), error);
      await modbus.stop();
      await device.stop();
    });
  }

  test('should not take a late answer for that of the next request', async () => {
    let late: Buffer | undefined;
    const device = new ScriptedDevice((request, socket) => {
      if (late === undefined) late = answerTo(request);
      else {
        socket.write(late);
        socket.write(answerTo(request));
      }
    });
    await device.start();
    const modbus = modbusOnNetwork();
    const target = { host: '127.0.0.1', tcpPort: device.port, unit: 1, kind: 'holding', count: 1 } as const;
    const first = modbus.read({ ...target, address: 11, timeoutMs: 50 }, context);
    await assert.rejects(first, { code: 'HARDWARE_TIMEOUT' });
    assert.deepEqual(await modbus.read({ ...target, address: 22, timeoutMs: LONG }, context), {
      values: [22],
    });
    assert.equal(device.connections, 1);
    await modbus.stop();
    await device.stop();
  });

  test('should connect anew where the device had closed a connection that was kept, and repeat no write', async () => {
    let hasAnswered = 0;
    const device = new ScriptedDevice((request, socket) => {
      // Each connection is good for one answer.
      if (device.connections > hasAnswered) {
        hasAnswered = device.connections;
        socket.write(request[7] === 3 ? answerTo(request) : request);
      } else socket.destroy();
    });
    await device.start();
    const modbus = modbusOnNetwork();
    const target = { host: '127.0.0.1', tcpPort: device.port, unit: 1, timeoutMs: LONG } as const;
    const read = () => modbus.read({ ...target, kind: 'holding', address: 3, count: 1 }, context);
    assert.deepEqual(await read(), { values: [3] });
    assert.deepEqual(await read(), { values: [3] });
    const write = modbus.write({ ...target, kind: 'holding', address: 3, values: [1] }, context);
    await assert.rejects(write, { code: 'HARDWARE_ERROR' });
    assert.equal(device.connections, 2);
    await modbus.stop();
    await device.stop();
  });

  test('should say that nobody is there', async () => {
    const modbus = modbusOnNetwork();
    const target = { host: '127.0.0.1', tcpPort: await freeTcpPort(), unit: 1, timeoutMs: LONG };
    await assert.rejects(modbus.read({ ...target, kind: 'coil', address: 0, count: 1 }, context), {
      code: 'HARDWARE_ERROR',
      message: /ECONNREFUSED/,
    });
    await modbus.stop();
  });

  test('should end waiting requests with SHUTTING_DOWN when it stops, and go on after a start', async () => {
    const device = new ScriptedDevice(() => undefined);
    await device.start();
    const modbus = modbusOnNetwork();
    await modbus.stop();
    await modbus.start();
    const target = { host: '127.0.0.1', tcpPort: device.port, unit: 1, timeoutMs: LONG };
    const ask = () => modbus.read({ ...target, kind: 'coil', address: 0, count: 1 }, context);
    const refused = Promise.all(
      [ask(), ask()].map((call) => assert.rejects(call, { code: 'SHUTTING_DOWN' })),
    );
    await until(() => device.open === 1, 'the connection');
    await modbus.stop();
    await refused;
    await assert.rejects(ask(), { code: 'SHUTTING_DOWN' });
    await until(() => device.open === 0, 'the connection to be closed');
    await modbus.stop();
    await device.stop();
  });

  test('should free the line of a caller who is gone', async () => {
    const device = new ScriptedDevice((request, socket) => {
      if (request.readUInt16BE(8) === 7) socket.write(answerTo(request));
    });
    await device.start();
    const modbus = modbusOnNetwork();
    const target = { host: '127.0.0.1', tcpPort: device.port, unit: 1, kind: 'holding', count: 1 } as const;
    const caller = new AbortController();
    const first = modbus.read({ ...target, address: 6, timeoutMs: LONG }, { signal: caller.signal });
    const second = modbus.read({ ...target, address: 7, timeoutMs: LONG }, context);
    await until(() => device.open === 1, 'the connection');
    caller.abort(new Error('gone'));
    await assert.rejects(first, /gone/);
    assert.deepEqual(await second, { values: [7] });
    await modbus.stop();
    await device.stop();
  });
});

describe('Modbus targets', () => {
  test('security: should be refused with FORBIDDEN before anything is sent, by the rule of all devices', async () => {
    const device = new ScriptedDevice(() => undefined);
    await device.start();
    const onPanel = new LocalTargets({ ownPorts: () => [], mayAskOurselves: false });
    const onDesk = new LocalTargets({ ownPorts: () => [device.port], mayAskOurselves: true });
    for (const targets of [onPanel, onDesk]) {
      const serial = { alone: () => assert.fail('no serial line') };
      const modbus = new ModbusService({ serial, network: new TcpSockets(), targets });
      for (const host of ['127.0.0.1', 'localhost', '8.8.8.8']) {
        const target = { host, tcpPort: device.port, unit: 1, timeoutMs: LONG };
        const call = modbus.read({ ...target, kind: 'coil', address: 0, count: 1 }, context);
        await assert.rejects(call, { code: 'FORBIDDEN' });
      }
      await modbus.stop();
    }
    assert.equal(device.connections, 0);
    await device.stop();
  });

  test('security: should be asked at most 16 at one time', async () => {
    const device = new ScriptedDevice(() => undefined);
    await device.start();
    const modbus = modbusOnNetwork();
    const caller = new AbortController();
    const ask = (host: string) =>
      modbus.read(
        { host, tcpPort: device.port, unit: 1, kind: 'coil', address: 0, count: 1, timeoutMs: LONG },
        { signal: caller.signal },
      );
    const asked = Array.from({ length: 16 }, () => ask('127.0.0.1'));
    // Of one device any number waits; of others there are fifteen more.
    const others = Array.from({ length: 15 }, (_, index) => ask(`127.0.1.${index}`));
    const all = Promise.allSettled([...asked, ...others]);
    await assert.rejects(ask('127.0.2.1'), { code: 'CONFLICT', message: /16 Modbus devices/ });
    caller.abort(new Error('gone'));
    await all;
    await modbus.stop();
    await device.stop();
  });
});

describe('the contract of Modbus', () => {
  const read = { unit: 1, kind: 'holding', address: 0 };
  const write = { unit: 1, kind: 'holding', address: 0, values: [1] };
  const isRead = (params: object) => commands['modbus.read'].params.safeParse({ ...read, ...params }).success;
  const isWrite = (params: object) =>
    commands['modbus.write'].params.safeParse({ ...write, ...params }).success;
  const onLine = { port: '/dev/ttyS9' };
  const onNetwork = { host: '192.168.1.9' };

  test('should take exactly one of port and host, with what belongs to it', () => {
    assert.ok(isRead(onLine) && isRead({ ...onLine, baudRate: 19_200, parity: 'even' }));
    assert.ok(isRead(onNetwork) && isRead({ ...onNetwork, tcpPort: 1_502 }));
    for (const wrong of [
      {},
      { ...onLine, ...onNetwork },
      { ...onLine, tcpPort: 502 },
      { ...onNetwork, baudRate: 9_600 },
    ])
      assert.ok(!isRead(wrong), JSON.stringify(wrong));
    assert.ok(!isRead({ ...onNetwork, parity: 'even' }));
  });

  test('should take units 1 to 247 on a line, 0 to 255 on the network', () => {
    assert.deepEqual(
      [0, 1, 247, 248].map((unit) => isRead({ ...onLine, unit })),
      [false, true, true, false],
    );
    assert.ok(isRead({ ...onNetwork, unit: 0 }) && isRead({ ...onNetwork, unit: 255 }));
  });

  test('should take as many values as fit into a request, within the addresses', () => {
    assert.ok(isRead({ ...onLine, count: 125 }) && !isRead({ ...onLine, count: 126 }));
    assert.ok(
      isRead({ ...onLine, kind: 'coil', count: 2_000 }) && !isRead({ ...onLine, kind: 'coil', count: 2_001 }),
    );
    assert.ok(isWrite({ ...onLine, values: new Array(123).fill(1) }));
    assert.ok(!isWrite({ ...onLine, values: new Array(124).fill(1) }));
    assert.ok(isWrite({ ...onLine, kind: 'coil', values: new Array(1_968).fill(1) }));
    assert.ok(!isWrite({ ...onLine, kind: 'coil', values: new Array(1_969).fill(1) }));
    assert.ok(!isWrite({ ...onLine, kind: 'coil', values: [2] }) && !isWrite({ ...onLine, values: [] }));
    assert.ok(isRead({ ...onLine, address: 65_535 }) && !isRead({ ...onLine, address: 65_536 }));
    assert.ok(!isWrite({ ...onLine, kind: 'input' }));
  });
});
