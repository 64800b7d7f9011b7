import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, mock, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { silentLogger } from '../log.ts';
import { sendDatagram } from '../native/program.ts';
import { SystemdNotifier } from './systemdNotifier.ts';

describe('SystemdNotifier', () => {
  const sent: string[] = [];
  let well = true;
  const notifier = (environment: NodeJS.ProcessEnv) =>
    new SystemdNotifier({
      environment,
      pid: 7,
      send: (address, text) => sent.push(`${address} ${text}`),
      isWell: () => well,
      log: silentLogger(),
    });

  test('should say ready, then feed the watchdog only while the service is well, then say stopping', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const one = notifier({ NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' });
      one.start();
      mock.timers.tick(10_000);
      well = false;
      mock.timers.tick(20_000);
      well = true;
      mock.timers.tick(10_000);
      one.stop();
      mock.timers.tick(60_000);
      assert.deepEqual(sent, ['/s READY=1', '/s WATCHDOG=1', '/s WATCHDOG=1', '/s STOPPING=1']);
    } finally {
      mock.timers.reset();
    }
  });

  test('should ask for more time while it starts, for a quarter of an hour at most', () => {
    sent.length = 0;
    const more = '/s EXTEND_TIMEOUT_USEC=60000000';
    const environment = { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '30000000' };
    const [slow, stuck] = [notifier(environment), notifier(environment)];
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      slow.starting();
      mock.timers.tick(25_000);
      slow.start();
      mock.timers.tick(10_000);
      slow.stop();
      assert.deepEqual(sent, [more, more, more, '/s READY=1', '/s WATCHDOG=1', '/s STOPPING=1']);
      sent.length = 0;
      stuck.starting();
      mock.timers.tick(60 * 60_000);
      assert.equal(sent.length, 90);
      stuck.stop();
    } finally {
      mock.timers.reset();
    }
  });

  test('should send nothing when no systemd asks, and feed no watchdog of another process', () => {
    sent.length = 0;
    const [plain, other] = [
      notifier({}),
      notifier({ NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '3000', WATCHDOG_PID: '8' }),
    ];
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      for (const one of [plain, other]) one.start();
      mock.timers.tick(60_000);
      assert.deepEqual(sent, ['/s READY=1']);
    } finally {
      mock.timers.reset();
      for (const one of [plain, other]) one.stop();
    }
  });

  test('should not fail when systemd does not listen', () => {
    const lost = new SystemdNotifier({
      environment: { NOTIFY_SOCKET: '/no/such/socket' },
      pid: 7,
      send: sendDatagram,
      isWell: () => true,
      log: silentLogger(),
    });
    lost.start();
    lost.stop();
  });
});

describe('sendDatagram', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  before(() => {
    folder = temporaryFolder('notify');
  });
  after(async () => {
    for (const child of children) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });

  async function listen(address: string): Promise<string[]> {
    const child = spawn('socat', ['-u', address, '-'], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
    return lines;
  }

  test('should reach a socket by its path, and one that has only a name', async () => {
    const path = join(folder, 'notify');
    const byPath = await listen(`UNIX-RECV:${path}`);
    await until(() => existsSync(path));
    sendDatagram(path, 'READY=1\n');
    await until(() => byPath.includes('READY=1'));
    const name = `faceplate-test-${process.pid}`;
    // socat pads abstract names by default; systemd does not.
    const byName = await listen(`ABSTRACT-RECV:${name},unix-tightsocklen=1`);
    await until(() => {
      try {
        sendDatagram(`@${name}`, 'WATCHDOG=1\n');
        return true;
      } catch {
        return false;
      }
    });
    await until(() => byName.includes('WATCHDOG=1'));
  });

  test('should fail with the errno when nothing was sent', () => {
    assert.throws(() => sendDatagram(join(folder, 'none'), 'x'), { code: 'ENOENT' });
    assert.throws(() => sendDatagram(`/${'x'.repeat(200)}`, 'x'), { code: 'ENAMETOOLONG' });
  });
});
