import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { electronStandIn } from '../testing/electronStandIn.ts';

const root = join(import.meta.dirname, '../..');

describe('the Debian package of the Electron host', () => {
  let work: string;
  let deb: string;
  let files: string[];
  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'faceplate-electron-deb-'));
    const out = join(work, 'out');
    const script = join(root, 'build/distElectron.ts');
    const args = ['--disable-warning=ExperimentalWarning', script, '--deb', '--fast', '--out', out];
    await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: electronStandIn(work), TMPDIR: work },
    });
    deb = join(out, readdirSync(out).find((name) => name.endsWith('.deb'))!);
    const list = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' });
    files = [...list.matchAll(/ \.\/(\S*[^/\s])(?: -> .*)?$/gm)].map((match) => match[1]!);
  });
  after(() => rmSync(work, { recursive: true, force: true }));
  const field = (name: string) => execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' });

  test('should carry units, session, users, device rules and polkit as the other package, and Electron', () => {
    for (const file of [
      'usr/lib/systemd/system/faceplate.service',
      'usr/lib/systemd/system/faceplate.service.d/electron.conf',
      'usr/lib/systemd/system/faceplate-display.service',
      'usr/lib/systemd/system/faceplate-helper.socket',
      'usr/lib/faceplate/screen/session',
      'usr/lib/faceplate/screen/sway.conf',
      'usr/lib/sysusers.d/faceplate.conf',
      'usr/lib/tmpfiles.d/faceplate.conf',
      'usr/lib/udev/rules.d/60-faceplate.rules',
      'usr/share/polkit-1/rules.d/50-faceplate.rules',
      'usr/share/faceplate/apparmor-profile',
      'etc/pam.d/faceplate-display',
      'usr/lib/faceplate/bin/node',
      'usr/lib/faceplate/safeStop/main.js',
      'usr/lib/faceplate/electron/faceplate-electron',
      'usr/lib/faceplate/electron/faceplate-electron-program',
      'usr/lib/faceplate/electron/resources/app.asar',
    ])
      assert.ok(files.includes(file), file);
    assert.deepEqual(
      files.filter((file) => file.startsWith('etc/chromium')),
      [],
    );
  });

  test('should be the other package to the system: one takes the place of the other', () => {
    assert.equal(field('Package').trim(), 'faceplate-electron');
    assert.deepEqual([field('Conflicts').trim(), field('Replaces').trim()], ['faceplate', 'faceplate']);
    assert.doesNotMatch(field('Depends'), /chromium/);
    assert.match(field('Depends'), /sway.*libgtk-3-0/);
  });

  test('should change of the unit only what a browser needs, by names that systemd knows', {
    skip: !existsSync('/usr/bin/systemd-analyze') && 'needs systemd-analyze',
  }, () => {
    const tree = join(work, 'unit');
    execFileSync('dpkg-deb', ['--extract', deb, tree]);
    const verified = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', '--root', tree, join('/usr/lib/systemd/system/faceplate.service')],
      { encoding: 'utf8' },
    );
    assert.doesNotMatch(verified.stderr, /electron\.conf|Unknown key|Failed to parse/, verified.stderr);
  });
});
