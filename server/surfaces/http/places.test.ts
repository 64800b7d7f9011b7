import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeTcpPort as freePort } from '../../testing/freePort.ts';
import { until } from '../../testing/waiting.ts';
import { type AddressSetting, type Place, placesInstead } from './listener.ts';
import { HttpServer, RETRY_MS } from './server.ts';

/** An address that no machine of a test has (RFC 5737). */
const NOT_OURS = '192.0.2.77';
const LAN = '192.168.1.20';

const started: (HttpServer | Server)[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) {
    if (one instanceof HttpServer) await one.stop();
    else one.close();
  }
});

async function taken(port: number, host = '0.0.0.0'): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  started.push(server);
  return server;
}

/** A server as the program makes it, with the place that it had last. */
function make(wished: Place, last: Place, held: readonly AddressSetting[] = []) {
  const clock = new FakeClock();
  const missed: string[] = [];
  const facts = { missed, moved: 0, isStillWished: true, clock };
  const server = new HttpServer({
    ...wished,
    fallback: {
      last,
      mayGiveUp: (setting) => !held.includes(setting),
      onMissed: (setting, reason) => missed.push(`${setting} ${reason}`),
      isStillWished: () => facts.isStillWished,
    },
    clock,
    log: silentLogger(),
  });
  server.onMoved(() => facts.moved++);
  started.push(server);
  return Object.assign(facts, { server });
}

/** Whether somebody listens there; all of 127.0.0.0/8 is this machine, so 127.0.0.2 stands for the network. */
async function hears(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('places instead of the wished one', () => {
  const instead = (wished: Place, last: Place, held: readonly AddressSetting[] = []) =>
    placesInstead(wished, 'http.port', {
      last,
      mayGiveUp: (setting) => !held.includes(setting),
      onMissed: () => {},
      isStillWished: () => true,
    }).map(({ host, port }) => `${host}:${port}`);

  it('should be the last one, then loopback', () => {
    assert.deepEqual(instead({ host: '0.0.0.0', port: 80 }, { host: '0.0.0.0', port: 8080 }), [
      '0.0.0.0:8080',
      '127.0.0.1:8080',
      '127.0.0.1:0',
    ]);
    assert.deepEqual(instead({ host: LAN, port: 80 }, { host: '192.168.1.21', port: 8080 }), [
      `${LAN}:8080`,
      '192.168.1.21:80',
      '192.168.1.21:8080',
      '127.0.0.1:80',
      '127.0.0.1:8080',
      '127.0.0.1:0',
    ]);
  });

  it('should be no others than those that a flag or the environment holds', () => {
    const wished = { host: '0.0.0.0', port: 80 };
    assert.deepEqual(instead(wished, { host: '127.0.0.1', port: 8080 }, ['http.host']), [
      '0.0.0.0:8080',
      '127.0.0.1:8080',
      '127.0.0.1:0',
    ]);
    assert.deepEqual(instead({ ...wished, host: LAN }, wished, ['http.port']), ['127.0.0.1:80']);
  });

  it('security: should be on no more addresses than wished', () => {
    const widths = [['127.0.0.1', 'localhost', '::1'], [LAN, 'fd00::1'], ['0.0.0.0'], ['::']];
    for (const [wide, lasts] of widths.entries())
      for (const [narrow, hosts] of widths.entries())
        for (const last of lasts)
          for (const host of hosts)
            assert.equal(
              instead({ host, port: 80 }, { host: last, port: 81 }).includes(`${last}:81`),
              wide <= narrow,
              `${host} after ${last}`,
            );
  });
});

describe('a server whose place cannot be opened', () => {
  it('should take the last port, and move to the wished one when it is free', async () => {
    const [wished, last] = [await freePort(), await freePort()];
    const other = await taken(wished);
    const facts = make({ host: '0.0.0.0', port: wished }, { host: '0.0.0.0', port: last });
    const { server, clock, missed } = facts;
    await server.start();
    assert.deepEqual(server.outside, { host: '0.0.0.0', port: last });
    assert.match(missed.join(), /^http\.port cannot be opened: EADDRINUSE \(/);
    assert.ok(await hears('127.0.0.2', last));
    await clock.advance(RETRY_MS);
    assert.equal(facts.moved, 0);
    other.close();
    await once(other, 'close');
    await until(async () => {
      await clock.advance(RETRY_MS);
      return server.outside.port === wished;
    });
    assert.ok(await hears('127.0.0.2', wished));
    // The panel's own pages stay where they are, and nobody else hears that port any more.
    assert.equal(server.port, last);
    await until(() => hears('127.0.0.1', last));
    assert.equal(await hears('127.0.0.2', last), false);
    assert.deepEqual(server.ports.toSorted(), [wished, last].toSorted());
    assert.equal(clock.pending, 0);
    const answer = await fetch(`http://127.0.0.1:${wished}/healthz`);
    assert.equal(answer.status, 503);
  });

  it('security: should listen on loopback alone where the address is not there, and go on trying', async () => {
    const port = await freePort();
    const facts = make({ host: NOT_OURS, port }, { host: '0.0.0.0', port });
    const { server, clock, missed } = facts;
    await server.start();
    assert.deepEqual(server.outside, { host: '127.0.0.1', port });
    assert.match(missed.join(), /^http\.host cannot be opened: EADDRNOTAVAIL \(/);
    assert.ok(await hears('127.0.0.1', port));
    assert.equal(await hears('127.0.0.2', port), false);
    await clock.advance(10 * RETRY_MS);
    assert.equal(facts.moved, 0);
    assert.equal(clock.pending, 1);
    await server.stop();
    assert.equal(clock.pending, 0);
  });

  it('security: should no longer try a place that somebody has changed since', async () => {
    const port = await freePort();
    const other = await taken(port);
    const facts = make({ host: '0.0.0.0', port }, { host: '0.0.0.0', port });
    await facts.server.start();
    assert.equal(facts.server.outside.host, '127.0.0.1');
    facts.isStillWished = false;
    other.close();
    await facts.clock.advance(3 * RETRY_MS);
    assert.equal(facts.clock.pending, 0);
    assert.equal(facts.server.outside.host, '127.0.0.1');
  });

  it('should end the start where a flag or the environment holds what cannot be opened', async () => {
    const port = await freePort();
    await taken(port);
    const last = { host: '127.0.0.1', port: await freePort() };
    await assert.rejects(make({ host: '127.0.0.1', port }, last, ['http.port']).server.start(), {
      code: 'EADDRINUSE',
      syscall: 'listen',
      port,
    });
    await assert.rejects(make({ host: NOT_OURS, port: 0 }, last, ['http.host']).server.start(), {
      code: 'EADDRNOTAVAIL',
    });
  });
});

it('should hear the panel’s own pages on loopback, also where it listens on one address of the network', async () => {
  const { server } = make({ host: '127.0.0.2', port: 0 }, { host: '0.0.0.0', port: 0 }, [
    'http.host',
    'http.port',
  ]);
  await server.start();
  assert.equal(server.port, server.outside.port);
  assert.ok(await hears('127.0.0.1', server.port));
  assert.ok(await hears('127.0.0.2', server.port));
  assert.equal(await hears('127.0.0.3', server.port), false);
});
