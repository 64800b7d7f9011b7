import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { PtyPair, skipWithoutSocat } from '../../testing/ptyLine.ts';
import { Tty } from '../serial/tty.ts';
import { modbusOnNetwork } from '../testing/modbusBench.ts';
import { context, serialOn } from '../testing/testPort.ts';
import { ModbusService } from './service.ts';

/** How late the device answers where register 77 is asked for, in milliseconds. */
const LATE_MS = 900;

/**
 * A device made with libmodbus: 100 values of each kind; registers hold 1000 and their address, input registers 2000 and
 * theirs. Arguments: `tcp` and a port, or `rtu` and a tty.
 */
const DEVICE = `
import ctypes, sys, time
lib = ctypes.CDLL('libmodbus.so.5')
byte, word, int_ = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_int
class Mapping(ctypes.Structure):
    _fields_ = [(str(i), int_) for i in range(8)] + [
        ('bits', ctypes.POINTER(byte)), ('input_bits', ctypes.POINTER(byte)),
        ('input_registers', ctypes.POINTER(word)), ('registers', ctypes.POINTER(word))]
lib.modbus_mapping_new.restype = ctypes.POINTER(Mapping)
lib.modbus_new_tcp.restype = lib.modbus_new_rtu.restype = ctypes.c_void_p
how, where = sys.argv[1:]
if how == 'tcp':
    bus = ctypes.c_void_p(lib.modbus_new_tcp(b'127.0.0.1', int(where)))
    listening = int_(lib.modbus_tcp_listen(bus, 4))
else:
    bus = ctypes.c_void_p(lib.modbus_new_rtu(where.encode(), 9600, ctypes.c_char(b'N'), 8, 1))
    lib.modbus_set_slave(bus, 3)
    assert lib.modbus_connect(bus) == 0
values = lib.modbus_mapping_new(100, 100, 100, 100)
for address in range(100):
    values.contents.registers[address] = 1000 + address
    values.contents.input_registers[address] = 2000 + address
    values.contents.input_bits[address] = address % 3 == 0
print('ready', flush=True)
at = lib.modbus_get_header_length(bus)
request = (byte * 260)()
while True:
    if how == 'tcp':
        lib.modbus_tcp_accept(bus, ctypes.byref(listening))
    while True:
        length = lib.modbus_receive(bus, request)
        if length < 0 and how == 'tcp':
            break
        if length <= 0:
            continue
        if request[at + 1] * 256 + request[at + 2] == 77:
            time.sleep(${LATE_MS / 1_000})
        lib.modbus_reply(bus, request, length, values)
`;

const skip =
  spawnSync('python3', ['-c', "import ctypes; ctypes.CDLL('libmodbus.so.5')"]).status === 0
    ? false
    : 'needs libmodbus (Debian package libmodbus5)';

async function startDevice(t: TestContext, how: 'tcp' | 'rtu', where: string): Promise<void> {
  const device = spawn('python3', ['-c', DEVICE, how, where], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(device, 'exit');
  t.after(async () => {
    device.kill();
    await ended;
  });
  await Promise.race([
    once(device.stdout, 'data'),
    ended.then(() => assert.fail('the device of libmodbus ended')),
  ]);
}

/** What both ways have in common. */
async function tryAll(modbus: ModbusService, place: object): Promise<void> {
  const target = { ...place, unit: 3, timeoutMs: 15_000 };
  type Kind = 'coil' | 'discrete' | 'holding' | 'input';
  const read = async (kind: Kind, address: number, count: number, params = {}) =>
    (await modbus.read({ ...target, kind, address, count, ...params }, context)).values;
  const write = (kind: 'coil' | 'holding', address: number, values: number[]) =>
    modbus.write({ ...target, kind, address, values }, context);

  assert.deepEqual(await read('holding', 5, 3), [1_005, 1_006, 1_007]);
  assert.deepEqual(await read('input', 98, 2), [2_098, 2_099]);
  assert.deepEqual(await read('discrete', 0, 10), [1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
  await write('holding', 5, [7]);
  await write('holding', 6, [65_535, 0]);
  assert.deepEqual(await read('holding', 4, 5), [1_004, 7, 65_535, 0, 1_008]);
  await write('coil', 3, [1]);
  await write('coil', 8, [1, 0, 1, 1, 0, 1, 1, 1, 0, 1]);
  assert.deepEqual(await read('coil', 0, 18), [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1]);
  await assert.rejects(read('holding', 99, 2), { code: 'HARDWARE_ERROR', message: /ILLEGAL_DATA_ADDRESS/ });

  // Its answer comes while the next requests wait: it is the answer of none of them.
  await assert.rejects(read('holding', 77, 1, { timeoutMs: 300 }), { code: 'HARDWARE_TIMEOUT' });
  assert.deepEqual(await read('holding', 10, 1), [1_010]);
  assert.deepEqual(await read('holding', 11, 1), [1_011]);
  assert.deepEqual(await read('input', 12, 1), [2_012]);
}

describe('a device made with libmodbus', { skip }, () => {
  test('should be read and written over TCP', async (t) => {
    const port = await freeTcpPort();
    await startDevice(t, 'tcp', String(port));
    const modbus = modbusOnNetwork();
    t.after(() => modbus.stop());
    await tryAll(modbus, { host: '127.0.0.1', tcpPort: port });
  });

  test('should be read and written on a serial line', { skip: skipWithoutSocat }, async (t) => {
    const ptys = new PtyPair();
    t.after(() => ptys.close());
    await ptys.plug();
    await startDevice(t, 'rtu', ptys.theirs);
    const serial = serialOn(ptys.ours, new Tty(ptys.ours), new EventBus(silentLogger()), silentLogger());
    const none = () => assert.fail('no network');
    const modbus = new ModbusService({
      serial,
      network: { connect: none },
      targets: { judged: none },
    });
    t.after(async () => {
      await modbus.stop();
      await serial.stop();
    });
    await serial.start();
    await tryAll(modbus, { port: ptys.ours });
  });
});
