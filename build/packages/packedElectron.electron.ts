// What `npm run dist:electron` makes of a real Electron: `npm run test:electron -- packed`. Needs a user other than root.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { archivedFiles } from '../testing/archivedFiles.ts';
import { type ElectronPackages, makeElectronPackages } from '../testing/electronPackages.ts';
import { PackedPrograms } from '../testing/packedProgram.ts';
import { NO_PLAIN_ELECTRON, plainElectron } from '../testing/plainElectron.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const LAUNCHER = 'faceplate-electron';
const PROGRAM = 'faceplate-electron-program';
/** The page of the tests has one colour. */
const COLOUR = '#00AA77';

let work: string;
let made: ElectronPackages;
/** What the .deb would put into the system, and its control files. */
let tree: string;
let screen: TestScreen;
let programs: PackedPrograms;

before(async () => {
  const electron = plainElectron();
  assert.ok(electron !== undefined, NO_PLAIN_ELECTRON);
  work = temporaryFolder('packed');
  made = await makeElectronPackages(electron, work);
  tree = join(work, 'tree');
  execFileSync('dpkg-deb', ['--raw-extract', made.deb, tree]);
  screen = await TestScreen.open({ windowManager: true });
  programs = new PackedPrograms(work, screen.display);
});
after(async () => {
  await screen?.[Symbol.asyncDispose]();
  if (work !== undefined) rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});

const electronOf = (base: string) => join(base, 'usr/lib/faceplate/electron');

describe('the unpacked folder', () => {
  const archived = () => archivedFiles(join(made.folder, 'resources/app.asar'));

  test('should hold main process, preload and pages in one archive, and no tests', () => {
    const files = [...archived().keys()];
    for (const file of [
      'package.json',
      'electron/main.js',
      'preload/electronPreload.cjs',
      'renderer-demo/index.html',
      'server/parts/boards/rk3576-panel.json',
      'node_modules/serialport/package.json',
    ])
      assert.ok(files.includes(file), file);
    const own = files.filter((file) => !file.startsWith('node_modules/'));
    assert.deepEqual(
      own.filter((file) => /\.(test|full)\.|^helper\/|^e2e\/|^server\/(main|service)\./.test(file)),
      [],
    );
    assert.deepEqual(readdirSync(join(made.folder, 'resources')).sort(), ['app.asar', 'app.asar.unpacked']);
  });

  test('should keep the native parts beside the archive, for one kind of machine', () => {
    const native = [...archived()].filter(([file]) => file.endsWith('.node'));
    assert.equal(native.length, 2);
    for (const [file, entry] of native) {
      assert.equal(entry.unpacked, true, file);
      assert.ok(existsSync(join(made.folder, 'resources/app.asar.unpacked', file)), file);
      assert.match(file, new RegExp(`linux[-_]${process.arch}`));
    }
  });

  test('security: should disable the ways to run other code in the program', async () => {
    const reader = join(root, 'node_modules/@electron/fuses/dist/bin.js');
    const args = [reader, 'read', '--app', join(made.folder, PROGRAM)];
    const { stdout } = await run(process.execPath, args);
    const state = (fuse: string) => new RegExp(`${fuse} is (?:.*\\b)?(Enabled|Disabled)`).exec(stdout)?.[1];
    for (const [fuse, wanted] of [
      ['RunAsNode', 'Disabled'],
      ['EnableNodeOptionsEnvironmentVariable', 'Disabled'],
      ['EnableNodeCliInspectArguments', 'Disabled'],
      ['OnlyLoadAppFromAsar', 'Enabled'],
      ['LoadBrowserProcessSpecificV8Snapshot', 'Disabled'],
      ['GrantFileProtocolExtraPrivileges', 'Disabled'],
    ] as const)
      assert.equal(state(fuse), wanted, `${fuse}:\n${stdout}`);
  });
});

