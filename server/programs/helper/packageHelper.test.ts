import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { debianChanger } from '../../parts/apps/desktop/rootHelper.ts';
import { memoryRecord } from '../../testing/kioskSession.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { appendMember, signDeb } from '../../testing/signedFiles.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { answerRequest, type PackageHelperOptions } from './packageHelper.ts';
import { type TrustedKeys, trustedKeys } from './trustedKeys.ts';

const noDpkg = !existsSync('/usr/bin/dpkg-deb') && 'needs dpkg-deb (a Debian system)';

describe('the root helper', { skip: noDpkg }, () => {
  let root: string;
  let installDir: string;
  let done: string[];
  let options: PackageHelperOptions & { record: ReturnType<typeof memoryRecord> };
  let known: { packages: TrustedKeys; updates: TrustedKeys };
  const [ours, others, forUpdates] = [selfSigned('DNS:a'), selfSigned('DNS:b'), selfSigned('DNS:c')];

  before(() => {
    root = temporaryFolder('helper-test');
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
  beforeEach(() => {
    done = [];
    known = { packages: { pem: others.cert + ours.cert }, updates: { none: 'no file' } };
    options = {
      keys: { packages: async () => known.packages, updates: async () => known.updates },
      installDir,
      updateFolders: {
        from: installDir,
        state: join(root, 'versions'),
        program: join(root, 'prove.sh'),
        manifest: join(root, 'package.json'),
      },
      slots: { slot: null, grubenv: '', from: '', state: '', manifest: '' },
      provision: { boot: '', chosenName: '' },
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
    const control = `Package: ${name}\nVersion: 1.0.0\nArchitecture: all\nMaintainer: N <n@example.org>\nDescription: x\n`;
    writeFileSync(join(tree, 'DEBIAN/control'), control);
    const target = join(installDir, `${packageName}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, target], { stdio: 'ignore' });
    copyFileSync(target, join(root, `${packageName}.unsigned`));
    signDeb(target, ours);
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
    [
      'the name of a built-in property as a verb',
      { verb: 'constructor', packageName: 'sample' },
      'INVALID_REQUEST',
    ],
    ['an additional field', { verb: 'remove-deb', packageName: 'sample', force: true }, 'INVALID_REQUEST'],
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

  test('security: the root helper should install nothing from other folders, and nothing the panel runs on', async () => {
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

  describe('signatures', () => {
    const file = () => join(installDir, 'signed.deb');
    const unsigned = () => copyFileSync(join(root, 'sample.unsigned'), file());
    const install = () => ask({ verb: 'install-deb', path: file() });

    const hostile: Readonly<Record<string, () => void>> = {
      'without a signature': () => {},
      'signed over other bytes': () => {
        signDeb(file(), ours);
        const bytes = readFileSync(file());
        // In the time field of the first member, which dpkg ignores.
        bytes[8 + 20]! ^= 1;
        writeFileSync(file(), bytes);
      },
      'that is cut short': () => {
        signDeb(file(), ours);
        writeFileSync(file(), readFileSync(file()).subarray(0, -20));
      },
      'with something behind the signature': () => {
        signDeb(file(), ours);
        appendMember(file(), 'data.tar', 'other files');
      },
      'with bytes behind the signature': () => {
        signDeb(file(), ours);
        appendFileSync(file(), 'xx');
      },
      'with a signature of random bytes': () => appendMember(file(), '_cmsorigin', Buffer.alloc(200, 0x30)),
      'with an empty signature': () => appendMember(file(), '_cmsorigin', ''),
      'with the signature of another package': () => {
        const other = readFileSync(join(installDir, 'other.deb'));
        appendMember(file(), '_cmsorigin', other.subarray(other.lastIndexOf('_cmsorigin') + 60));
      },
      'with a signature of a wrong name': () => {
        signDeb(file(), ours);
        const bytes = readFileSync(file());
        bytes.write('_gpgorigin', bytes.lastIndexOf('_cmsorigin'), 'latin1');
        writeFileSync(file(), bytes);
      },
      'of very many members': () => {
        for (let count = 0; count < 40; count++) appendMember(file(), '_filler', 'x');
        signDeb(file(), ours);
      },
      // The certificate is ours, the key is not: openssl refuses to make such a signature directly.
      'signed in the name of a known certificate': () => {
        const stranger = selfSigned('DNS:x');
        signDeb(file(), stranger);
        known.packages = { pem: twinOf(stranger) };
      },
    };
    for (const [what, prepare] of Object.entries(hostile)) {
      test(`security: the root helper should install no package ${what}`, async () => {
        unsigned();
        prepare();
        const { code, error } = await install();
        assert.deepEqual([code, error], ['INVALID_REQUEST', 'The package is not signed.']);
        assert.deepEqual(done, []);
      });
    }

    /** A certificate with the name and number of another one, but its own key. */
    function twinOf({ cert }: { cert: string }): string {
      const folder = join(root, 'twin');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'cert.pem'), cert);
      const shown = execFileSync('openssl', ['x509', '-in', 'cert.pem', '-noout', '-serial'], {
        cwd: folder,
      });
      const serial = `0x${String(shown).trim().split('=')[1]}`;
      const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=device';
      const files = ['-set_serial', serial, '-keyout', 'twin.key', '-out', 'twin.pem'];
      execFileSync('openssl', [...kind.split(' '), ...files], { cwd: folder, stdio: 'ignore' });
      return readFileSync(join(folder, 'twin.pem'), 'utf8');
    }

    test('security: the root helper should install no package that a stranger signed', async () => {
      unsigned();
      signDeb(file(), selfSigned('DNS:stranger'));
      const { code, error } = await install();
      assert.deepEqual(
        [code, error],
        ['INVALID_REQUEST', 'The package is signed by a key that this panel does not know.'],
      );
      assert.deepEqual(done, []);
    });

    test('security: the root helper should install no package when no key is known', async () => {
      known.packages = { none: '/etc/faceplate/package-keys.pem is not there' };
      unsigned();
      signDeb(file(), ours);
      const { code, error } = await install();
      assert.deepEqual(
        [code, error],
        [
          'UNSUPPORTED_HARDWARE',
          'This panel installs no Debian packages: /etc/faceplate/package-keys.pem is not there.',
        ],
      );
      // A key for updates is no key for packages.
      known.updates = { pem: forUpdates.cert };
      assert.equal((await install()).code, 'UNSUPPORTED_HARDWARE');
      assert.deepEqual(done, []);
    });

    test('security: the root helper should accept the package of Faceplate only from a key for updates, and no other package from it', async () => {
      known.updates = { pem: forUpdates.cert };
      copyFileSync(join(root, 'faceplate.unsigned'), file());
      signDeb(file(), ours);
      assert.equal((await install()).code, 'FORBIDDEN');
      copyFileSync(join(root, 'faceplate.unsigned'), file());
      signDeb(file(), forUpdates);
      assert.deepEqual(await install(), {});
      assert.deepEqual(done, ['install faceplate']);
      known.updates = { pem: `oldest-version: 1.0.1\n${forUpdates.cert}` };
      copyFileSync(join(root, 'faceplate.unsigned'), file());
      signDeb(file(), forUpdates);
      assert.match((await install()).error ?? '', /^1\.0\.0 is older than 1\.0\.1/);
      unsigned();
      signDeb(file(), forUpdates);
      assert.match((await install()).error ?? '', /does not know/);
      assert.deepEqual(done, ['install faceplate']);
      assert.deepEqual(options.record.value, {});
    });

    test('should install exactly what was signed, by any known key, whatever the dates of its certificate', async () => {
      for (const signer of [ours, others]) {
        unsigned();
        signDeb(file(), signer);
        let installed = Buffer.alloc(0);
        options.apt!.install = async (path) => {
          installed = readFileSync(path);
        };
        assert.deepEqual(await install(), {});
        assert.ok(installed.equals(readFileSync(join(root, 'sample.unsigned'))));
      }
      const lapsed = lapsedKey();
      known.packages = { pem: lapsed.cert };
      unsigned();
      signDeb(file(), lapsed);
      assert.deepEqual(await install(), {});
    });

    /** A key whose certificate expired long ago. */
    function lapsedKey(): { key: string; cert: string } {
      const folder = join(root, 'lapsed');
      mkdirSync(folder, { recursive: true });
      const run = (line: string) =>
        execFileSync('openssl', line.split(' '), {
          cwd: folder,
          stdio: 'ignore',
          env: { PATH: process.env.PATH },
        });
      run(
        'req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old -keyout k.pem -out r.pem',
      );
      run('x509 -req -in r.pem -signkey k.pem -days -1 -out c.pem');
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      return { key: read('k.pem'), cert: read('c.pem') };
    }
  });

  describe('the file of keys', () => {
    const owner = process.getuid!();
    const folder = () => join(root, 'etc');
    const path = () => join(folder(), 'package-keys.pem');
    beforeEach(() => {
      rmSync(folder(), { recursive: true, force: true });
      mkdirSync(folder(), { mode: 0o755 });
      writeFileSync(path(), ours.cert, { mode: 0o644 });
    });

    test('should be read if only its owner may write it', async () => {
      assert.deepEqual(await trustedKeys(path(), owner), { pem: ours.cert });
    });

    const bad: Readonly<Record<string, readonly [RegExp, () => void]>> = {
      'that is not there': [/is not there$/, () => rmSync(path())],
      'in a folder that is not there': [/is not there$/, () => rmSync(folder(), { recursive: true })],
      'that its group may write': [/does not belong to root alone$/, () => chmodSync(path(), 0o664)],
      'that all may write': [/does not belong to root alone$/, () => chmodSync(path(), 0o646)],
      'in a folder that all may write': [/lies in a folder/, () => chmodSync(folder(), 0o777)],
      'that is a link': [
        /is a link$/,
        () => {
          rmSync(path());
          writeFileSync(join(folder(), 'real.pem'), ours.cert);
          symlinkSync('real.pem', path());
        },
      ],
      'in a folder that is a link': [
        /lies in a folder/,
        () => {
          rmSync(folder(), { recursive: true });
          mkdirSync(join(root, 'elsewhere'), { recursive: true });
          writeFileSync(join(root, 'elsewhere/package-keys.pem'), ours.cert);
          symlinkSync('elsewhere', folder());
        },
      ],
      'that is a pipe': [
        /is no regular file$/,
        () => {
          rmSync(path());
          execFileSync('mkfifo', [path()]);
        },
      ],
      'whose oldest version is none': [
        /has an oldest-version that is none$/,
        () => writeFileSync(path(), `${ours.cert}oldest-version: 1.2\n`),
      ],
      'without a certificate': [/holds no certificate$/, () => writeFileSync(path(), ours.key)],
      'that is very long': [/is too long$/, () => writeFileSync(path(), ours.cert + ' '.repeat(300_000))],
    };
    for (const [what, [why, prepare]] of Object.entries(bad)) {
      test(`security: should take no key from a file ${what}`, async () => {
        prepare();
        const keys = await trustedKeys(path(), owner);
        assert.match('none' in keys ? keys.none : 'taken', why);
      });
    }

    test('security: should trust no key from a file or folder of another user', {
      skip: owner !== 0 && 'needs root to give a file away',
    }, async () => {
      for (const place of [path(), folder()]) {
        chownSync(place, 1, 0);
        assert.match(JSON.stringify(await trustedKeys(path())), /root alone/);
        chownSync(place, 0, 0);
      }
      assert.deepEqual(await trustedKeys(path()), { pem: ours.cert });
    });
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

    test('should do what the service asks, or say why not', async () => {
      const debian = debianChanger(socket(), false);
      await debian.install(join(installDir, 'sample.deb'), false);
      assert.deepEqual(done, [`install ${sample}`]);
      await assert.rejects(debian.remove('systemd'), { code: 'FORBIDDEN' });
      assert.throws(() => debianChanger(join(root, 'none'), false), { code: 'HARDWARE_ERROR' });
    });
  });
});
