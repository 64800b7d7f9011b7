import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type ElectronPackages, makeElectronPackages } from '../../build/testing/electronPackages.ts';
import { NO_PLAIN_ELECTRON, plainElectron } from '../../build/testing/plainElectron.ts';
import { DebianMachine, noDebianMachine } from '../debianMachine.ts';
import { InstalledPanel } from '../installedPanel.ts';

const MINUTE_MS = 60_000;
const NEXT_VERSION = '99.0.0';
const LAUNCHER = '/usr/lib/faceplate/electron/faceplate-electron';
/** The launcher's sentence where the sandbox cannot be made. */
const SHUT = /faceplate: this machine forbids user namespaces to programs without privileges/;

// One machine through its whole life: install, boot, use, break, update, remove, purge.
test.describe.configure({ mode: 'serial' });
const missing = noDebianMachine() || (plainElectron() === undefined && NO_PLAIN_ELECTRON);
test.skip(missing !== false, String(missing));
test.setTimeout(20 * MINUTE_MS);

let work: string;
let machine: DebianMachine;
let panel: InstalledPanel;
let made: ElectronPackages;
/** Whether a program without privileges can make user namespaces on the machine: the browser's sandbox is made of them. */
let isShut = false;

test.beforeAll(async () => {
  test.setTimeout(20 * MINUTE_MS);
  work = mkdtempSync(join(tmpdir(), 'faceplate-machine-'));
  machine = new DebianMachine(join(work, 'machine'));
  panel = new InstalledPanel(machine);
  made = await makeElectronPackages(plainElectron()!, work);
  await machine.create();
});

test.beforeEach(() => {
  test.skip(isShut, 'this machine forbids user namespaces to programs without privileges');
});

test.afterAll(async () => {
  test.setTimeout(5 * MINUTE_MS);
  await machine?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** What the service said at its starts so far. */
async function journal(): Promise<string> {
  const { stdout } = await machine.run('journalctl', '-q', '--no-pager', '-o', 'cat', '-u', 'faceplate');
  return stdout;
}

const info = async () => (await panel.api('GET', '/api/remote/info')).json;
const mainPid = () => panel.property('faceplate.service', 'MainPID');

/** Waits until another process is the service than `before`, with its page on the screen. */
async function isBack(before: string): Promise<void> {
  await expect.poll(mainPid, { timeout: 3 * MINUTE_MS }).not.toMatch(new RegExp(`^(0|${before})$`));
  await panel.isServing();
  await panel.showsMessages();
}

test('should install with apt-get on a fresh Debian, with every unit in order', async () => {
  test.setTimeout(15 * MINUTE_MS);
  await panel.install(made.deb);
});

test('should be up after the boot, showing its page on the Wayland screen, with messages above it', async () => {
  await machine.boot();
  isShut = (await machine.runAs('faceplate', 'unshare', '--user', '--map-root-user', 'true')).code !== 0;
  if (isShut) await expect.poll(journal, { timeout: MINUTE_MS }).toMatch(SHUT);
  test.skip(isShut, 'this machine forbids user namespaces, and the launcher has said so');
  await panel.isServing();
  expect(await panel.property('faceplate.service', 'ActiveState')).toBe('active');
  await expect
    .poll(info, { timeout: MINUTE_MS })
    .toMatchObject({ host: 'electron', board: 'generic-linux', parts: { power: { state: 'real' } } });
  const png = Buffer.from(await panel.screenshot(), 'base64');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 720]);
  expect(png.length).toBeGreaterThan(10_000);
  // What sway puts on the screen: the page, and a message above it.
  await panel.showsMessages();
  expect(await panel.property('faceplate.service', 'NRestarts')).toBe('0');
});

test('security: should not run as root, and keep pages in the sandbox of the browser', async () => {
  const all = await panel.processes();
  for (const line of all) expect(line).toMatch(/^faceplate /);
  const service = all.filter(
    (line) => line.includes('faceplate-electron-program') && !line.includes('--type='),
  );
  expect(service).toEqual([expect.stringMatching(/^faceplate 0{16} own /)]);
  const bounds = (await machine.run('grep', '-E', '^Cap', `/proc/${await mainPid()}/status`)).stdout;
  expect(bounds.match(/0{16}/g)?.length, bounds).toBe(5);
  const pages = all.filter((line) => line.includes('--type=renderer'));
  expect(pages.length).toBeGreaterThan(0);
  for (const line of pages) expect(line).toMatch(/^faceplate 0{16} another /);
  expect(all.join('\n')).not.toContain('--no-sandbox ');
  expect(all.join('\n')).not.toContain(panel.token);
});