describe('the .deb', () => {
  const field = (name: string) =>
    execFileSync('dpkg-deb', ['--field', made.deb, name], { encoding: 'utf8' }).trim();
  /** `mode owner path` of everything in it. */
  const contents = () =>
    execFileSync('dpkg-deb', ['--contents', made.deb], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => /^(\S+) (\S+) .*? \.\/(.*)$/.exec(line)!.slice(1) as [string, string, string]);

  test('should carry units, session, users, device rules and polkit as the other package, and Electron', () => {
    const sources: Readonly<Record<string, string>> = {
      'usr/lib/systemd/system/faceplate.service': 'systemd/faceplate.service',
      'usr/lib/systemd/system/faceplate.service.d/electron.conf': 'electron/service.conf',
      'usr/lib/systemd/system/faceplate-display.service': 'systemd/faceplate-display.service',
      'usr/lib/systemd/system/faceplate-helper.socket': 'systemd/faceplate-helper.socket',
      'usr/lib/faceplate/screen/session': 'screen/session',
      'usr/lib/faceplate/screen/sway.conf': 'screen/sway.conf',
      'usr/lib/sysusers.d/faceplate.conf': 'sysusers.conf',
      'usr/lib/tmpfiles.d/faceplate.conf': 'tmpfiles.conf',
      'usr/lib/udev/rules.d/60-faceplate.rules': '60-faceplate.rules',
      'usr/share/polkit-1/rules.d/50-faceplate.rules': 'polkit.rules',
      'usr/share/faceplate/apparmor-profile': 'electron/apparmor-profile',
      'etc/pam.d/faceplate-display': 'pam',
      'usr/lib/faceplate/electron/faceplate-electron': 'electron/launcher',
    };
    for (const [file, source] of Object.entries(sources))
      assert.ok(readFileSync(join(tree, file)).equals(readFileSync(join(root, 'build/linux', source))), file);
    const files = contents().map(([, , path]) => path);
    for (const file of [
      'usr/lib/faceplate/bin/node',
      'usr/lib/faceplate/safeStop/main.js',
      'usr/lib/faceplate/electron/faceplate-electron-program',
      'usr/lib/faceplate/electron/resources/app.asar',
      'usr/lib/faceplate/electron/LICENSES.chromium.html',
    ])
      assert.ok(files.includes(file), file);
    // Whose user the browser of the other package is, and what holds for that browser only.
    assert.deepEqual(
      files.filter((file) => file.startsWith('etc/chromium')),
      [],
    );
    assert.match(readFileSync(join(tree, 'usr/share/doc/faceplate/copyright'), 'utf8'), /^Electron$/m);
  });

  test('security: should belong to root, with no mode but 755 and 644', () => {
    for (const [mode, owner, path] of contents()) {
      assert.equal(owner, 'root/root', path);
      assert.match(mode, /^(?:drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/, path);
    }
    for (const name of [LAUNCHER, PROGRAM, 'chrome_crashpad_handler'])
      assert.equal(statSync(join(electronOf(tree), name)).mode & 0o777, 0o755, name);
  });

  test('should be the other package to the system, with its scripts: one takes the place of the other', () => {
    assert.equal(field('Package'), 'faceplate-electron');
    assert.deepEqual([field('Conflicts'), field('Replaces')], ['faceplate', 'faceplate']);
    assert.doesNotMatch(field('Depends'), /chromium/);
    assert.match(field('Depends'), /sway.*libgtk-3-0/);
    for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
      const script = join(tree, 'DEBIAN', name);
      assert.equal(statSync(script).mode & 0o777, 0o755, name);
      assert.equal(
        readFileSync(script, 'utf8'),
        readFileSync(join(root, 'build/debian/scripts', name), 'utf8'),
      );
    }
    const settings = readFileSync(join(tree, 'DEBIAN/conffiles'), 'utf8').trim().split('\n').sort();
    const below = contents().flatMap(([mode, , path]) =>
      path.startsWith('etc/') && mode.startsWith('-') ? [`/${path}`] : [],
    );
    assert.deepEqual(settings, below.sort());
    execFileSync('md5sum', ['--check', '--strict', '--quiet', 'DEBIAN/md5sums'], { cwd: tree });
  });
});

