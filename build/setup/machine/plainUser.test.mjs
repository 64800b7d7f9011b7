import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { copyCheckout, plainUser, withoutSession } from './plainUser.mjs';
import { SetupError } from './setupError.mjs';

// Only root may give files away; without root the copy is our own.
const user = process.getuid() === 0 ? plainUser() : { uid: process.getuid(), gid: process.getgid() };

describe('the copy of a checkout for a plain user', () => {
  let scratch;
  let root;
  let copy;

  before(() => {
    scratch = temporaryFolder('copy');
    [root, copy] = [join(scratch, 'root'), join(scratch, 'copy')];
    const write = (file, mode) => {
      mkdirSync(join(root, file, '..'), { recursive: true });
      writeFileSync(join(root, file), file);
      chmodSync(join(root, file), mode);
    };
    write('build/tool.sh', 0o700);
    write('gone', 0o600);
    execFileSync('git', ['init', '-q', root]);
    execFileSync('git', ['-C', root, 'add', '.']);
    rmSync(join(root, 'gone'));
    write('.gitignore', 0o600);
    writeFileSync(join(root, '.gitignore'), 'node_modules\n*.log\n');
    write('new file', 0o600);
    write('a.log', 0o600);
    symlinkSync('build/tool.sh', join(root, 'link'));
    write('node_modules/p/for all.js', 0o644);
    write('node_modules/p/program', 0o755);
    write('node_modules/p/private', 0o700);
    chmodSync(join(root, 'node_modules/p'), 0o700);
    write('node_modules/.cache/x', 0o600);
    symlinkSync('../p/program', join(root, 'node_modules/link'));
    copyCheckout(root, copy, user);
  });

  it('should have what git knows or would take, for that user', () => {
    for (const file of ['build', 'build/tool.sh', 'new file', '.gitignore']) {
      assert.equal(statSync(join(copy, file)).uid, user.uid, file);
    }
    assert.equal(statSync(join(copy, 'build/tool.sh')).mode & 0o777, 0o700);
    assert.equal(readlinkSync(join(copy, 'link')), 'build/tool.sh');
    for (const file of ['gone', 'a.log', '.git']) assert.equal(existsSync(join(copy, file)), false, file);
  });

  it('should have the packages as links that all can read, and that stay those of who installed them', () => {
    const inode = (path) => statSync(path).ino;
    for (const file of ['for all.js', 'program']) {
      const [from, to] = [join(root, 'node_modules/p', file), join(copy, 'node_modules/p', file)];
      assert.equal(inode(to), inode(from), file);
      assert.equal(statSync(to).uid, process.getuid(), file);
    }
    const own = join(copy, 'node_modules/p/private');
    assert.notEqual(inode(own), inode(join(root, 'node_modules/p/private')));
    assert.equal(statSync(own).mode & 0o777, 0o755);
    assert.equal(readFileSync(own, 'utf8'), 'node_modules/p/private');
    assert.equal(statSync(join(copy, 'node_modules/p')).mode & 0o777, 0o755);
    assert.equal(readlinkSync(join(copy, 'node_modules/link')), '../p/program');
    assert.equal(existsSync(join(copy, 'node_modules/.cache')), false);
  });

  it('should say in one sentence that it needs git', () => {
    const bare = mkdtempSync(join(scratch, 'bare-'));
    assert.throws(
      () => copyCheckout(bare, join(scratch, 'other'), user),
      (error) =>
        error instanceof SetupError && /git cannot list its files .*not a git repository/.test(error.message),
    );
  });

  it('should have an environment without the session and the npm of its caller', () => {
    const env = { PATH: '/bin', LANG: 'C', npm_config_cache: 'a folder', XDG_RUNTIME_DIR: '/run/user/0' };
    assert.deepEqual(withoutSession({ ...env, WAYLAND_DISPLAY: 'wayland-0', XAUTHORITY: 'a file' }), {
      PATH: '/bin',
      LANG: 'C',
    });
  });
});
