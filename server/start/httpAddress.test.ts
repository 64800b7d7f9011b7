import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadSettings } from '../config/loadSettings.ts';
import { UndoneSettings } from '../config/proof/takenBack.ts';
import type { HttpsService } from '../parts/https/service.ts';
import { silentLogger } from '../platform/log.ts';
import { HttpServer, RETRY_MS } from '../surfaces/http/server.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { freeTcpPort } from '../testing/freePort.ts';
import { selfSigned } from '../testing/selfSigned.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';
import { HttpsPort, httpFallback } from './httpAddress.ts';

let dataDir = '';
const ends: (() => unknown)[] = [];
beforeEach(() => {
  dataDir = temporaryFolder('address');
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const write = (name: string, tree: unknown) => writeFileSync(join(dataDir, name), JSON.stringify(tree));

async function taken(): Promise<Server & { port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

/** A panel with HTTPS, up to its listeners. */
async function make(environment: NodeJS.ProcessEnv = {}) {
  const held = { FACEPLATE_HTTP_HOST: '127.0.0.1', FACEPLATE_HTTP_PORT: '0', ...environment };
  const loaded = loadSettings(['--dataDir', dataDir], held, '1.0.0');
  const undone = new UndoneSettings(loaded.undone);
  const [clock, log, printed] = [new FakeClock(), silentLogger(), [] as string[]];
  const http = new HttpServer({ host: '127.0.0.1', port: 0, log });
  await http.start();
  const identity = selfSigned();
  const https = { identity, onChanged: () => {} } as unknown as HttpsService;
  const port = new HttpsPort({
    loaded,
    http,
    https,
    undone,
    clock,
    log,
    print: (line) => printed.push(line),
  });
  await port.start();
  ends.push(
    () => port.stop(),
    () => http.stop(),
  );
  return { http, undone, clock, printed };
}

const names = (undone: UndoneSettings) => undone.list().map(({ setting }) => setting);

describe('the port of HTTPS', () => {
  it('should give way to the last one while it is in use, and be taken when it is free', async () => {
    const other = await taken();
    const last = await freeTcpPort();
    write('settings.json', { https: { port: other.port } });
    write('settings.good.json', { https: { port: last } });
    const { http, undone, clock, printed } = await make();
    assert.equal(http.securePort, last);
    assert.deepEqual(names(undone), ['https.port']);
    other.close();
    await once(other, 'close');
    await until(async () => {
      await clock.advance(RETRY_MS);
      return http.securePort === other.port;
    });
    await until(() => names(undone).length === 0);
    assert.equal(clock.pending, 0);
    assert.deepEqual(printed, [`faceplate https ${last}`, `faceplate https ${other.port}`]);
  });

  it('should stay off where none worked before, and not be tried any more once somebody changed it', async () => {
    const other = await taken();
    write('settings.json', { https: { port: other.port } });
    const { http, undone, clock } = await make();
    assert.equal(http.securePort, undefined);
    undone.forget(['https.port']);
    other.close();
    await once(other, 'close');
    await clock.advance(RETRY_MS);
    assert.equal(clock.pending, 0);
    assert.equal(http.securePort, undefined);
  });

  it('should stay off where the environment holds it', async () => {
    const other = await taken();
    const { http, undone, clock } = await make({ FACEPLATE_HTTPS_PORT: String(other.port) });
    assert.deepEqual([http.securePort, names(undone), clock.pending], [undefined, [], 0]);
  });
});

describe('what the HTTP server may give up', () => {
  const mayGiveUp = (environment: NodeJS.ProcessEnv = {}) => {
    const loaded = loadSettings(['--dataDir', dataDir], environment, '1.0.0');
    const { mayGiveUp } = httpFallback(loaded, new UndoneSettings([]));
    return [mayGiveUp('http.host'), mayGiveUp('http.port')];
  };

  it('should be what the settings file chose, or has given up', () => {
    assert.deepEqual(mayGiveUp(), [false, false]);
    write('settings.json', { http: { port: 8081 } });
    assert.deepEqual(mayGiveUp(), [false, true]);
    assert.deepEqual(mayGiveUp({ FACEPLATE_HTTP_PORT: '8082' }), [false, false]);
    write('settings.json', {});
    write('settings.good.json', { http: { host: '127.0.0.1' } });
    assert.deepEqual(mayGiveUp(), [true, false]);
  });
});
