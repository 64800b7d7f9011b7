import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { signDeb } from '../../server/testing/signedFiles.ts';
import { DebianMachine, noDebianMachine } from '../debianMachine.ts';
import { InstalledPanel } from '../installedPanel.ts';

const root = join(import.meta.dirname, '../..');
const MINUTE_MS = 60_000;

// One machine through its whole life: install, boot, use, break, update, remove, purge.
test.describe.configure({ mode: 'serial' });
test.skip(noDebianMachine() !== false, String(noDebianMachine()));
test.setTimeout(20 * MINUTE_MS);

let work: string;
let machine: DebianMachine;
let panel: InstalledPanel;

test.beforeAll(async () => {
  test.setTimeout(20 * MINUTE_MS);
  work = mkdtempSync(join(tmpdir(), 'faceplate-machine-'));
  machine = new DebianMachine(join(work, 'machine'));
  panel = new InstalledPanel(machine);
  execFileSync(process.execPath, [join(root, 'build/packages/dist.ts'), '--fast', '--out', work]);
  await machine.create();
});

test.afterAll(async () => {
  test.setTimeout(5 * MINUTE_MS);
  await machine?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** The file that `npm run dist` made. */
function packageFile(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';
  return join(work, `faceplate_${version}_${architecture}.deb`);
}

/** A command of the terminal, as an API caller runs it. */
async function terminal(command: string): Promise<string> {
  const { json } = await panel.api('POST', '/api/remote/terminal/exec', { command });
  const { stdout, stderr } = json as { stdout: string; stderr: string };
  return stdout + stderr;
}

test('should install with apt-get on a fresh Debian, with every unit in order', async () => {
  test.setTimeout(15 * MINUTE_MS);
  await panel.install(packageFile());
  const settings = readFileSync(join(machine.folder, 'etc/default/faceplate'), 'utf8');
  expect(settings).toContain('\nFACEPLATE_BOARD=generic-linux\n');
});

test('should be up after the boot, showing its page on the Wayland screen', async () => {
  await machine.boot();
  await panel.isServing();
  expect(await panel.property('faceplate.service', 'ActiveState')).toBe('active');
  await expect
    .poll(async () => (await panel.api('GET', '/api/remote/info')).json, { timeout: MINUTE_MS })
    .toMatchObject({ host: 'chromium', board: 'generic-linux', parts: { power: { state: 'real' } } });
  const png = Buffer.from(await panel.screenshot(), 'base64');
  expect(png.toString('latin1', 1, 4)).toBe('PNG');
  // The headless screen of sway, so the browser is on it and fills it.
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 720]);
  expect(png.length).toBeGreaterThan(10_000);
});

test('should show messages above its page', async () => {
  await panel.showsMessages();
});

test('security: should not run the service as root, and run the browser as another user, in its sandbox', async () => {
  const all = await panel.processes();
  const service = all.filter((line) => line.includes('/server/main.js'));
  expect(service).toEqual([expect.stringMatching(/^faceplate 0{16} own /)]);
  const pid = await panel.property('faceplate.service', 'MainPID');
  const bounds = (await machine.run('grep', '-E', '^Cap', `/proc/${pid}/status`)).stdout;
  expect(bounds.match(/0{16}/g)?.length, bounds).toBe(5);
  const others = all.filter((line) => !line.includes('/server/main.js'));
  for (const line of others) expect(line).toMatch(/^faceplate-kiosk /);
  const [browser] = others.filter((line) => line.includes('--remote-debugging-pipe'));
  expect(browser).toMatch(/^faceplate-kiosk 0{16} own /);
  expect(all.join('\n')).toContain('--ozone-platform=wayland');
  // Chromium's sandbox: pages are in a namespace of their own.
  const pages = others.filter((line) => line.includes('--type=renderer'));
  expect(pages.length).toBeGreaterThan(0);
  for (const line of pages) expect(line).toMatch(/^faceplate-kiosk 0{16} another /);
  expect(all.join('\n')).not.toContain('--no-sandbox ');
  expect(all.join('\n')).not.toContain(panel.token);
});

test('security: should keep token, data and helper from the user of the kiosk', async () => {
  for (const command of [
    ['cat', '/var/lib/faceplate/token'],
    ['ls', '/var/lib/faceplate'],
    ['ls', '/var/lib/faceplate-helper'],
  ]) {
    expect((await machine.runAs('faceplate-kiosk', ...command)).code, command.join(' ')).not.toBe(0);
  }
  const connect = `require('node:net').connect('/run/faceplate-helper.sock').on('error', (e) => console.log(e.code)).on('connect', () => process.exit())`;
  const knock = await machine.runAs('faceplate-kiosk', '/usr/lib/faceplate/bin/node', '--eval', connect);
  expect(knock.stdout.trim()).toBe('EACCES');
  const job = connect.replace('faceplate-helper', 'faceplate-kiosk');
  const jobs = await machine.runAs('faceplate-kiosk', '/usr/lib/faceplate/bin/node', '--eval', job);
  expect(jobs.stdout.trim()).toBe('EACCES');
  expect((await machine.run('id', '-nG', 'faceplate')).stdout.split(' ')).toContain('audio');
  const { stdout } = await machine.run('id', '-nG', 'faceplate-kiosk');
  expect(stdout.trim().split(' ')).not.toContain('dialout');
  expect(stdout.trim().split(' ')).not.toContain('faceplate');
});

