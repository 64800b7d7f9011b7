import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestKiosk, until } from '../../kiosk/testing/testKiosk.ts';
import { StarterFiles, StarterLauncher } from '../../parts/apps/desktop/kioskSide.ts';
import { askStarter, doJob, noBrowserExtras } from '../../platform/kioskJobs.ts';
import { asUser } from '../../platform/privileges.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const HELLO = { '/': `<script>container.sendUdp('127.0.0.1', 9, '00')</script>` };
const PYTHON = '/usr/bin/python3';

/** The real starter behind a socket, as systemd runs it, as a user without rights. */
describe('the starter of the kiosk', {
  skip: !existsSync(PYTHON) && 'needs python3 (Debian package python3-gi)',
}, () => {
  let folder: string;
  let home: string;
  let systemd: ChildProcess;
  const path = () => join(folder, 'starter.sock');

  before(async () => {
    folder = temporaryFolder('starter');
    home = join(folder, 'home');
    mkdirSync(home);
    chmodSync(folder, isRoot ? 0o777 : 0o700);
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    const starter = [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'main.ts'),
    ];
    const command = [PYTHON, join(import.meta.dirname, 'testing/starterSocket.py'), path(), ...starter];
    const [program, ...args] = isRoot
      ? asUser({ uid: NOBODY, gid: NOBODY }, command[0]!, command.slice(1))
      : command;
    const env = { PATH: process.env.PATH, HOME: home };
    systemd = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    await once(systemd.stdout!, 'data');
  });
  after(async () => {
    systemd.kill();
    await once(systemd, 'exit');
  });

  const isAlive = (pid: number) => {
    const status = existsSync(`/proc/${pid}/status`)
      ? readFileSync(`/proc/${pid}/status`, 'utf8')
      : 'State:\tZ';
    return !/^State:\s+Z/m.test(status);
  };

  test('should become the browser, which shows the page over the connection and ends with the host', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO, { starter: path(), debugPort: undefined });
    await until(() => kiosk.dispatched.length === 1, 'the page');
    assert.ok(existsSync(join(home, 'chromium/Default')));
    assert.equal(statSync(join(home, 'chromium')).mode & 0o777, 0o700);
    await kiosk.host.stop();
  });

  test('should end the browser when the service hangs up', async () => {
    const options = {
      headless: true,
      apps: false,
      debugPort: null,
      fakeMedia: false,
      loginOrigins: [],
      cookieOrigins: [],
      extras: noBrowserExtras,
    };
    const { answer, socket } = await askStarter(path(), { job: 'browser', ...options });
    const pid = answer.pid!;
    const line = () => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    await until(() => line().includes('--remote-debugging-pipe'), 'the browser');
    const browser = line().split('\0');
    assert.ok(browser.includes(`--user-data-dir=${home}/chromium`), browser.join(' '));
    assert.ok(!browser.includes('--no-sandbox'));
    // A browser that does not read its pipe yet may not notice the hang-up.
    socket.write('{"id":1,"method":"Browser.getVersion","params":{}}\0');
    socket.resume();
    await once(socket, 'data');
    socket.destroy();
    await until(() => !isAlive(pid), 'its end');
  });

  test('should end quietly when the service waits no longer', async () => {
    const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')];
    // Node gives a child sockets, as systemd does.
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let words = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (words += text));
    child.stdin.write('{"job":"none"}\n', () => child.stdin.destroy());
    const [code] = await once(child, 'close');
    assert.equal(code, 0, words);
    assert.match(words, /waits no longer/);
    assert.doesNotMatch(words, /\n\s+at /);
  });

  test('should say that there is no screen instead of starting a browser without one', async () => {
    const options = {
      headless: false,
      apps: false,
      debugPort: null,
      fakeMedia: false,
      loginOrigins: [],
      cookieOrigins: [],
      extras: noBrowserExtras,
    };
    // The compositor of this session does not run.
    const other = join(folder, 'other.sock');
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'none' };
    const script = join(import.meta.dirname, 'testing/starterSocket.py');
    const main = join(import.meta.dirname, 'main.ts');
    const second = spawn(PYTHON, [script, other, process.execPath, main], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    });
    try {
      await once(second.stdout!, 'data');
      const { answer, socket } = await askStarter(other, { job: 'browser', ...options });
      socket.destroy();
      assert.deepEqual(answer, { noScreen: true });
    } finally {
      second.kill();
      await once(second, 'exit');
    }
  });

  test('should write an AppImage with its entry, launch it, report its end, end it on request, and remove it', async () => {
    const source = join(folder, 'source');
    const image = `#!/bin/sh\nid -u >"$HOME/launched-by"\nsleep 60\n`;
    writeFileSync(source, image);
    const files = new StarterFiles(path());
    const target = join(home, 'Applications/Some.AppImage');
    await files.copy(source, target);
    assert.equal(readFileSync(target, 'utf8'), image);
    assert.equal(statSync(target).mode & 0o777, 0o755);
    await assert.rejects(files.writeText('', join(home, '.local/share/applications/Some.desktop')), {
      code: 'INVALID_REQUEST',
    });
    // It is no AppImage, so the starter did not write its entry.
    const entries = join(home, '.local/share/applications');
    mkdirSync(entries, { recursive: true });
    writeFileSync(
      join(entries, 'Some.desktop'),
      `[Desktop Entry]\nType=Application\nName=Some\nExec=${target}\n`,
    );
    const launcher = new StarterLauncher(path());
    let ended = 0;
    const application = { id: 'Some' } as Parameters<typeof launcher.launch>[0];
    await launcher.launch(application, () => ended++);
    await until(() => existsSync(join(home, 'launched-by')), 'the program');
    assert.equal(ended, 0);
    await assert.rejects(
      launcher.launch({ ...application, id: 'Other' }, () => {}),
      { code: 'PACKAGE_NOT_FOUND' },
    );
    const isRunning = () => spawnSync('pgrep', ['-f', `^/bin/sh ${target}`]).status === 0;
    assert.ok(isRunning());
    await launcher.stop();
    await until(() => !isRunning(), 'the end of the program');
    await files.remove(target);
    assert.ok(!existsSync(target));
    await assert.rejects(files.remove(join(home, 'launched-by')), { code: 'FORBIDDEN' });
  });

  test('security: should do nothing but its jobs, and change nothing outside its folders', async () => {
    for (const job of [
      { job: 'run', command: 'id' },
      { job: 'launch', packageName: '-c' },
    ])
      assert.equal((await doJob(path(), job as never)).code, 'INVALID_REQUEST');
    for (const job of [
      { job: 'write', path: join(home, '.profile'), size: 1 },
      { job: 'remove', path: join(folder, 'outside.desktop') },
      { job: 'remove', path: join(home, '../outside.desktop') },
    ] as const)
      assert.equal((await doJob(path(), job)).code, 'FORBIDDEN', job.path);
    // A process that is not one of its jobs, such as this one, is not ended.
    assert.deepEqual(await doJob(path(), { job: 'end', pid: process.pid }), {});
    assert.deepEqual(await doJob(path(), { job: 'memory', pid: process.pid }), { bytes: 0 });
  });

  test('should not leave half a file when the service hangs up in the middle', async () => {
    const target = join(home, 'Applications/Half.AppImage');
    const { answer, socket } = await askStarter(path(), { job: 'write', path: target, size: 1_000 });
    assert.deepEqual(answer, {});
    socket.end(Buffer.alloc(10));
    socket.resume();
    await once(socket, 'close');
    assert.ok(!existsSync(target));
    await until(() => !existsSync(`${target}.part`), 'the partial file to be removed');
    assert.ok(!existsSync(`${target}.part`));
  });
});