describe('the packed program', () => {
  const site = createWebServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><body style="background:${COLOUR}">`);
  });
  let page: Record<string, string>;
  before(async () => {
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    page = { FACEPLATE_KIOSK_URL: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` };
  });
  after(() => {
    site.closeAllConnections();
    site.close();
  });

  /** Every pixel of the screen is the page's. */
  const pageFillsScreen = () =>
    until(async () => (await screen.colours()).join() === COLOUR, 'the page on the whole screen');
  /** An environment with a program of the test before those of the system. */
  const withProgram = (name: string, script: string) => {
    const folder = mkdtempSync(join(work, 'bin-'));
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${folder}:${process.env.PATH}` };
  };

  test('should show its page on the whole screen behind its launcher, once only, and stop on SIGTERM', async () => {
    const service = programs.service(join(made.folder, LAUNCHER));
    await programs.whileRunning(service, async () => {
      const { stdout } = await run(
        'xdotool',
        ['search', '--onlyvisible', '--name', '^Faceplate$', 'getwindowgeometry', '--shell', '%1'],
        { env: screen.env },
      );
      assert.match(stdout, /^X=0\nY=0\nWIDTH=1280\nHEIGHT=800$/m, stdout);
      // The demo comes out of the archive: many colours, and no black in the corners.
      await until(async () => (await screen.colours()).length > 10, 'the page');
      for (const x of [0, 1279])
        for (const y of [0, 799]) assert.notEqual(screen.colourAt(x, y), '#000000', `${x},${y}`);
      const second = await programs.ended(join(made.folder, LAUNCHER), { dataDir: service.dataDir });
      assert.equal(second.code, 1, second.output);
      assert.match(second.output, /runs already on the data folder/);
    });
  });

  test('should start from the tree of the .deb, and take Ctrl+C twice for once', async () => {
    const service = programs.service(join(electronOf(tree), LAUNCHER), { env: page });
    const use = async () => {
      await pageFillsScreen();
      // It comes twice, from the terminal and from npm; the second must not kill the stop.
      process.kill(service.pid!, 'SIGINT');
      await service.line(/"msg":"service: stopping"/);
    };
    await programs.whileRunning(service, use, 'SIGINT');
  });

  test('security: should run no other code by the environment, by a signal, or beside its archive', async () => {
    const trace = join(work, 'ran');
    const script = join(work, 'other.cjs');
    writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '');`);
    const other = join(electronOf(tree), 'resources/app');
    mkdirSync(other);
    writeFileSync(join(other, 'package.json'), '{"main":"main.cjs"}');
    copyFileSync(script, join(other, 'main.cjs'));
    const env = {
      ...page,
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: `--require=${script} --inspect=0`,
      NODE_COMPILE_CACHE: join(work, 'compiled'),
    };
    const service = programs.service(join(electronOf(tree), LAUNCHER), { env });
    await programs.whileRunning(service, pageFillsScreen);
    assert.equal(existsSync(trace), false);
    assert.equal(existsSync(join(work, 'compiled')), false);
    assert.doesNotMatch(service.output, /Debugger listening/);
    rmSync(other, { recursive: true });
    // Node's way to open a debugger. Here the signal ends the program, as any signal may.
    const again = programs.service(join(electronOf(tree), LAUNCHER), { env: page });
    await again.start();
    const { signal } = await again.stop('SIGUSR1');
    assert.equal(signal, 'SIGUSR1', again.output);
    assert.doesNotMatch(again.output, /Debugger listening/);
    await programs.nothingRuns();
  });

  test('security: should refuse root', async () => {
    const { code, output } = await programs.ended(join(made.folder, LAUNCHER), {
      env: withProgram('id', 'echo 0'),
    });
    assert.equal(code, 1);
    assert.match(output, /^faceplate: Electron does not run as root: .*\.$/);
  });

  test('security: should refuse what would open its walls, behind the launcher and without it', async () => {
    for (const [file, argument, words] of [
      [LAUNCHER, '--no-sandbox', /^faceplate: --no-sandbox is not taken/],
      [PROGRAM, '--no-sandbox', /--no-sandbox is none of the switches that may be added/],
      [LAUNCHER, '--inspect=0', /--inspect is none of the switches that may be added/],
      [
        LAUNCHER,
        '--remote-debugging-port=0',
        /--remote-debugging-port is none of the switches that may be added/,
      ],
    ] as const) {
      const { code, output } = await programs.ended(join(made.folder, file), { args: [argument] });
      assert.equal(code, 1, argument);
      assert.match(output, words);
      assert.doesNotMatch(output, /faceplate ready/);
    }
  });

  test('should say in one sentence that its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const { code, output } = await programs.ended(join(made.folder, LAUNCHER), {
        args: ['--http.port', String(port)],
      });
      assert.equal(code, 1);
      assert.match(output, new RegExp(`^faceplate: Port ${port} is in use by another program\\.`, 'm'));
    } finally {
      other.close();
    }
  });

  test('should answer --version and --help as the other program does, and start nothing', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const said = await programs.ended(join(made.folder, LAUNCHER), { args: ['--version'] });
    assert.equal(said.code, 0);
    assert.ok(said.output.split('\n').includes(version), said.output);
    const help = await programs.ended(join(made.folder, LAUNCHER), { args: ['--help'] });
    assert.equal(help.code, 0);
    assert.match(help.output, /^Faceplate [\d.]+: [\s\S]+ {2}--kiosk\.url[\s\S]+--replay/m);
    assert.doesNotMatch(`${said.output}${help.output}`, /faceplate ready/);
  });
});