test('security: should leave the terminal no way to become root or change the system', async () => {
  expect((await terminal('id -un; grep CapEff /proc/self/status')).trim()).toMatch(
    /^faceplate\nCapEff:\t0{16}$/,
  );
  expect(await terminal('setpriv --reuid=0 id')).toContain('Operation not permitted');
  expect(await terminal('setpriv --reuid=faceplate-kiosk --clear-groups id')).toContain('not permitted');
  expect(await terminal('echo x >/etc/faceplate/x')).toMatch(/Read-only file system|denied/);
  expect(await terminal('echo x >/usr/lib/faceplate/x')).toMatch(/Read-only file system|denied/);
  // It sees no processes of others, and the starter of the kiosk runs no command for it.
  expect((await terminal('cat /proc/[0-9]*/cmdline')).includes('sway')).toBe(false);
  const ask = (request: string) =>
    `node -e "require('node:net').connect('/run/faceplate-kiosk.sock').end(process.argv[1] + '\\n').pipe(process.stdout)" '${request}'`;
  for (const request of ['{"job":"run","command":"id"}', '{"job":"browser","flags":["--no-sandbox"]}', 'id'])
    expect(await terminal(`PATH=/usr/lib/faceplate/bin:$PATH; ${ask(request)}`)).toContain('INVALID_REQUEST');
  const foreign = '{"job":"write","path":"/var/lib/faceplate-kiosk/.profile","size":1}';
  expect(await terminal(`PATH=/usr/lib/faceplate/bin:$PATH; ${ask(foreign)}`)).toContain('FORBIDDEN');
  // The signal may be sent, but the debugger of the service stays closed.
  await terminal('kill -USR1 $PPID; sleep 1');
  expect((await machine.run('sh', '-c', 'cat /proc/net/tcp | grep -i ":240D "')).stdout).toBe('');
  await panel.isServing();
});

test('security: should let the service restart and suspend the panel, and the kiosk nothing', async () => {
  const manager = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];
  const may = async (user: string, method: string) =>
    (await machine.runAs(user, 'busctl', 'call', ...manager, method)).stdout.trim();
  expect(await may('faceplate', 'CanReboot')).toBe('s "yes"');
  expect(await may('faceplate', 'CanPowerOff')).not.toBe('s "yes"');
  expect(await may('faceplate-kiosk', 'CanReboot')).toBe('s "no"');
});

