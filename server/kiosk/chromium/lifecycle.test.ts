import assert from 'node:assert/strict';
import { chmod, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { letPass } from '../../testing/waiting.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

/** The page calls the bridge, so that no DevTools port is needed to see it. */
const HELLO = { '/': `<script>container.sendUdp('127.0.0.1', 9, '00')</script>` };
const isRoot = process.getuid?.() === 0;

const statusOf = async (pid: number) => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
};

/** Processes of the kiosk that still run, without zombies. */
const running = async (kiosk: TestKiosk) => {
  const found: number[] = [];
  for (const pid of await kiosk.processes()) {
    const status = await statusOf(pid).catch(() => () => 'Z');
    if (!status('State').startsWith('Z')) found.push(pid);
  }
  return found;
};

/** TCP ports that a process listens on (proc(5): /proc/net/tcp, state 0A = listening). */
const listeningPorts = async (pids: number[]) => {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  const ports = new Map(
    tables
      .join('\n')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === '0A')
      .map((columns) => [`socket:[${columns[9]}]`, Number.parseInt(columns[1]!.split(':')[1]!, 16)]),
  );
  const found: number[] = [];
  for (const pid of pids)
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const port = ports.get(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
      if (port !== undefined) found.push(port);
    }
  return found;
};

describe('life of the Chromium host', () => {
  test('should run unprivileged and sandboxed, with no port open and no secret in its environment', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO, {
      debugPort: undefined,
      env: { ...process.env, FACEPLATE_TOKEN: 'the-token-of-the-panel' },
    });
    await until(() => kiosk.dispatched.length === 1, 'the page');
    const pids = await running(kiosk);
    assert.ok(pids.length > 3);
    let sandboxed = 0;
    for (const pid of pids) {
      const status = await statusOf(pid);
      if (isRoot) assert.equal(status('Groups').trim(), '65534');
      if (isRoot) assert.equal(status('Uid'), '65534\t65534\t65534\t65534');
      else assert.notEqual(status('Uid').split('\t')[0], '0');
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      assert.doesNotMatch(line, /--no-sandbox\0|--disable-setuid-sandbox/);
      assert.doesNotMatch(await readFile(`/proc/${pid}/environ`, 'latin1'), /the-token-of-the-panel/);
      // proc(5): 2 is SECCOMP_MODE_FILTER.
      if (line.includes('--type=renderer') && status('Seccomp') === '2') sandboxed++;
    }
    assert.ok(sandboxed > 0, 'a sandboxed renderer');
    assert.deepEqual(await listeningPorts(pids), []);
    if (isRoot) assert.equal((await stat(kiosk.profileDir)).uid, 65534);
  });

  test('should leave no process behind after stop, and keep the profile', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO);
    await until(() => kiosk.dispatched.length === 1, 'the page');
    assert.notDeepEqual(await running(kiosk), []);
    await kiosk.host.stop();
    assert.deepEqual(await running(kiosk), []);
    assert.ok((await readdir(kiosk.profileDir)).length > 0);
    assert.equal(kiosk.bus.size, 0);
    await kiosk.host.stop();
  });

  test('should end a browser that does not react', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO);
    process.kill(await kiosk.browserPid(), 'SIGSTOP');
    // Without a kill this would never end.
    await kiosk.host.stop();
    assert.deepEqual(await running(kiosk), []);
  });

  test('should start again after a stop', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO);
    await until(() => kiosk.dispatched.length === 1, 'the page');
    await kiosk.host.stop();
    await kiosk.start('/');
    await until(() => kiosk.dispatched.length === 2, 'the page again');
  });

  test('should leave nothing behind when stopped in the middle of its start', async () => {
    for (const ms of [0, 20, 100, 250]) {
      await using kiosk = new TestKiosk();
      await kiosk.serve();
      await kiosk.makeHost();
      const started = kiosk.start('/').then(
        () => true,
        () => false,
      );
      await letPass(ms);
      await kiosk.host.stop();
      await started;
      assert.deepEqual(await running(kiosk), []);
    }
  });

  test('should stop before it was started', async () => {
    await using kiosk = new TestKiosk();
    await kiosk.makeHost();
    await kiosk.host.stop();
  });

  test('should say in one sentence that the browser is missing', async () => {
    await using kiosk = new TestKiosk();
    await kiosk.serve();
    await kiosk.makeHost({ binary: '/nowhere/chromium' });
    await assert.rejects(() => kiosk.start('/'), {
      message: 'The browser /nowhere/chromium cannot be started: there is no such program.',
    });
  });

  test('should start with a browser that ends at once, say why nothing is shown, and keep trying', async () => {
    const folder = temporaryFolder('browser');
    await using kiosk = new TestKiosk();
    await chmod(folder, 0o755);
    const binary = join(folder, 'chromium');
    await writeFile(binary, '#!/bin/sh\necho no luck today >&2\nexit 1\n', { mode: 0o755 });
    await kiosk.serve();
    await kiosk.makeHost({ binary });
    await kiosk.start('/');
    const reason = 'The browser did not start; it said: no luck today';
    assert.equal(kiosk.host.whyNotShown?.(), reason);
    await until(() => kiosk.logText.split('kiosk: recovering the page').length > 3, 'two more attempts');
    assert.equal(kiosk.logText.split(reason).length - 1, 1, 'said once');
    await kiosk.host.stop();
    assert.equal(kiosk.host.whyNotShown?.(), undefined);
    assert.deepEqual(await running(kiosk), []);
  });

  test('should give up a browser that runs but answers nothing, and try again', async () => {
    const folder = temporaryFolder('browser');
    await using kiosk = new TestKiosk();
    await chmod(folder, 0o755);
    const binary = join(folder, 'chromium');
    await writeFile(binary, '#!/bin/sh\nsleep 600\n', { mode: 0o755 });
    await kiosk.serve();
    const after = (ms: number, action: () => void) => systemClock.after(ms / 50, action);
    await kiosk.makeHost({ binary, clock: { now: systemClock.now, after } });
    await kiosk.start('/');
    assert.equal(kiosk.host.whyNotShown?.(), 'The browser did not start.');
    await until(() => kiosk.logText.split('kiosk: recovering the page').length > 2, 'another attempt');
    await kiosk.host.stop();
    assert.deepEqual(await running(kiosk), []);
  });

  test('security: should refuse to run the browser as root', { skip: !isRoot && 'not root' }, async () => {
    await using kiosk = new TestKiosk();
    await kiosk.serve();
    await kiosk.makeHost({ user: undefined });
    await assert.rejects(() => kiosk.start('/'), /must not run as root/);
  });

  test('should start while the server of the page is down, and show the page once it is up', async () => {
    await using kiosk = new TestKiosk();
    await kiosk.serve();
    await kiosk.stopServing();
    await kiosk.makeHost();
    await kiosk.start('/');
    await until(() => kiosk.host.recoveries()['page-unreachable'] === 1, 'the outage');
    for (const [path, html] of Object.entries(HELLO)) kiosk.pages.set(path, html);
    await kiosk.serve(kiosk.port);
    await until(() => kiosk.dispatched.length > 0, 'the page');
  });

  test('should open the DevTools port it was given', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    await using kiosk = await TestKiosk.open('/', HELLO, { debugPort: port });
    await until(() => kiosk.debugPort !== 0, 'the port');
    assert.equal(kiosk.debugPort, port);
    assert.equal(await kiosk.evaluate('typeof container'), 'object');
  });
});
