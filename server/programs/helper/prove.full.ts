import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';

const PROGRAM = join(import.meta.dirname, '../../../build/linux/prove.sh');
const mayNot =
  (process.getuid?.() !== 0 || !existsSync('/usr/bin/dpkg-deb')) &&
  'needs root and dpkg, for a system in a folder';

/** A Debian system in a folder, with a real dpkg; apt and systemd are two lines of shell. */
class SmallSystem implements AsyncDisposable {
  readonly folder = temporaryFolder('prove');
  readonly root = join(this.folder, 'root');
  readonly state = join(this.root, 'var/lib/faceplate-update');
  readonly tools = join(this.folder, 'tools');
  readonly running: ChildProcess[] = [];

  constructor() {
    mkdirSync(join(this.root, 'var/lib/dpkg'), { recursive: true });
    mkdirSync(this.state, { recursive: true });
    mkdirSync(this.tools);
    for (const name of ['status', 'available']) writeFileSync(join(this.root, 'var/lib/dpkg', name), '');
    copyFileSync(PROGRAM, join(this.state, 'prove.sh'));
    this.#tool(
      'apt-get',
      `for last; do :; done
       echo "apt $last" >>${this.folder}/log
       [ ! -e ${this.folder}/on-apt ] || . ${this.folder}/on-apt
       [ ! -e ${this.folder}/apt-fails ] || { rm ${this.folder}/apt-fails; exit 100; }
       exec dpkg --force-script-chrootless --force-downgrade --force-confold -i "$last"`,
    );
    this.#tool('systemctl', `echo "systemctl $*" >>${this.folder}/log; cat ${this.folder}/ends`);
    this.ends(0);
    this.package('1.0.0');
    const file = join(this.folder, 'faceplate-1.0.0.deb');
    execFileSync('dpkg', ['--root', this.root, '--force-script-chrootless', '-i', file], { stdio: 'pipe' });
  }

  #tool(name: string, text: string): void {
    writeFileSync(join(this.tools, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(this.tools, name), 0o755);
  }

  /** How often the service ended by itself. */
  ends(times: number): void {
    writeFileSync(join(this.folder, 'ends'), `${times}\n`);
  }

  /** Runs a line of shell before each installation from now on. */
  onApt(line: string): void {
    writeFileSync(join(this.folder, 'on-apt'), `${line}\n`);
  }

  /** Makes a package of Faceplate. */
  package(version: string): string {
    const tree = mkdtempSync(join(this.folder, 'tree-'));
    for (const folder of ['DEBIAN', 'usr/lib/faceplate/bin', 'etc/faceplate'])
      mkdirSync(join(tree, folder), { recursive: true });
    writeFileSync(join(tree, 'usr/lib/faceplate/version'), version);
    writeFileSync(join(tree, 'usr/lib/faceplate/bin/node'), 'node', { mode: 0o755 });
    execFileSync('ln', ['-s', 'node', join(tree, 'usr/lib/faceplate/bin/link')]);
    for (const name of ['kept', 'removed']) writeFileSync(join(tree, 'etc/faceplate', name), 'as shipped');
    writeFileSync(join(tree, 'DEBIAN/conffiles'), '/etc/faceplate/kept\n/etc/faceplate/removed\n');
    writeFileSync(join(tree, 'DEBIAN/postinst'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(
      join(tree, 'DEBIAN/control'),
      `Package: faceplate\nVersion: ${version}\nArchitecture: all\nMaintainer: N <n@example.org>\nDescription: x\n more of it\n`,
    );
    chmodSync(tree, 0o755);
    const file = join(this.folder, `faceplate-${version}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
    return file;
  }

  begin(step: string, file?: string): void {
    if (file !== undefined) copyFileSync(file, join(this.state, 'next.deb'));
    // Whole at once, as the helper writes it.
    writeFileSync(join(this.state, 'step.tmp'), `${step}\n`);
    renameSync(join(this.state, 'step.tmp'), join(this.state, 'step'));
  }

  /** Runs the program as systemd does. @returns its exit status; null when it was killed */
  run(seconds = 60): Promise<number | null> {
    const child = spawn('/bin/sh', [join(this.state, 'prove.sh')], {
      env: {
        PATH: `${this.tools}:/usr/sbin:/usr/bin:/sbin:/bin`,
        DPKG_ROOT: this.root,
        FACEPLATE_PROVE_SECONDS: String(seconds),
        FACEPLATE_PROVE_PAUSE: '0.05',
      },
      stdio: 'ignore',
      detached: true,
    });
    this.running.push(child);
    return new Promise((resolve) => child.once('exit', resolve));
  }

  /** The power goes. Resolves when nothing runs any more: dpkg may hold its lock until its last write is done. */
  async cut(): Promise<void> {
    const group = -this.running.at(-1)!.pid!;
    process.kill(group, 'SIGKILL');
    await until(() => {
      try {
        return !process.kill(group, 0);
      } catch {
        return true;
      }
    });
  }

  read(name: string): string | undefined {
    const path = join(this.state, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  }

  get installed(): string {
    return readFileSync(join(this.root, 'usr/lib/faceplate/version'), 'utf8');
  }

  get log(): string {
    return existsSync(join(this.folder, 'log')) ? readFileSync(join(this.folder, 'log'), 'utf8') : '';
  }

  isProving = () => this.read('step') === 'prove' && this.read('boots') !== undefined;

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid, exitCode, signalCode } of this.running)
      if (exitCode === null && signalCode === null) process.kill(-pid!, 'SIGKILL');
  }
}

describe('the program that proves a version', { skip: mayNot }, () => {
  test('should install it, keep the one before, and stay when all is well', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(system.isProving);
    assert.equal(system.installed, '1.1.0');
    assert.equal(system.read('before'), '1.0.0');
    writeFileSync(join(system.state, 'good'), '');
    assert.equal(await ended, 0);
    assert.equal(system.read('step'), undefined);
    assert.ok(existsSync(join(system.state, 'before.deb')));
    assert.equal(existsSync(join(system.state, 'next.deb')), false);
    assert.doesNotMatch(system.log, /systemctl restart/);
  });

  test('should keep the version before with its scripts, links, modes and what an administrator changed', async () => {
    await using system = new SmallSystem();
    writeFileSync(join(system.root, 'etc/faceplate/kept'), 'changed by hand');
    rmSync(join(system.root, 'etc/faceplate/removed'));
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(system.isProving);
    system.ends(3);
    assert.equal(await ended, 0);
    assert.equal(system.installed, '1.0.0');
    const program = join(system.root, 'usr/lib/faceplate/bin');
    assert.equal(statSync(join(program, 'node')).mode & 0o777, 0o755);
    assert.equal(readFileSync(join(program, 'link'), 'utf8'), 'node');
    assert.equal(readFileSync(join(system.root, 'etc/faceplate/kept'), 'utf8'), 'changed by hand');
    assert.ok(existsSync(join(system.root, 'var/lib/dpkg/info/faceplate.postinst')));
    const status = readFileSync(join(system.root, 'var/lib/dpkg/status'), 'utf8');
    assert.match(status, /Status: install ok installed/);
    assert.match(status, /^ more of it$/m);
  });

  test('should go back when the service ended by itself three times, and say why', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(system.isProving);
    system.ends(2);
    await until(() => system.log.split('NRestarts').length > 5);
    assert.equal(system.installed, '1.1.0');
    system.ends(3);
    assert.equal(await ended, 0);
    assert.equal(system.installed, '1.0.0');
    assert.equal(system.read('taken-back'), 'The service ended by itself three times.');
    assert.match(system.log, /back\.deb/);
    for (const left of ['step', 'next.deb', 'before.deb', 'back.deb', 'before', 'kept', 'boots'])
      assert.equal(system.read(left), undefined, left);
  });

  test('should go back when nobody said that it is good', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    assert.equal(await system.run(1), 0);
    assert.equal(system.installed, '1.0.0');
    assert.match(system.read('taken-back') ?? '', /within 15 minutes/);
  });

  test('should go back when it cannot be installed', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    writeFileSync(join(system.folder, 'apt-fails'), '');
    assert.equal(await system.run(), 0);
    assert.equal(system.installed, '1.0.0');
    assert.equal(system.read('taken-back'), 'The installer failed.');
  });

  test('should name no version before from the moment on that the service starts again', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(system.isProving);
    const seen = join(system.folder, 'seen');
    system.onApt(`ls ${system.state} >${seen}`);
    system.begin('back');
    assert.equal(await ended, 0);
    assert.doesNotMatch(readFileSync(seen, 'utf8'), /^before/m);
    assert.match(readFileSync(seen, 'utf8'), /^back\.deb$/m);
  });

  test('should go back when the service asks for it, without a reason of its own', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(system.isProving);
    system.begin('back');
    assert.equal(await ended, 0);
    assert.equal(system.installed, '1.0.0');
    assert.equal(system.read('taken-back'), undefined);
  });

  test('should go on after power cuts, and go back after the third that cut a proof', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    for (let boot = 1; boot <= 3; boot++) {
      const ended = system.run();
      await until(() => system.isProving() && system.read('boots') === String(boot));
      await system.cut();
      assert.equal(await ended, null);
      assert.equal(system.installed, '1.1.0');
    }
    assert.equal(await system.run(), 0);
    assert.equal(system.installed, '1.0.0');
    assert.match(system.read('taken-back') ?? '', /cut off three times/);
    // Once more: nothing is left to be done.
    assert.equal(await system.run(), 0);
    assert.equal(system.installed, '1.0.0');
  });

  test('should keep the right version when the power goes while it installs', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    const ended = system.run();
    await until(() => system.log.includes('next.deb'));
    await system.cut();
    await ended;
    const again = system.run();
    await until(system.isProving);
    assert.equal(system.installed, '1.1.0');
    assert.equal(system.read('before'), '1.0.0');
    writeFileSync(join(system.state, 'good'), '');
    assert.equal(await again, 0);
  });

  test('should change nothing where the version that runs cannot be kept', async () => {
    await using system = new SmallSystem();
    system.begin('install', system.package('1.1.0'));
    writeFileSync(join(system.root, 'var/lib/dpkg/status'), '');
    assert.equal(await system.run(), 1);
    assert.equal(system.installed, '1.0.0');
    assert.match(system.read('taken-back') ?? '', /could not be kept/);
    assert.equal(system.read('step'), undefined);
    assert.match(system.log, /systemctl restart/);
  });
});
