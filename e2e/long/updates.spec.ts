import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { DebianMachine, noDebianMachine } from '../debianMachine.ts';

const root = join(import.meta.dirname, '../..');
const MINUTE_MS = 60_000;

// A plain Debian with the package, without a screen: versions come and go.
test.describe.configure({ mode: 'serial' });
test.skip(noDebianMachine() !== false, String(noDebianMachine()));
test.setTimeout(20 * MINUTE_MS);

let work: string;
let machine: DebianMachine;
let token: string;
let shipped: string;

interface Versions {
  readonly installed: string;
  readonly state: string;
  readonly last: { readonly version: string; readonly result: string; readonly reason: string | null } | null;
}

test.beforeAll(async () => {
  test.setTimeout(20 * MINUTE_MS);
  work = mkdtempSync(join(tmpdir(), 'faceplate-updates-'));
  const environment = { ...process.env, XDG_CONFIG_HOME: join(work, 'config') };
  execFileSync(process.execPath, [join(root, 'build/packages/dist.ts'), '--fast', '--out', work], {
    env: environment,
  });
  shipped = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  machine = new DebianMachine(join(work, 'machine'));
  await machine.create();
});

test.afterAll(async () => {
  test.setTimeout(5 * MINUTE_MS);
  await machine?.stop();
  rmSync(work, { recursive: true, force: true });
});

const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';
const packageOf = (version: string) => join(work, `faceplate_${version}_${architecture}.deb`);
const inMachine = (path: string) => join(machine.folder, path);

/** Makes another version of the same package, and puts it on the machine. */
function anotherVersion(version: string, change: (tree: string) => void = () => {}): void {
  const tree = mkdtempSync(join(work, 'tree-'));
  execFileSync('dpkg-deb', ['--raw-extract', packageOf(shipped), tree]);
  for (const [path, from, to] of [
    ['DEBIAN/control', `Version: ${shipped}`, `Version: ${version}`],
    ['usr/lib/faceplate/package.json', `"${shipped}"`, `"${version}"`],
  ] as const) {
    const text = readFileSync(join(tree, path), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(tree, path), text.replace(from, to));
  }
  change(tree);
  const file = packageOf(version);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, file]);
  rmSync(tree, { recursive: true });
  const [key, certificate] = ['update.key', 'update.pem'].map((name) => join(work, 'config/faceplate', name));
  const sign = `import { signPackage } from ${JSON.stringify(join(root, 'build/debian/signPackage.ts'))};
    signPackage(...JSON.parse(process.argv[1]));`;
  const given = JSON.stringify([file, { key, certificate }]);
  execFileSync(process.execPath, ['--input-type=module', '--eval', sign, given]);
  copyFileSync(file, inMachine('var/tmp/next.deb'));
  rmSync(file);
}

/** Calls the API from the machine itself; a file is sent as it stands. */
async function api(method: string, path: string, file?: string): Promise<{ status: number; json: unknown }> {
  const headers = ['-H', `Authorization: Bearer ${token}`];
  const body = file ? ['-H', 'Content-Type: application/octet-stream', '-T', file] : [];
  const { stdout } = await machine.run(
    ...['curl', '-s', '-X', method, '-w', '\n%{http_code}', ...headers, ...body],
    `http://127.0.0.1:8080${path}`,
  );
  const [json, status] = [
    stdout.slice(0, stdout.lastIndexOf('\n')),
    stdout.slice(stdout.lastIndexOf('\n') + 1),
  ];
  return { status: Number(status), json: json.startsWith('{') ? JSON.parse(json) : undefined };
}

const versions = async () => (await api('GET', '/api/manage/update')).json as Versions | undefined;

async function becomes(version: string, result: 'good' | 'returned'): Promise<void> {
  const ends = async () => {
    const now = await versions();
    return now?.state === 'idle' && `${now.installed} ${now.last?.version} ${now.last?.result}`;
  };
  const runs = result === 'good' ? version : (await versions())!.installed;
  await expect.poll(ends, { timeout: 4 * MINUTE_MS }).toBe(`${runs} ${version} ${result}`);
}

test('should install with apt-get, and know the keys that an administrator put there', async () => {
  copyFileSync(packageOf(shipped), inMachine('var/tmp/faceplate.deb'));
  await machine.prepare('apt-get', 'update', '-q');
  const install = [
    'apt-get',
    'install',
    '-q',
    '-y',
    '--no-install-recommends',
    '/var/tmp/faceplate.deb',
    'curl',
  ];
  const installed = await machine.prepare('env', 'DEBIAN_FRONTEND=noninteractive', ...install);
  expect(installed.code, installed.stderr).toBe(0);
  writeFileSync(inMachine('etc/default/faceplate'), 'FACEPLATE_HOST=none\nFACEPLATE_BOARD=generic-linux\n');
  cpSync(join(work, 'config/faceplate/update.pem'), inMachine('etc/faceplate/update-keys.pem'));
  await machine.boot();
  await machine.run('systemctl', 'stop', 'faceplate-display.service');
  const isServing = async () => (await machine.run('curl', '-sf', 'http://127.0.0.1:8080/healthz')).code;
  await expect.poll(isServing, { timeout: 3 * MINUTE_MS }).toBe(0);
  token = readFileSync(inMachine('var/lib/faceplate/token'), 'utf8').trim();
  expect(await versions()).toMatchObject({ installed: shipped, state: 'idle', last: null });
});

test('should take a newer version, prove it, and keep the one before', async () => {
  anotherVersion('9.0.0');
  expect(await api('POST', '/api/manage/update', '/var/tmp/next.deb')).toEqual({
    ...{ status: 200, json: { version: '9.0.0' } },
  });
  await becomes('9.0.0', 'good');
  expect((await machine.run('cat', '/var/lib/faceplate-update/before')).stdout).toBe(`${shipped}\n`);
  expect((await api('POST', '/api/manage/update', '/var/tmp/faceplate.deb')).status).toBe(400);
});

test('should take back a version that does not start', async () => {
  anotherVersion('9.1.0', (tree) =>
    writeFileSync(join(tree, 'usr/lib/faceplate/server/main.js'), 'process.exit(1);\n'),
  );
  expect((await api('POST', '/api/manage/update', '/var/tmp/next.deb')).status).toBe(200);
  await becomes('9.1.0', 'returned');
  expect(await versions()).toMatchObject({
    ...{ installed: '9.0.0', last: { reason: 'The service ended by itself three times.' } },
  });
  expect(readFileSync(inMachine('var/lib/faceplate/token'), 'utf8').trim()).toBe(token);
  expect((await api('POST', '/api/manage/update/return')).status).toBe(409);
});

test('should return to the version before by hand', async () => {
  anotherVersion('9.2.0');
  expect((await api('POST', '/api/manage/update', '/var/tmp/next.deb')).status).toBe(200);
  await becomes('9.2.0', 'good');
  expect(await api('POST', '/api/manage/update/return')).toEqual({
    ...{ status: 200, json: { version: '9.0.0' } },
  });
  await expect.poll(async () => (await versions())?.installed, { timeout: 4 * MINUTE_MS }).toBe('9.0.0');
  await expect.poll(async () => (await versions())?.last?.result).toBe('returned');
});

test('should leave nothing of it on a purge', async () => {
  expect((await machine.run('dpkg', '--purge', 'faceplate')).code).toBe(0);
  expect((await machine.run('ls', '/var/lib/faceplate-update')).code).not.toBe(0);
  expect((await machine.run('ls', '/etc/faceplate')).code).not.toBe(0);
});
