import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { runProgram } from '../../server/testing/python.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';

const root = join(import.meta.dirname, '../..');
const DESCRIPTION = join(root, 'docs/openapi.json');
/** What npm prints when it cannot reach the packages. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|Network is unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/;

let folder = '';
before(async () => {
  folder = temporaryFolder('openapi');
  await copyFile(DESCRIPTION, join(folder, 'openapi.json'));
});

/** Runs a program in the folder of the test. @returns undefined where its packages cannot be fetched */
async function run(context: TestContext, program: string, ...args: string[]) {
  // What programs leave in the folder for temporary files goes with this one.
  const done = await runProgram(folder, program, args, { ...process.env, TMPDIR: folder });
  if (done.code === 0 || !NO_NETWORK.test(done.output)) return done;
  context.skip('the packages cannot be reached');
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
    assert.equal(done.code, 0, done.output);
    assert.deepEqual(JSON.parse(done.out), []);
  });
});

/** A panel with the simulated board, until the end of the block. */
async function startPanel() {
  const service = new FaceplateProcess({ args: ['--board', 'simulated'] });
  await service.start();
  return {
    url: await service.url,
    token: await service.token(),
    [Symbol.asyncDispose]: async () => void (await service.stop()),
  };
}

/** Checks the types of `call.ts`, and runs it. @returns what it printed */
async function compiled(context: TestContext): Promise<string | undefined> {
  const bin = join(root, 'node_modules/.bin');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext', '--types', ''];
  const module = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'esnext,dom,dom.iterable'];
  const checked = await run(context, join(bin, 'tsc'), ...options, ...module, 'call.ts');
  assert.equal(checked?.code, 0, checked?.out);
  const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=call.mjs', '--log-level=error'];
  const built = await run(context, join(bin, 'esbuild'), 'call.ts', ...bundle);
  assert.equal(built?.code, 0, built?.output);
  const done = await run(context, process.execPath, 'call.mjs');
  assert.equal(done?.code, 0, done?.output);
  return done?.out;
}

const LED = '{"on":true,';

/** Lets npx make a client, and calls a panel with it by a program in `call.ts`. */
async function callWith(
  context: TestContext,
  generator: readonly string[],
  program: (panel: { readonly url: string; readonly token: string }) => string,
): Promise<void> {
  const made = await run(context, 'npx', '--yes', ...generator);
  if (made === undefined) return;
  assert.equal(made.code, 0, made.output);
  await using panel = await startPanel();
  await writeFile(join(folder, 'call.ts'), program(panel));
  assert.ok((await compiled(context))?.startsWith(LED));
}

describe('clients made of docs/openapi.json', () => {
  it('should compile and call, by openapi-typescript', (context) =>
    callWith(
      context,
      ['openapi-typescript@7.13.0', 'openapi.json', '-o', 'types.ts'],
      ({ url, token }) => `import type { paths } from './types';
type Led = paths['/api/remote/led/on']['post'];
const body: Led['requestBody']['content']['application/json'] = { on: true };
const answer = await fetch('${url}/api/remote/led/on', {
  method: 'POST',
  headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const led: Led['responses'][200]['content']['application/json'] = await answer.json();
console.log(JSON.stringify(led.state));
`,
    ));

  it('should compile and call, by hey-api', (context) => {
    const packages = ['-p', 'typescript@5.9.3', '-p', '@hey-api/openapi-ts@0.99.0'];
    return callWith(
      context,
      [...packages, 'openapi-ts', '-i', 'openapi.json', '-o', 'hey'],
      ({ url, token }) => `import { client } from './hey/client.gen';
import { ledOn } from './hey';
client.setConfig({ baseUrl: '${url}', auth: '${token}' });
const { data } = await ledOn({ body: { on: true }, throwOnError: true });
console.log(JSON.stringify(data.state));
`,
    );
  });

  it('should be made and call, by openapi-python-client', async (context) => {
    assert.equal((await run(context, 'python3', '-m', 'venv', 'venv'))?.code, 0);
    const pip = ['install', '-q', '--disable-pip-version-check', 'openapi-python-client==0.29.1'];
    if ((await run(context, 'venv/bin/pip', ...pip)) === undefined) return;
    const args = ['generate', '--path', 'openapi.json', '--output-path', 'py', '--meta', 'none'];
    const made = await run(context, 'venv/bin/openapi-python-client', ...args);
    assert.doesNotMatch(made?.output ?? '', /validation error/);
    await using panel = await startPanel();
    await writeFile(
      join(folder, 'call.py'),
      `from py import AuthenticatedClient
from py.api.led import led_state
client = AuthenticatedClient(base_url="${panel.url}", token="${panel.token}")
print(led_state.sync_detailed(client=client).parsed.to_dict())
`,
    );
    const done = await run(context, 'venv/bin/python', 'call.py');
    assert.equal(done?.code, 0, done?.output);
    assert.match(done!.out, /'on': (?:True|False)/);
  });
});
