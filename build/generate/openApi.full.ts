import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';

const root = join(import.meta.dirname, '../..');
const DESCRIPTION = join(root, 'docs/openapi.json');
/** What npm prints when it cannot reach the packages. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|Network is unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faceplate-openapi-'));
  await copyFile(DESCRIPTION, join(folder, 'openapi.json'));
});
after(() => rm(folder, { recursive: true }));

/** Runs a program in the folder of the test. @returns undefined where its packages cannot be fetched */
async function run(context: TestContext, program: string, ...args: string[]) {
  // What programs leave in the folder for temporary files goes with this one.
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const [out, messages, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0 || !NO_NETWORK.test(messages)) return { code, out, messages };
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
    assert.equal(done.code, 0, done.out + done.messages);
    assert.deepEqual(JSON.parse(done.out), []);
  });
});

/** A panel with the simulated board, until the end of the block. */
async function startPanel() {
  const dataDir = join(folder, 'data');
  const flags = ['--host', 'none', '--board', 'simulated', '--http.port', '0', '--dataDir', dataDir];
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'server/main.ts'), ...flags];
  // Variables of the tests are no settings.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('FACEPLATE_')),
  );
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(said)));
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const ready = /^faceplate ready (\S+)/m.exec(said)?.[1];
      if (ready !== undefined) resolve(new URL(ready).origin);
    });
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    url,
    token: (await readFile(join(dataDir, 'token'), 'utf8')).trim(),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      await rm(dataDir, { recursive: true });
    },
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
  assert.equal(built?.code, 0, built?.messages);
  const done = await run(context, process.execPath, 'call.mjs');
  assert.equal(done?.code, 0, done?.messages);
  return done?.out;
}

const LED = '{"on":true,';

describe('clients made of docs/openapi.json', () => {
  it('should compile and call, by openapi-typescript', async (context) => {
    const made = await run(
      context,
      'npx',
      '--yes',
      'openapi-typescript@7.13.0',
      'openapi.json',
      '-o',
      'types.ts',
    );
    if (made === undefined) return;
    assert.equal(made.code, 0, made.messages);
    await using panel = await startPanel();
    await writeFile(
      join(folder, 'call.ts'),
      `import type { paths } from './types';
type Led = paths['/api/remote/led/on']['post'];
const body: Led['requestBody']['content']['application/json'] = { on: true };
const answer = await fetch('${panel.url}/api/remote/led/on', {
  method: 'POST',
  headers: { authorization: 'Bearer ${panel.token}', 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const led: Led['responses'][200]['content']['application/json'] = await answer.json();
console.log(JSON.stringify(led.state));
`,
    );
    assert.ok((await compiled(context))?.startsWith(LED));
  });

  it('should compile and call, by hey-api', async (context) => {
    const packages = ['-p', 'typescript@5.9.3', '-p', '@hey-api/openapi-ts@0.99.0'];
    const made = await run(
      context,
      'npx',
      '--yes',
      ...packages,
      'openapi-ts',
      '-i',
      'openapi.json',
      '-o',
      'hey',
    );
    if (made === undefined) return;
    assert.equal(made.code, 0, made.messages);
    await using panel = await startPanel();
    await writeFile(
      join(folder, 'call.ts'),
      `import { client } from './hey/client.gen';
import { ledOn } from './hey';
client.setConfig({ baseUrl: '${panel.url}', auth: '${panel.token}' });
const { data } = await ledOn({ body: { on: true }, throwOnError: true });
console.log(JSON.stringify(data.state));
`,
    );
    assert.ok((await compiled(context))?.startsWith(LED));
  });

  it('should be made and call, by openapi-python-client', async (context) => {
    assert.equal((await run(context, 'python3', '-m', 'venv', 'venv'))?.code, 0);
    const pip = ['install', '-q', '--disable-pip-version-check', 'openapi-python-client==0.29.1'];
    if ((await run(context, 'venv/bin/pip', ...pip)) === undefined) return;
    const args = ['generate', '--path', 'openapi.json', '--output-path', 'py', '--meta', 'none'];
    const made = await run(context, 'venv/bin/openapi-python-client', ...args);
    assert.doesNotMatch(`${made?.out}${made?.messages}`, /validation error/);
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
    assert.equal(done?.code, 0, done?.messages);
    assert.match(done!.out, /'on': (?:True|False)/);
  });
});
