import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { type KioskSession, makeKioskSession, memoryRecord } from '../../../testing/kioskSession.ts';
import { until } from '../../../testing/waiting.ts';
import { inspectDebianFile } from './debianPackage.ts';
import { DesktopApps } from './desktop.ts';
import { applicationFolders } from './environment.ts';

const hasDpkg = existsSync('/usr/bin/dpkg-deb') && existsSync('/usr/bin/apt-get');
const noDpkg = !hasDpkg && 'needs dpkg-deb and apt-get (a Debian system)';
const noRoot = noDpkg || (process.getuid?.() !== 0 && 'needs root: only root installs Debian packages');

/** Names that no other run uses. */
const NAME = `faceplate-test-${process.pid}`;

describe('Debian packages', { skip: noDpkg }, () => {
  let session: KioskSession;

  before(() => {
    session = makeKioskSession();
  });

  interface Sample {
    readonly suffix: string;
    readonly version?: string;
    readonly control?: readonly string[];
    readonly entry?: Readonly<Record<string, string>> | null;
    /** Script that dpkg runs after unpacking. */
    readonly postinst?: string;
  }

  /** Builds a tiny .deb below the install folder. @returns its path */
  function build({ suffix, version = '1.0', control = [], entry = {}, postinst }: Sample): string {
    const name = `${NAME}-${suffix}`;
    const tree = join(session.root, `${name}-${version}`);
    session.write(join(tree, 'usr/share/doc', name, 'README'), 'made by a test\n');
    if (entry) session.entry(join(tree, 'usr/share'), name, { Name: `Sample ${suffix}`, ...entry });
    const fields = [
      `Package: ${name}`,
      `Version: ${version}`,
      'Architecture: all',
      'Maintainer: Nobody <nobody@example.org>',
      'Description: made by a test',
      ...control,
    ];
    session.write(join(tree, 'DEBIAN/control'), `${fields.join('\n')}\n`);
    if (postinst) session.write(join(tree, 'DEBIAN/postinst'), postinst, 0o755);
    const path = join(session.installDir, `${name}_${version}_all.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, path], { stdio: 'ignore' });
    return path;
  }

  describe('file', () => {
    test('should name the package and the entries it would bring', async () => {
      const path = build({ suffix: 'look' });
      assert.deepEqual(await inspectDebianFile(path), {
        path,
        packageName: `${NAME}-look`,
        entries: [{ id: `${NAME}-look`, file: `/usr/share/applications/${NAME}-look.desktop` }],
      });
    });

    for (const [what, entry] of [
      ['no entry', null],
      ['a hidden entry only', { NoDisplay: 'true' }],
      ['an entry without a program only', { Exec: '' }],
    ] as const) {
      test(`should refuse a package with ${what}: nobody could start or remove it`, async () => {
        const path = build({ suffix: `none-${what.replaceAll(' ', '-')}`, entry });
        await assert.rejects(inspectDebianFile(path), { code: 'INVALID_REQUEST', message: /no program/ });
      });
    }

    test('should refuse a package file that is cut off', async () => {
      const path = build({ suffix: 'cut' });
      const cut = join(session.installDir, 'cut.deb');
      execFileSync('dd', [`if=${path}`, `of=${cut}`, 'bs=1', 'count=300', 'status=none']);
      await assert.rejects(inspectDebianFile(cut), { code: 'INVALID_REQUEST', field: 'path' });
    });
  });

  describe('on the system', { skip: noRoot }, () => {
    let record: ReturnType<typeof memoryRecord>;
    let apps: DesktopApps;
    const [one, two] = [`${NAME}-one`, `${NAME}-two`];

    beforeEach(async () => {
      const { installDir, environment, user, home } = session;
      record = memoryRecord();
      apps = new DesktopApps({
        installDir,
        environment,
        ...(user && { user }),
        folders: applicationFolders({ HOME: home }),
        record,
        log: silentLogger(),
      });
      await apps.start();
    });

    afterEach(async () => {
      await apps.stop();
      const installed = execFileSync('dpkg-query', ['--show', '--showformat=${' + 'Package}\n'], {
        encoding: 'utf8',
      });
      const left = installed.split('\n').filter((name) => name.startsWith(`${NAME}-`));
      if (left.length > 0) await dpkg('--purge', '--force-depends', ...left);
    });

    /** Waits while another program installs packages, as apt-get does by itself. @throws Error with what dpkg says */
    async function dpkg(...args: readonly string[]): Promise<void> {
      const isDone = () => {
        const { status, stderr } = spawnSync('dpkg', args, { encoding: 'utf8' });
        if (status !== 0 && !/\block\b/.test(stderr)) throw new Error(stderr);
        return status === 0;
      };
      await until(isDone, 'the lock of dpkg', { limitMs: 60_000, everyMs: 250 });
    }

    async function listed(name: string) {
      return (await apps.list()).find(({ packageName }) => packageName === name);
    }

    /** As if these had been installed through Faceplate, without the time that apt-get takes. */
    async function installBefore(...samples: readonly Sample[]): Promise<void> {
      await dpkg('--install', ...samples.map(build));
      const names = samples.map(({ suffix }) => `${NAME}-${suffix}`);
      await record.save(
        Object.fromEntries(names.map((name) => [name, [`/usr/share/applications/${name}.desktop`]])),
      );
    }

    test('should install a package, list it, launch it, and remove it again', async () => {
      assert.equal(await apps.install(build({ suffix: 'one' })), one);
      assert.deepEqual(await listed(one), { packageName: one, label: 'Sample one', isSystem: false });
      assert.deepEqual(Object.keys(record.value), [one]);
      await new Promise<void>((resolve, reject) => apps.launch(one, resolve).catch(reject));
      await apps.uninstall(one);
      assert.equal(await listed(one), undefined);
      assert.deepEqual(record.value, {});
      assert.equal(existsSync(`/usr/share/doc/${one}`), false);
    });

    test('should go back to an older version of a package that was installed here', async () => {
      await installBefore({ suffix: 'one', version: '2.0', entry: { Name: 'Newer' } });
      assert.equal((await listed(one))?.label, 'Newer');
      await apps.install(build({ suffix: 'one' }));
      assert.deepEqual(await listed(one), { packageName: one, label: 'Sample one', isSystem: false });
    });

    test('should refuse to remove a package that another one needs, and name that one', async () => {
      await installBefore({ suffix: 'one' }, { suffix: 'two', control: [`Depends: ${one}`] });
      await assert.rejects(apps.uninstall(one), {
        code: 'CONFLICT',
        message: new RegExp(`also remove ${two}`),
      });
      assert.ok(await listed(one));
    });

    test('should refuse to install a package that would push another one out', async () => {
      await installBefore({ suffix: 'one' });
      const rival = build({ suffix: 'two', control: [`Conflicts: ${one}`] });
      await assert.rejects(apps.install(rival), {
        code: 'CONFLICT',
        message: new RegExp(`also remove ${one}`),
      });
      assert.ok(await listed(one));
      assert.deepEqual(Object.keys(record.value), [one]);
    });

    test('should say what a package needs that is missing, and keep no record of it', async () => {
      const needy = build({ suffix: 'two', control: ['Depends: faceplate-test-no-such-thing'] });
      const before = record.value;
      await assert.rejects(apps.install(needy), {
        code: 'HARDWARE_ERROR',
        message: /Depends: faceplate-test-no-such-thing/,
      });
      assert.deepEqual(record.value, before);
      assert.equal(await listed(two), undefined);
    });

    test('should be able to remove a package whose own script failed during the installation', async () => {
      const broken = build({ suffix: 'two', postinst: '#!/bin/sh\nexit 3\n' });
      await assert.rejects(apps.install(broken), { code: 'HARDWARE_ERROR', message: /^apt-get refused: / });
      assert.equal((await listed(two))?.isSystem, false);
      await apps.uninstall(two);
      assert.equal(await listed(two), undefined);
      assert.deepEqual(record.value, {});
    });

    test('security: should still treat a system package as one when a newer version of it is installed', async () => {
      const path = build({ suffix: 'one' });
      execFileSync('dpkg', ['--install', path], { stdio: 'ignore' });
      assert.equal((await listed(one))?.isSystem, true);
      await apps.install(build({ suffix: 'one', version: '2.0' }));
      assert.equal((await listed(one))?.isSystem, true);
      await assert.rejects(apps.uninstall(one), { code: 'FORBIDDEN' });
    });
  });

  test('should say that only root can install', { skip: noRoot === false && 'runs as root' }, async () => {
    const { installDir, environment } = session;
    const apps = new DesktopApps({ installDir, environment, record: memoryRecord(), log: silentLogger() });
    await assert.rejects(apps.install(build({ suffix: 'root' })), {
      code: 'HARDWARE_ERROR',
      message: /as root/,
    });
  });
});
