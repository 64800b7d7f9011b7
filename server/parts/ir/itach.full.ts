import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { pythonWith, runProgram } from '../../testing/python.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import type { IrHeard } from './contract.ts';
import { SimulatedAir, SimulatedIr } from './driver.ts';
import { Itach } from './itach.ts';
import { IrService } from './service.ts';

/** What a program of Home Assistant's users does with an iTach: asks what it is, and sends. */
const SCRIPT = `
import asyncio, json, sys
from pyitach.client import ItachClient

async def main():
    async with ItachClient('127.0.0.1', int(sys.argv[1])) as client:
        print(json.dumps({
            'devices': await client.async_get_devices(),
            'version': await client.async_get_version(),
            'module': await client.async_get_ir_module(),
            'sent': await client.async_send_ir(module=1, connector=1, carrier_frequency=38000, timings=[342, 171, 21, 64, 21, 1500]),
        }))

asyncio.run(main())
`;

test('should serve pyitach, a client of others', { timeout: 180_000 }, async (context) => {
  const folder = temporaryFolder('itach');
  const log = silentLogger();
  const events = new EventBus(log);
  const heard: IrHeard[] = [];
  events.onAny((name, payload) => {
    if (name === 'ir') heard.push(payload as IrHeard);
  });
  const air = new SimulatedAir();
  const ir = new IrService({
    ports: ['IR1', 'IR-IN'].map((port) => ({
      port,
      label: '',
      driver: new SimulatedIr(port === 'IR-IN', air, systemClock),
    })),
    clock: systemClock,
    events,
    log,
  });
  const itach = new Itach({ port: 0, ir, version: '1.2.3', onListening: () => {}, log });
  try {
    const bin = await pythonWith(folder, ['pyitach==0.1.0'], 'no client of an iTach was tried');
    if (bin === undefined) return context.skip('pip cannot be reached');
    await ir.start();
    await itach.start();
    await writeFile(join(folder, 'client.py'), SCRIPT);
    const { output } = await runProgram(folder, join(bin, 'python'), ['client.py', String(itach.port)]);
    assert.deepEqual(JSON.parse(output), {
      devices: ['device,0,0 ETHERNET', 'device,1,1 IR'],
      version: 'version,1,1.2.3',
      module: [1, 1],
      sent: null,
    });
    assert.deepEqual(
      heard.map(({ timings }) => timings),
      [[9_000, 4_500, 553, 1_684, 553]],
    );
  } finally {
    await itach.stop();
    await ir.stop();
  }
});
