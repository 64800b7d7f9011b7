import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeTcpPort, isListening } from '../../server/testing/freePort.ts';
import { pythonWith } from '../../server/testing/python.ts';
import { until } from '../../server/testing/waiting.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const VERSION = '3.11.3';
test("should read and write the registers of pymodbus' simulator", async ({ startFaceplate }, info) => {
  const folder = info.outputPath();
  const wanted = `pymodbus[simulator]==${VERSION}`;
  const bin = await pythonWith(folder, [wanted], 'Modbus was NOT tried with pymodbus');
  test.skip(bin === undefined, 'pip has no network');

  const [port, httpPort] = [await freeTcpPort(), await freeTcpPort()];
  const setup = join(folder, 'setup.json');
  await writeFile(setup, JSON.stringify(simulator(port)));
  const args = [
    ['--modbus_server', 'server', '--modbus_device', 'device', '--json_file', setup],
    ['--http_host', '127.0.0.1', '--http_port', String(httpPort), '--log_file', join(folder, 'log')],
  ];
  const device = spawn(`${bin}/pymodbus.simulator`, args.flat(), { cwd: folder, stdio: 'ignore' });
  try {
    await until(() => isListening(port), 'the simulator');
    const api = await apiOf(await startFaceplate({ args: ['--host', 'none', '--board', 'simulated'] }));
    const target = { host: '127.0.0.1', tcpPort: port, unit: 1, timeoutMs: 15_000 };
    const read = (kind: string, address: number, count: number) =>
      api('/api/remote/modbus/read', { ...target, kind, address, count });
    const write = (kind: string, address: number, values: number[]) =>
      api('/api/remote/modbus/write', { ...target, kind, address, values });
    expect(await read('holding', 0, 3)).toEqual({ status: 200, body: { values: [2304, 2304, 2304] } });
    expect(await write('holding', 2, [7])).toEqual({ status: 200, body: { values: [7] } });
    expect((await write('holding', 3, [8, 65_535])).status).toBe(200);
    expect((await read('holding', 1, 5)).body).toEqual({ values: [2304, 7, 8, 65_535, 2304] });
    expect((await read('input', 3, 1)).body).toEqual({ values: [8] });
    // The simulator keeps 16 bits in each register: bit 240 is the first of register 15.
    expect((await read('coil', 240, 4)).body).toEqual({ values: [1, 0, 1, 0] });
    expect((await read('discrete', 242, 1)).body).toEqual({ values: [1] });
    for (const address of [52, 900])
      expect(await read('holding', address, 1)).toEqual(
        failure(502, 'HARDWARE_ERROR', /: ILLEGAL_DATA_ADDRESS\.$/),
      );
    const many = await Promise.all(Array.from({ length: 50 }, (_, index) => read('holding', index % 9, 1)));
    expect(many.every(({ status }) => status === 200)).toBe(true);
  } finally {
    await end(device);
  }
});

/** A device with 17 registers, some of which may be written, and a gap. */
function simulator(port: number): object {
  const none = { bits: null, uint16: null, uint32: null, float32: null, string: null };
  const zero = { bits: 0, uint16: 0, uint32: 0, float32: 0, string: ' ' };
  const sizes = { 'co size': 100, 'di size': 200, 'hr size': 300, 'ir size': 400 };
  const setup = { ...sizes, 'shared blocks': true, 'type exception': false };
  const names = ['VendorName', 'ProductCode', 'VendorUrl', 'ProductName', 'ModelName', 'MajorMinorRevision'];
  const identity = Object.fromEntries(names.map((name) => [name, '1']));
  const server = { comm: 'tcp', host: '127.0.0.1', port, ignore_missing_devices: false, framer: 'socket' };
  const device = {
    setup: { ...setup, defaults: { value: zero, action: none } },
    invalid: [[50, 60]],
    write: [[0, 9]],
    bits: [{ addr: [15, 16], value: 5 }],
    uint16: [{ addr: [0, 9], value: 2304 }],
    uint32: [],
    float32: [],
    string: [],
    repeat: [],
  };
  return { server_list: { server: { ...server, identity } }, device_list: { device } };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
