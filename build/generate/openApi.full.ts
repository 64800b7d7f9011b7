import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';

const DESCRIPTION = join(import.meta.dirname, '../../docs/openapi.json');
/** What npm prints when it cannot reach the packages. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faceplate-openapi-'));
  await copyFile(DESCRIPTION, join(folder, 'openapi.json'));
});
after(() => rm(folder, { recursive: true }));

/** Runs a program in the folder of the test. @returns undefined where its packages cannot be fetched */
async function run(context: TestContext, program: string, ...args: string[]) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const [out, messages, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0 || !NO_NETWORK.test(messages)) return { code, out, messages };
  context.skip('npm has no network');
  return undefined;
}

describe('docs/openapi.json', () => {
  it('should have no error and no warning by the recommended rules of redocly', async (context) => {
    const args = ['lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'];
    const done = await run(context, 'npx', '--yes', '@redocly/cli@2.77.0', ...args);
    if (done === undefined) return;
    const { totals, problems } = JSON.parse(done.out);
    assert.deepEqual([totals.errors, totals.warnings], [0, 0], JSON.stringify(problems, null, 1));
  });

  it('should have no error and no warning by spectral:oas', async (context) => {
    await writeFile(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}');
    const args = ['lint', 'openapi.json', '-r', '.spectral.json', '-f', 'json', '-q'];
    const spectral = ['--yes', '-p', '@stoplight/spectral-cli@6.16.3', 'spectral'];
    const done = await run(context, 'npx', ...spectral, ...args);
    if (done === undefined) return;
    assert.equal(done.code, 0, done.out + done.messages);
    assert.deepEqual(JSON.parse(done.out), []);
  });
});