test('security: should leave the terminal no way to become root or change the system', async () => {
  const terminal = async (command: string) => {
    const { json } = await panel.api('POST', '/api/remote/terminal/exec', { command });
    const { stdout, stderr } = json as { stdout: string; stderr: string };
    return stdout + stderr;
  };
  expect((await terminal('id -un; grep CapEff /proc/self/status')).trim()).toMatch(
    /^faceplate\nCapEff:\t0{16}$/,
  );
  expect(await terminal('setpriv --reuid=0 id')).toContain('Operation not permitted');
  // The root of a user namespace of its own, which the browser needs, is none.
  for (const command of ['', 'unshare --user --map-root-user --mount '])
    for (const folder of ['/etc/faceplate', '/usr/lib/faceplate'])
      expect(await terminal(`${command}sh -c 'echo x >${folder}/x'`)).toMatch(/Read-only file system|denied/);
  expect((await terminal('cat /proc/[0-9]*/cmdline')).includes('sway')).toBe(false);
});

test('security: should refuse root, before the program and in it', async () => {
  const launched = await machine.run(LAUNCHER);
  expect(launched.code).toBe(1);
  expect(launched.stderr).toMatch(/^faceplate: Electron does not run as root: .*\n$/);
  // It ends by a signal, and sh makes a status of that.
  const started = await machine.run('sh', '-c', `${LAUNCHER}-program; exit $?`);
  expect(started.code).not.toBe(0);
  expect(started.stderr).toContain('Running as root without --no-sandbox is not supported');
  expect(started.stdout).not.toContain('faceplate ready');
});

test('should come back with its screen, which it cannot do without', async () => {
  const before = await mainPid();
  await machine.run('systemctl', 'kill', '--signal=KILL', 'faceplate-display.service');
  await isBack(before);
});

test('should be started again by the watchdog when it hangs, and after kill -9', async () => {
  for (const signal of ['STOP', 'KILL']) {
    const before = await mainPid();
    await machine.run('kill', `-${signal}`, before);
    await isBack(before);
  }
});

test('should stop and start as systemd asks, in order', async () => {
  for (const verb of ['stop', 'start']) {
    const asked = await machine.run('systemctl', verb, 'faceplate.service');
    expect(asked.code, asked.stderr).toBe(0);
    if (verb === 'stop') expect(await panel.property('faceplate.service', 'Result')).toBe('success');
  }
  await panel.isServing();
});

test('should say in one sentence that user namespaces are forbidden, and be back once they are not', async () => {
  const dropIn = join(machine.folder, 'etc/systemd/system/faceplate.service.d');
  mkdirSync(dropIn);
  writeFileSync(join(dropIn, 'shut.conf'), '[Service]\nRestrictNamespaces=\nRestrictNamespaces=yes\n');
  expect(await journal()).not.toMatch(SHUT);
  await machine.run('systemctl', 'daemon-reload');
  await machine.run('systemctl', 'restart', 'faceplate.service');
  await expect.poll(journal, { timeout: MINUTE_MS }).toMatch(SHUT);
  expect((await panel.api('GET', '/healthz')).status).toBe(0);
  rmSync(dropIn, { recursive: true });
  await machine.run('systemctl', 'daemon-reload');
  await machine.run('systemctl', 'restart', 'faceplate.service');
  await panel.isServing();
});

test('should keep data and settings on an update and a removal, and leave nothing on a purge', async () => {
  const { deb } = await makeElectronPackages(plainElectron()!, work, NEXT_VERSION);
  const before = await mainPid();
  await panel.update(deb);
  expect(await info()).toMatchObject({ version: NEXT_VERSION, host: 'electron' });
  await isBack(before);
  await panel.removeAndPurge('faceplate-electron', 'faceplate/|sway');
});
