import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { debianChanger } from '../drivers/apps/desktop/rootHelper.ts';
import { memoryRecord } from '../testing/kioskSession.ts';
import { answerRequest, type PackageHelperOptions } from './packageHelper.ts';

const noDpkg = !existsSync('/usr/bin/dpkg-deb') && 'needs dpkg-deb (a Debian system)';

describe('the root helper', { skip: noDpkg }, () => {
  let root: string;
  let installDir: string;
  let done: string[];
  let options: PackageHelperOptions & { record: ReturnType<typeof memoryRecord> };

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'faceplate-helper-test-'));
    installDir = join(root, 'packages');
    mkdirSync(installDir);
    build('sample', 'sample');
    build('faceplate', 'panel');
    build('other', 'chromium');
    writeFileSync(join(root, 'outside.deb'), '!<arch>\n');
    writeFileSync(join(installDir, 'broken.deb'), 'not a package');
    writeFileSync(join(installDir, 'app.AppImage'), '');
    symlinkSync(join(root, 'outside.deb'), join(installDir, 'link.deb'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  beforeEach(() => {
    done = [];
    options = {
      installDir,
      record: memoryRecord(),
      apt: {
        install: async (path, mayDowngrade) => {
          const name = execFileSync('dpkg-deb', ['--field', path, 'Package'], { encoding: 'utf8' }).trim();
          done.push(`install ${name}${mayDowngrade ? ' also older' : ''}`);
        },
        remove: async (name) => {
          done.push(`remove ${name}`);
        },
      },
    };
  });

  function build(packageName: string, entry: string): void {
    const tree = join(root, `tree-${packageName}`);
    mkdirSync(join(tree, 'usr/share/applications'), { recursive: true });
    mkdirSync(join(tree, 'DEBIAN'));
    const desktop = '[Desktop Entry]\nType=Application\nName=Sample\nExec=true\n';
    writeFileSync(join(tree, `usr/share/applications/${entry}.desktop`), desktop);
    const name = packageName === 'sample' ? `faceplate-sample-${process.pid}` : packageName;
    const control = `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: N <n@example.org>\nDescription: x\n`;
    writeFileSync(join(tree, 'DEBIAN/control'), control);
    const target = join(installDir, `${packageName}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, target], { stdio: 'ignore' });
  }

  const ask = (request: unknown) =>
    answerRequest(typeof request === 'string' ? request : JSON.stringify(request), options);
  const sample = `faceplate-sample-${process.pid}`;

  test('should install a package file, remember it, install an older one over it, and remove it', async () => {
    const install = { verb: 'install-deb', path: join(installDir, 'sample.deb') };
    assert.deepEqual(await ask(install), {});
    assert.deepEqual(options.record.value, { [sample]: ['/usr/share/applications/sample.desktop'] });
    assert.deepEqual(await ask(install), {});
    assert.deepEqual(await ask({ verb: 'remove-deb', packageName: `${sample}:amd64` }), {});
    assert.deepEqual(options.record.value, {});
    assert.deepEqual(done, [`install ${sample}`, `install ${sample} also older`, `remove ${sample}:amd64`]);
  });

  const hostile: readonly (readonly [string, unknown, string])[] = [
    ['no JSON', 'install-deb /x.deb', 'INVALID_REQUEST'],
    ['nothing', '', 'INVALID_REQUEST'],
    ['a list', ['install-deb'], 'INVALID_REQUEST'],
    ['null', null, 'INVALID_REQUEST'],
    ['an unknown verb', { verb: 'purge', packageName: 'sample' }, 'INVALID_REQUEST'],
    ['a verb of every object', { verb: 'constructor', packageName: 'sample' }, 'INVALID_REQUEST'],
    ['a further field', { verb: 'remove-deb', packageName: 'sample', force: true }, 'INVALID_REQUEST'],
    ['a path and a name', { verb: 'remove-deb', packageName: 'sample', path: '/x' }, 'INVALID_REQUEST'],
    ['an option as a name', { verb: 'remove-deb', packageName: '--purge' }, 'INVALID_REQUEST'],
    ['a shell word as a name', { verb: 'remove-deb', packageName: 'a;reboot' }, 'INVALID_REQUEST'],
    ['a pattern as a name', { verb: 'remove-deb', packageName: 'lib*' }, 'INVALID_REQUEST'],
    ['a name with a plus for apt', { verb: 'remove-deb', packageName: 'sample+\n' }, 'INVALID_REQUEST'],
    ['a list as a name', { verb: 'remove-deb', packageName: ['sample'] }, 'INVALID_REQUEST'],
    ['a package of the system', { verb: 'remove-deb', packageName: 'systemd' }, 'FORBIDDEN'],
    ['the panel itself', { verb: 'remove-deb', packageName: 'faceplate' }, 'FORBIDDEN'],
    ['a relative path', { verb: 'install-deb', path: 'sample.deb' }, 'INVALID_REQUEST'],
    ['a path that is an option', { verb: 'install-deb', path: '--simulate' }, 'INVALID_REQUEST'],
    ['a path with NUL', { verb: 'install-deb', path: '/a\0b.deb' }, 'INVALID_REQUEST'],
    ['a very long path', { verb: 'install-deb', path: `/${'a'.repeat(5_000)}.deb` }, 'INVALID_REQUEST'],
    ['a path that is a number', { verb: 'install-deb', path: 7 }, 'INVALID_REQUEST'],
  ];
  for (const [what, request, code] of hostile) {
    test(`security: the root helper should refuse ${what}`, async () => {
      assert.equal((await ask(request)).code, code);
      assert.deepEqual(done, []);
    });
  }

  test('security: the root helper should install nothing from elsewhere, and nothing the panel runs on', async () => {
    const expected: Readonly<Record<string, string>> = {
      [join(root, 'outside.deb')]: 'FORBIDDEN',
      [join(installDir, '../outside.deb')]: 'FORBIDDEN',
      [join(installDir, 'link.deb')]: 'FORBIDDEN',
      [join(installDir, 'none.deb')]: 'NOT_FOUND',
      [installDir]: 'FORBIDDEN',
      [join(installDir, 'broken.deb')]: 'INVALID_REQUEST',
      [join(installDir, 'app.AppImage')]: 'INVALID_REQUEST',
      [join(installDir, 'faceplate.deb')]: 'FORBIDDEN',
      [join(installDir, 'other.deb')]: 'FORBIDDEN',
    };
    for (const [path, code] of Object.entries(expected)) {
      assert.equal((await ask({ verb: 'install-deb', path })).code, code, path);
    }
    assert.deepEqual(done, []);
    assert.deepEqual(options.record.value, {});
  });

  describe('asked by the service', () => {
    let server: Server;
    const socket = () => join(root, 'helper.sock');

    before(async () => {
      server = createServer({ allowHalfOpen: true }, async (connection) => {
        connection.end(`${JSON.stringify(await ask((await text(connection)).trim()))}\n`);
      });
      await new Promise<void>((resolve) => server.listen(socket(), resolve));
    });
    after(() => server.close());

    test('should carry out what the service asks, and tell it why not', async () => {
      const debian = debianChanger(socket(), false);
      await debian.install(join(installDir, 'sample.deb'), false);
      assert.deepEqual(done, [`install ${sample}`]);
      await assert.rejects(debian.remove('systemd'), { code: 'FORBIDDEN' });
      assert.throws(() => debianChanger(join(root, 'none'), false), { code: 'HARDWARE_ERROR' });
    });
  });
});
