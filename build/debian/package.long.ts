import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import vm from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { builtInPageNames } from '../../server/kiosk/builtInPageContract.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { checkDigest } from './npmPackages.ts';
import { type Arch, filesBelow, makePackageTree } from './packageTree.ts';

const root = join(import.meta.dirname, '../..');
const EPOCH = 1_767_225_600;
const arch = process.arch as Arch;
const hasSystemd = existsSync('/usr/bin/systemd-analyze');

let work: string;
before(() => {
  work = temporaryFolder('package');
});

describe('the Debian package', () => {
  let tree: string;
  let files: string[];
  const read = (path: string) => readFileSync(join(tree, path), 'utf8');

  before(async () => {
    tree = join(work, 'tree');
    mkdirSync(tree);
    await makePackageTree({ root, tree, cache: join(work, 'cache'), arch, epoch: EPOCH });
    files = filesBelow(tree);
  });

  test('security: should name the oldest version that may come after it', () => {
    const { oldestVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(JSON.parse(read('usr/lib/faceplate/package.json')).oldestVersion, oldestVersion);
  });

  test('should hold the service, its Node, the pages, the helper and the configuration files for the system', () => {
    for (const file of [
      'usr/lib/faceplate/bin/node',
      'usr/lib/faceplate/package.json',
      'usr/lib/faceplate/server/main.js',
      'usr/lib/faceplate/helper/main.js',
      'usr/lib/faceplate/helper/bootBackend.js',
      'usr/lib/faceplate/safeStop/main.js',
      'usr/lib/faceplate/probe/main.js',
      'usr/lib/faceplate/renderer-demo/index.html',
      'usr/lib/systemd/system/faceplate.service',
      'usr/lib/systemd/system/faceplate-display.service',
      'usr/lib/systemd/system/faceplate-helper.socket',
      'usr/lib/systemd/system/faceplate-helper@.service',
      'usr/lib/systemd/system/faceplate-update.service',
      'usr/lib/faceplate/update/prove.sh',
      'usr/lib/faceplate/starter/main.js',
      'usr/lib/faceplate/screen/session',
      'usr/lib/faceplate/screen/sway.conf',
      'etc/faceplate/sway.conf',
      'usr/lib/systemd/system/faceplate-kiosk.socket',
      'usr/lib/systemd/system/faceplate-kiosk@.service',
      'usr/lib/systemd/system/faceplate.slice',
      'usr/lib/udev/rules.d/60-faceplate.rules',
      'usr/share/polkit-1/rules.d/50-faceplate.rules',
      'usr/share/doc/faceplate/copyright',
      'etc/chromium/policies/managed/faceplate.json',
    ]) {
      assert.ok(files.includes(file), file);
    }
    for (const page of builtInPageNames) {
      const folder = page === 'settings' ? 'manage' : page;
      assert.ok(
        files.some((file) => file.endsWith(`/${folder}/index.html`)),
        page,
      );
    }
    const outside = files.filter((file) => !/^(DEBIAN|etc|usr\/lib|usr\/share)\//.test(file));
    assert.deepEqual(outside, ['usr/bin/faceplate-probe']);
    const unwanted = files.filter((file) =>
      /\/(electron|preload|testing)\/|\.(test|full)\.|\.map$|\.cc$/.test(file),
    );
    assert.deepEqual(unwanted, []);
  });

  test('should bring the native parts of one kind of machine only, and these should load', () => {
    const native = files.filter((file) => file.endsWith('.node'));
    assert.equal(native.length, 2, native.join('\n'));
    for (const file of native) assert.match(file, new RegExp(`linux[-_]${arch}`));
    const look = "require('koffi').load(null); require('serialport'); console.log('loaded')";
    const cwd = join(tree, 'usr/lib/faceplate');
    const said = execFileSync(join(cwd, 'bin/node'), ['--eval', look], { cwd, encoding: 'utf8' });
    assert.equal(said, 'loaded\n');
    const version = execFileSync(join(cwd, 'bin/node'), ['server/main.js', '--version'], { cwd });
    assert.match(read('DEBIAN/control'), new RegExp(`^Version: ${String(version).trim()}$`, 'm'));
  });

  test('security: should have files that only root can write, and none with setuid or setgid', () => {
    for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeMs } = statSync(path);
      assert.ok([0o644, 0o755].includes(mode & 0o7777), `${path} ${mode.toString(8)}`);
      assert.equal(mtimeMs, EPOCH * 1000, path);
    }
  });

  test('should say in its changelog what an update changes on the panel', () => {
    const packed = readFileSync(join(tree, 'usr/share/doc/faceplate/changelog.gz'));
    const text = gunzipSync(packed).toString();
    assert.match(
      text,
      /^faceplate \(\S+\) stable; urgency=medium\n\n( {2}\* .+\n( {4}.+\n)*)+\n -- .+ {2}.+\n$/,
    );
    assert.match(text, /sway instead of weston/);
  });

  test('should give dpkg its size, its settings files and the digest of every file', () => {
    const control = read('DEBIAN/control');
    for (const field of [
      'Package: faceplate',
      'Architecture: ',
      'Depends: ',
      'Maintainer: ',
      'Homepage: https://',
      'Description: ',
    ])
      assert.match(control, new RegExp(`^${field}`, 'm'));
    assert.ok(Number(/^Installed-Size: (\d+)$/m.exec(control)?.[1]) > 100_000);
    const conffiles = read('DEBIAN/conffiles').trim().split('\n');
    assert.deepEqual(
      conffiles,
      files.filter((file) => file.startsWith('etc/')).map((file) => `/${file}`),
    );
    const sums = read('DEBIAN/md5sums').trim().split('\n');
    assert.equal(sums.length, files.filter((file) => !file.startsWith('DEBIAN/')).length);
  });

  test('should carry the licence of every work it holds', () => {
    const text = read('usr/share/doc/faceplate/copyright');
    for (const work of [
      'Faceplate',
      'Node.js',
      'koffi',
      'serialport',
      'fastify',
      'werift',
      'pino',
      'zod',
      'yauzl',
    ])
      assert.match(text, new RegExp(`^${work}\\b`, 'm'), work);
  });

  test('should have scripts that a shell can read and that stop at the first mistake', () => {
    for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
      const path = join(tree, 'DEBIAN', name);
      assert.ok(statSync(path).mode & 0o111, name);
      assert.match(readFileSync(path, 'utf8'), /^#!\/bin\/sh\n(#.*\n)*set -e\n/);
      assert.equal(spawnSync('sh', ['-n', path]).status, 0, name);
    }
  });

  test('security: should have tight units that systemd understands', {
    skip: !hasSystemd && 'needs systemd-analyze',
  }, () => {
    const folder = join(work, 'units');
    const units = join(tree, 'usr/lib/systemd/system');
    // The package is not installed here.
    const here = (text: string) => text.replaceAll('/usr/lib/faceplate', join(tree, 'usr/lib/faceplate'));
    cpSync(units, folder, { recursive: true });
    const names = readdirSync(units).filter((name) => !name.endsWith('.d'));
    for (const name of names)
      writeFileSync(join(folder, name), here(readFileSync(join(units, name), 'utf8')));
    const templates = names.filter((name) => name.includes('@'));
    const instances = templates.map((name) => name.replace('@', '@1'));
    for (const [index, name] of templates.entries())
      copyFileSync(join(folder, name), join(folder, instances[index]!));
    const paths = [...names.filter((name) => !name.includes('@')), ...instances];
    const verified = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', '--recursive-errors=no', ...paths.map((name) => join(folder, name))],
      { encoding: 'utf8', env: { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' } },
    );
    const complaints = verified.stderr.split('\n').filter((line) => line.includes('faceplate'));
    assert.deepEqual(complaints, []);
    assert.equal(verified.status, 0, verified.stderr);
    // 0 is a unit without rights, 100 one with all rights.
    for (const [unit, threshold] of [
      ['faceplate.service', '20'],
      ['faceplate-display.service', '20'],
      ['faceplate-kiosk@.service', '30'],
      ['faceplate-helper@.service', '60'],
      ['faceplate-update.service', '60'],
    ] as const) {
      const judged = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', `--threshold=${threshold}`, `--root=${tree}`, '--no-pager', unit],
        { encoding: 'utf8' },
      );
      assert.equal(
        judged.status,
        0,
        `${unit}: ${judged.stdout.split('\n').slice(-2).join('')}${judged.stderr}`,
      );
    }
  });

  test('security: should leave the service no capability and no way to another user, and write no core files', () => {
    const unit = (name: string) => read(`usr/lib/systemd/system/${name}.service`).split('\n');
    for (const name of ['faceplate', 'faceplate-display', 'faceplate-kiosk@']) {
      assert.ok(unit(name).includes('CapabilityBoundingSet='), name);
      assert.ok(unit(name).includes('NoNewPrivileges=yes'), name);
    }
    assert.ok(!unit('faceplate').some((line) => /^AmbientCapabilities=./.test(line)));
    assert.ok(unit('faceplate').includes('User=faceplate'));
    assert.ok(unit('faceplate-kiosk@').includes('User=faceplate-kiosk'));
    // A settings file may hold secrets, which the kiosk must not see.
    assert.ok(!unit('faceplate-kiosk@').some((line) => line.startsWith('EnvironmentFile')));
    const helper = unit('faceplate-helper@').find((line) => line.startsWith('CapabilityBoundingSet='));
    assert.doesNotMatch(helper ?? '', /SYS_|NET_|MKNOD|BPF/);
    for (const name of [
      ...['faceplate', 'faceplate-display', 'faceplate-kiosk@', 'faceplate-helper@', 'faceplate-update'],
    ]) {
      for (const line of ['LimitCORE=0', 'ProtectProc=invisible']) assert.ok(unit(name).includes(line), name);
      assert.ok(
        unit(name).some((line) => /^OOMScoreAdjust=/.test(line)),
        name,
      );
    }
    const socket = read('usr/lib/systemd/system/faceplate-kiosk.socket').split('\n');
    for (const line of ['SocketUser=root', 'SocketGroup=faceplate', 'SocketMode=0660', 'Accept=yes'])
      assert.ok(socket.includes(line), line);
  });

  test('should wait for the device of the screen, but not for ever', () => {
    const display = read('usr/lib/systemd/system/faceplate-display.service');
    const device = 'dev-faceplate-screen.device';
    for (const key of ['Wants', 'After']) assert.match(display, new RegExp(`^${key}=${device}$`, 'm'));
    const rules = read('usr/lib/udev/rules.d/60-faceplate.rules').split('\n');
    const screen = rules.find((line) => line.startsWith('SUBSYSTEM=="drm"')) ?? '';
    assert.match(screen, /TAG\+="systemd"/);
    const alias = /SYSTEMD_ALIAS\}\+="\/([^"]+)"/.exec(screen)?.[1] ?? '';
    assert.equal(`${alias.replaceAll('/', '-')}.device`, device);
    const limit = /^JobRunningTimeoutSec=(\d+)$/m.exec(
      read(`usr/lib/systemd/system/${device}.d/timeout.conf`),
    );
    assert.ok(Number(limit?.[1]) > 0 && Number(limit?.[1]) <= 30);
  });

  test('should give a slow panel minutes to start, and give the log of the screen its own name', () => {
    for (const unit of ['faceplate', 'faceplate-display']) {
      const text = read(`usr/lib/systemd/system/${unit}.service`);
      assert.match(text, /^TimeoutStartSec=5min$/m, unit);
      assert.ok(Number(/^WatchdogSec=(\d+)$/m.exec(text)?.[1]) >= 60, unit);
    }
    // PAM moves the screen out of its unit, and journalctl -u with it.
    assert.match(
      read('usr/lib/systemd/system/faceplate-display.service'),
      /^SyslogIdentifier=faceplate-display$/m,
    );
    assert.match(read('usr/share/doc/faceplate/README.md'), /^journalctl -t faceplate-display /m);
  });

  test('security: should let the kiosk use the screen, and only the service control it', () => {
    const folders = read('usr/lib/tmpfiles.d/faceplate.conf').split('\n');
    assert.ok(folders.includes('d /run/faceplate-display 2750 faceplate-display faceplate-kiosk'));
    assert.ok(folders.includes('d /run/faceplate-display/control 2750 faceplate-display faceplate'));
    const display = read('usr/lib/systemd/system/faceplate-display.service');
    assert.match(display, /^User=faceplate-display$/m);
    assert.match(display, / SWAYSOCK=\/run\/faceplate-display\/control\/ipc\.sock /);
    // Neither shell nor anything else that is not of the screen.
    assert.match(display, /^NoExecPaths=\/$/m);
    assert.doesNotMatch(display, /^ExecPaths=.*(bin\/(sh|dash|bash)|\/usr\/bin\/?( |$))/m);
    const kiosk = read('usr/lib/systemd/system/faceplate-kiosk@.service');
    assert.match(kiosk, /^InaccessiblePaths=-\/run\/faceplate-display\/control$/m);
    for (const unit of ['faceplate', 'faceplate-kiosk@']) {
      const text = read(`usr/lib/systemd/system/${unit}.service`);
      assert.match(text, / WAYLAND_DISPLAY=\/run\/faceplate-display\/wayland-1 /, unit);
      assert.doesNotMatch(text, /SWAYSOCK/, unit);
    }
  });

  test('security: should bind no key of the screen, and show no second console', () => {
    for (const file of ['usr/lib/faceplate/screen/sway.conf', 'etc/faceplate/sway.conf'])
      assert.doesNotMatch(read(file), /^\s*(bind|exec|mode|bar)/m, file);
    const ours = read('usr/lib/faceplate/screen/sway.conf').split('\n');
    assert.ok(ours.includes('input type:keyboard xkb_options srvrkeys:none'));
    assert.ok(ours.includes('swaynag_command -'));
  });

  test('should tell systemd that the screen is up and lives, and end the screen with itself', {
    skip: !existsSync('/usr/bin/socat') && 'needs socat',
  }, async () => {
    const folder = mkdtempSync(join(work, 'screen-'));
    const [notify, ipc] = [join(folder, 'notify'), join(folder, 'ipc')];
    const told = spawn('socat', ['-u', `UNIX-RECV:${notify}`, '-'], { stdio: ['ignore', 'pipe', 'ignore'] });
    let words = '';
    told.stdout.on('data', (bytes: Buffer) => (words += bytes));
    await until(() => existsSync(notify), 'the socket of systemd');
    // A compositor that answers as sway does, until the test makes it hang.
    const script = `require('node:net').createServer((s) => s.on('data', () => s.end('i3-ipc' + '\\0'.repeat(8)))).listen(${JSON.stringify(ipc)})`;
    const session = spawn(
      join(tree, 'usr/lib/faceplate/screen/session'),
      [ipc, process.execPath, '--eval', script],
      { env: { PATH: process.env.PATH, NOTIFY_SOCKET: notify, WATCHDOG_USEC: '1500000' }, stdio: 'ignore' },
    );
    try {
      await until(() => /^READY=1(WATCHDOG=1){2}/.test(words), 'two signs of life');
      const [compositor] = readFileSync(`/proc/${session.pid}/task/${session.pid}/children`, 'utf8').split(
        ' ',
      );
      process.kill(Number(compositor), 'SIGSTOP');
      await setTimeout(700);
      const before = words;
      await setTimeout(1_500);
      assert.equal(words, before);
      // As systemd does then.
      session.kill('SIGKILL');
      await until(
        () =>
          !existsSync(`/proc/${compositor}/cmdline`) ||
          readFileSync(`/proc/${compositor}/cmdline`).length === 0,
        'the end',
      );
    } finally {
      session.kill('SIGKILL');
      told.kill();
    }
  });

  test('should bring a mixer and what plays and speaks, and let the service use it', () => {
    for (const name of ['alsa-utils', 'gstreamer1.0-tools', 'gstreamer1.0-plugins-good', 'espeak-ng'])
      assert.match(read('DEBIAN/control'), new RegExp(`^Depends: (.*, )?${name}(,|$)`, 'm'));
    assert.match(read('usr/lib/sysusers.d/faceplate.conf'), /^m faceplate audio$/m);
    assert.match(read('usr/lib/systemd/system/faceplate.service'), /^DeviceAllow=char-alsa rw$/m);
  });

  test('should let the unit of the service use each node that it gets by a rule of udev', () => {
    // A class of nodes has the same name for systemd as for udev, but for the chips of GPIO.
    const classes: Record<string, string> = { gpio: 'gpiochip' };
    const nodes = read('usr/lib/udev/rules.d/60-faceplate.rules')
      .split('\n')
      .filter((line) => /GROUP:?="faceplate"/.test(line))
      .map((line) => ({
        subsystem: /SUBSYSTEM=="(\w+)"/.exec(line)?.[1],
        name: /KERNEL=="(\w+)/.exec(line)![1]!,
      }));
    assert.ok(nodes.length >= 5);
    const unit = read('usr/lib/systemd/system/faceplate.service');
    for (const { subsystem, name } of nodes) {
      const device = subsystem === undefined ? `/dev/${name}` : `char-${classes[subsystem] ?? subsystem}`;
      assert.match(unit, new RegExp(`^DeviceAllow=${device} rw?$`, 'm'));
    }
  });

  test('should give the group of the service the attributes that it writes, and no others', {
    skip: process.getuid?.() !== 0 && 'needs root to give files away',
  }, () => {
    const rules = read('usr/lib/udev/rules.d/60-faceplate.rules').split('\n');
    const gid = Number(execFileSync('getent', ['group', 'daemon'], { encoding: 'utf8' }).split(':')[2]);
    for (const [subsystem, attributes] of Object.entries({
      leds: ['brightness', 'multi_intensity', 'trigger'],
      backlight: ['brightness', 'bl_power'],
      rtc: ['wakealarm'],
    })) {
      const rule = rules.find((line) => line.startsWith(`SUBSYSTEM=="${subsystem}"`)) ?? '';
      assert.match(read('DEBIAN/postinst'), new RegExp(`--subsystem-match=${subsystem}\\b`));
      const folder = join(work, subsystem);
      mkdirSync(folder);
      const files = [...attributes, 'max_brightness', 'uevent'];
      for (const name of files) writeFileSync(join(folder, name), '', { mode: 0o644 });
      for (const name of files) chownSync(join(folder, name), 0, 0);
      // As udev replaces it: %p is the path of the device below /sys, `$$` is `$`.
      const script = /RUN\+="\/bin\/sh -c '(.*)'"$/.exec(rule)?.[1] ?? 'exit 9';
      const line = script
        .replaceAll('/sys%p', folder)
        .replaceAll('$$', '$')
        .replaceAll('faceplate ', 'daemon ');
      execFileSync('sh', ['-e', '-c', line]);
      for (const name of files) {
        const { gid: group, mode } = statSync(join(folder, name));
        const isOurs = attributes.includes(name);
        assert.deepEqual([group, mode & 0o777], isOurs ? [gid, 0o664] : [0, 0o644], `${subsystem} ${name}`);
      }
    }
  });

  test('security: should let the service restart, suspend, and set network and clock by polkit, and the kiosk nothing', () => {
    const rules: ((action: { id: string }, subject: { user: string }) => string)[] = [];
    const polkit = {
      Result: { YES: 'yes', NO: 'no', NOT_HANDLED: 'not handled' },
      addRule: (rule: (typeof rules)[number]) => rules.push(rule),
    };
    vm.runInNewContext(read('usr/share/polkit-1/rules.d/50-faceplate.rules'), { polkit });
    assert.equal(rules.length, 1);
    const judge = (user: string, id: string) => rules[0]!({ id }, { user });
    const login1 = 'org.freedesktop.login1';
    assert.equal(judge('faceplate', `${login1}.reboot`), 'yes');
    assert.equal(judge('faceplate', `${login1}.suspend`), 'yes');
    for (const id of [
      'NetworkManager.network-control',
      'NetworkManager.checkpoint-rollback',
      'timedate1.set-timezone',
    ])
      assert.equal(judge('faceplate', `org.freedesktop.${id}`), 'yes');
    for (const id of [
      'org.freedesktop.NetworkManager.enable-disable-network',
      `${login1}.power-off`,
      'org.freedesktop.systemd1.manage-units',
      'org.freedesktop.policykit.exec',
    ])
      assert.equal(judge('faceplate', id), 'not handled');
    for (const id of [`${login1}.reboot`, `${login1}.power-off`, 'org.freedesktop.policykit.exec'])
      assert.equal(judge('faceplate-kiosk', id), 'no');
    assert.equal(judge('somebody', `${login1}.reboot`), 'not handled');
  });

  test('security: should add the user of the kiosk to no group that owns hardware of the panel', () => {
    const groups = [...read('usr/lib/sysusers.d/faceplate.conf').matchAll(/^m (\S+) (\S+)$/gm)];
    const kiosk = groups.filter(([, user]) => user === 'faceplate-kiosk').map(([, , group]) => group);
    assert.deepEqual(kiosk, ['audio', 'video', 'render']);
    assert.match(
      read('usr/lib/tmpfiles.d/faceplate.conf'),
      /^d \/var\/lib\/faceplate 0700 faceplate faceplate$/m,
    );
  });

  test('security: should name a real board where the settings file names none', () => {
    assert.match(
      read('usr/lib/systemd/system/faceplate.service'),
      /^Environment=FACEPLATE_BOARD=generic-linux$/m,
    );
    assert.match(read('DEBIAN/postinst'), /rk3576-panel/);
    assert.doesNotMatch(read('DEBIAN/postinst'), /simulated/);
  });
});

describe('packages for other machines', () => {
  test('security: should refuse a file that is not what the lock file promises', async () => {
    const file = join(work, 'package.tgz');
    writeFileSync(file, 'abc');
    const digest = execFileSync('sh', ['-c', `openssl dgst -sha512 -binary '${file}' | openssl base64 -A`], {
      encoding: 'utf8',
    });
    await checkDigest(file, `sha512-${digest.trim()}`);
    writeFileSync(file, 'abd');
    await assert.rejects(checkDigest(file, `sha512-${digest.trim()}`), /not what package-lock.json promises/);
  });
});