test('should install a package by the helper, launch it as the user of the kiosk, and remove it', async () => {
  const name = 'faceplate-test-sample';
  const tree = join(work, 'sample');
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  mkdirSync(join(tree, 'usr/share/applications'), { recursive: true });
  const script = 'id -un >/var/lib/faceplate-kiosk/launched-by; exec sleep 30';
  const entry = `[Desktop Entry]\nType=Application\nName=Sample\nExec=sh -c "${script}"\n`;
  writeFileSync(join(tree, `usr/share/applications/${name}.desktop`), entry);
  const control = `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: N <n@example.org>\nDescription: x\n`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const file = join(machine.folder, 'var/lib/faceplate/packages/sample.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'ignore' });
  const install = () => panel.api('POST', '/api/remote/apps/install', { path: 'sample.deb' });
  expect(await install()).toMatchObject({ status: 501, json: { code: 'UNSUPPORTED_HARDWARE' } });
  const signer = selfSigned();
  writeFileSync(join(machine.folder, 'etc/faceplate/package-keys.pem'), signer.cert, { mode: 0o644 });
  expect(await install()).toMatchObject({ status: 400, json: { error: 'The package is not signed.' } });
  signDeb(file, signer);
  expect(await install()).toEqual({ status: 200, json: { status: 'installed', packageName: name } });
  expect((await machine.run('dpkg-query', '--status', name)).stdout).toContain(
    'Status: install ok installed',
  );
  expect((await panel.api('POST', '/api/remote/apps/launch', { packageName: name })).json).toEqual({
    status: 'launched',
  });
  await expect
    .poll(async () => (await machine.run('cat', '/var/lib/faceplate-kiosk/launched-by')).stdout.trim())
    .toBe('faceplate-kiosk');
  const removed = await panel.api('DELETE', `/api/remote/apps/system/${name}`);
  expect(removed).toEqual({ status: 200, json: { status: 'uninstalled' } });
  expect((await machine.run('dpkg-query', '-W', name)).code).not.toBe(0);
  expect((await panel.api('DELETE', '/api/remote/apps/system/chromium')).status).toBe(403);
});

test('should install an AppImage into the home of the kiosk, and remove it', async () => {
  const image = Buffer.alloc(64);
  image.write('\x7fELF\x02\x01\x01\0AI\x02', 'latin1');
  writeFileSync(join(machine.folder, 'var/lib/faceplate/packages/Sample.AppImage'), image);
  await machine.run('chown', '-R', 'faceplate:faceplate', '/var/lib/faceplate/packages');
  const installed = await panel.api('POST', '/api/remote/apps/install', { path: 'Sample.AppImage' });
  expect(installed).toEqual({ status: 200, json: { status: 'installed', packageName: 'Sample' } });
  const owner = await machine.run(
    'stat',
    '-c',
    '%U',
    '/var/lib/faceplate-kiosk/Applications/Sample.AppImage',
  );
  expect(owner.stdout.trim()).toBe('faceplate-kiosk');
  expect((await panel.api('GET', '/api/remote/apps/system')).json).toMatchObject({
    apps: expect.arrayContaining([{ packageName: 'Sample', label: 'Sample', isSystem: false }]),
  });
  expect((await panel.api('DELETE', '/api/remote/apps/system/Sample')).json).toEqual({
    status: 'uninstalled',
  });
});

test('should name the lines of the screen in the journal, which PAM has moved out of its unit', async () => {
  const screen = await machine.run('journalctl', '--no-pager', '-q', '-t', 'faceplate-display');
  expect(screen.stdout).toContain('Found config * for output HEADLESS-1');
});

test('should end a browser that hangs with all its processes, though the service may not', async () => {
  const browser = async () =>
    (await machine.run('pgrep', '-o', '-u', 'faceplate-kiosk', '-f', 'remote-debugging-pipe')).stdout.trim();
  const before = await browser();
  await machine.run('kill', '-STOP', before);
  await expect.poll(browser, { timeout: 2 * MINUTE_MS }).not.toBe(before);
  await panel.screenshot();
});

test('security: should let the service control the screen, but neither the kiosk nor a program by it', async () => {
  const control = '/run/faceplate-display/control/ipc.sock';
  const ask = (user: string, ...words: string[]) => machine.runAs(user, 'swaymsg', '-s', control, ...words);
  expect((await ask('faceplate', '-t', 'get_version')).stdout).toContain('"major": 1');
  expect((await ask('faceplate-kiosk', '-t', 'get_version')).code).not.toBe(0);
  await ask('faceplate', 'exec touch /run/faceplate-display/executed');
  await machine.run('sleep', '2');
  expect((await machine.run('ls', '/run/faceplate-display/executed')).code).not.toBe(0);
  // It got it by no environment either.
  const [browser] = (
    await machine.run('pgrep', '-u', 'faceplate-kiosk', '-f', 'remote-debugging-pipe')
  ).stdout.split('\n');
  expect((await machine.run('cat', `/proc/${browser}/environ`)).stdout).not.toContain('SWAYSOCK');
});

test('should start a screen again that hangs, by the watchdog of systemd', async () => {
  const screen = async () => (await machine.run('pgrep', '-x', 'sway')).stdout.trim();
  const before = await screen();
  await machine.run('kill', '-STOP', before);
  await expect.poll(screen, { timeout: 3 * MINUTE_MS }).not.toBe(before);
  await expect
    .poll(() => panel.property('faceplate-display.service', 'ActiveState'), { timeout: MINUTE_MS })
    .toBe('active');
  await panel.screenshot();
  await panel.showsMessages();
});

test('should outlive its screen, and bring the page back with it', async () => {
  const before = await panel.property('faceplate.service', 'MainPID');
  await machine.run('systemctl', 'kill', '--signal=KILL', 'faceplate-display.service');
  await expect
    .poll(async () => (await panel.api('GET', '/api/remote/info')).json, { timeout: MINUTE_MS })
    .toMatchObject({ recoveries: { 'browser-exit': expect.any(Number) } });
  await panel.screenshot();
  await panel.showsMessages();
  expect(await panel.property('faceplate.service', 'MainPID')).toBe(before);
});

test('should be started again by the watchdog when it hangs, and after kill -9', async () => {
  for (const signal of ['STOP', 'KILL']) {
    const before = await panel.property('faceplate.service', 'MainPID');
    await machine.run('kill', `-${signal}`, before);
    await expect
      .poll(() => panel.property('faceplate.service', 'MainPID'), { timeout: 2 * MINUTE_MS })
      .not.toMatch(new RegExp(`^(0|${before})$`));
    await panel.isServing();
  }
});

test('should keep data and settings on an update and a removal, and leave nothing on a purge', async () => {
  await panel.update(packageFile());
  await panel.removeAndPurge('faceplate', 'faceplate/|chromium|sway');
});
