import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { type KioskSession, makeKioskSession, memoryRecord } from '../../../testing/kioskSession.ts';
import { DesktopApps } from './desktop.ts';
import { bundledApplication } from './flatpak.ts';

const isRoot = process.getuid?.() === 0;
const noFlatpak =
  (spawnSync('flatpak', ['--version']).status !== 0 && 'needs the Debian package flatpak') ||
  (!isRoot && !existsSync('/run/dbus/system_bus_socket') && 'needs a system bus: flatpak asks it for a user');

const APP = 'org.faceplate.Sample';
const RUNTIME = 'org.faceplate.Platform';

/** What a bundle says about itself: an application or the runtime it needs. */
function metadata(kind: 'Application' | 'Runtime', arch: string): string {
  const runtime = `${RUNTIME}/${arch}/1`;
  return `[${kind}]
name=${kind === 'Runtime' ? RUNTIME : APP}
runtime=${runtime}
sdk=${runtime}
${kind === 'Runtime' ? '' : 'command=sample\n'}`;
}

describe('flatpak bundles', { skip: noFlatpak }, () => {
  let session: KioskSession;
  let apps: DesktopApps;
  let repository: string;
  let arch: string;

  /** The flatpak command on the session's own installations. */
  function flatpak(...args: string[]): string {
    return execFileSync('flatpak', args, {
      env: { ...session.environment, XDG_CACHE_HOME: join(session.root, 'cache') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  function buildApplication(label: string): void {
    const tree = join(session.root, 'app');
    session.write(join(tree, 'metadata'), metadata('Application', arch));
    session.write(join(tree, 'files/bin/sample'), '#!/bin/sh\n', 0o755);
    session.entry(join(tree, 'export/share'), APP, { Name: label, Exec: 'sample %U' });
    flatpak('build-export', '--disable-sandbox', repository, tree);
    flatpak('build-bundle', repository, join(session.installDir, 'sample.flatpak'), APP);
  }

  before(async () => {
    session = makeKioskSession();
    arch = flatpak('--default-arch').trim();
    repository = join(session.root, 'repository');
    const runtime = join(session.root, 'runtime');
    session.write(join(runtime, 'metadata'), metadata('Runtime', arch));
    for (const folder of ['usr', 'files']) mkdirSync(join(runtime, folder));
    flatpak('build-export', '--disable-sandbox', '--runtime', '--files=usr', repository, runtime, '1');
    const bundle = join(session.installDir, 'runtime.flatpak');
    flatpak('build-bundle', '--runtime', repository, bundle, RUNTIME, '1');
    const installation = isRoot ? '--system' : '--user';
    flatpak('install', installation, '--noninteractive', '-y', '--bundle', bundle);
    buildApplication('Sample');
    const { installDir, environment, user } = session;
    apps = new DesktopApps({
      installDir,
      environment,
      ...(user && { user }),
      record: memoryRecord(),
      log: silentLogger(),
    });
    await apps.start();
  });

  after(async () => {
    await apps?.stop();
  });

  test('should install a bundle, install it again, update it, and uninstall it', async () => {
    assert.equal(await apps.install('sample.flatpak'), APP);
    assert.deepEqual(await listed(), { packageName: APP, label: 'Sample', isSystem: false });
    assert.equal(await apps.install('sample.flatpak'), APP);
    buildApplication('Newer sample');
    assert.equal(await apps.install('sample.flatpak'), APP);
    assert.equal((await listed())?.label, 'Newer sample');
    await apps.uninstall(APP);
    assert.equal(await listed(), undefined);
    assert.doesNotMatch(flatpak('list', '--app', '--columns=application'), new RegExp(APP));
  });

  test('should refuse the bundle of a runtime, which cannot be started', async () => {
    await assert.rejects(apps.install('runtime.flatpak'), { code: 'INVALID_REQUEST', field: 'path' });
  });

  test('should say why flatpak refuses', async () => {
    session.write(
      join(session.installDir, 'broken.flatpak'),
      `flatpak\0\0\0ref\0\0app/${APP}/x86_64/master\0\0s`,
    );
    assert.equal(await bundledApplication(join(session.installDir, 'broken.flatpak')), APP);
    await assert.rejects(apps.install('broken.flatpak'), {
      code: 'HARDWARE_ERROR',
      message: /^flatpak refused: /,
    });
  });

  async function listed() {
    return (await apps.list()).find(({ packageName }) => packageName === APP);
  }
});
