import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';

/** With a secret in quotes, in an address, and alone. */
const WITH_SECRETS = `new Error('no camera rtsp://user:hunter2@10.0.0.1/x with kx83hs73hs92hs62hd81 for "hunter3"')`;

describe('a service with an uncaught error', () => {
  let dataDir: string;
  let crashes: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'faceplate-crash-'));
    chmodSync(dataDir, 0o711);
    crashes = join(dataDir, 'crashes');
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const endedBy = async (statement: string) => {
    // Loaded before the service: throws what the test wants on a signal.
    const fault = join(dataDir, 'fault.mjs');
    writeFileSync(fault, `process.on('SIGUSR2', () => { ${statement} });`);
    const service = new FaceplateProcess({
      dataDir,
      args: ['--host', 'none'],
      env: { NODE_OPTIONS: `--import=${fault}` },
    });
    await service.start();
    process.kill(service.pid!, 'SIGUSR2');
    const ended = await service.ended();
    return { ...ended, output: service.output };
  };

  for (const [kind, statement] of [
    ['uncaughtException', `setTimeout(function guilty() { throw ${WITH_SECRETS}; })`],
    ['unhandledRejection', `(async function guilty() { throw ${WITH_SECRETS}; })()`],
  ] as const)
    test(`security: should end with status 1, a log line and a crash file without secrets: ${kind}`, async () => {
      const { code, output } = await endedBy(statement);
      assert.equal(code, 1, output);
      const [name = ''] = readdirSync(crashes);
      const text = readFileSync(join(crashes, name), 'utf8');
      const facts = JSON.parse(text);
      assert.equal(facts.kind, kind);
      assert.equal(facts.error, 'Error');
      assert.equal(facts.message, 'no camera (address) with (word) for ');
      assert.match(facts.frames[0], /^at .*guilty/);
      assert.match(output, /"level":"fatal".*"kind":"u/);
      for (const told of [text, output]) assert.doesNotMatch(told, /hunter|kx83hs/);
      assert.equal(statSync(join(crashes, name)).mode & 0o777, 0o600);
      assert.equal(statSync(crashes).mode & 0o777, 0o700);
    });

  test('security: should keep ten crash files, the newest', async () => {
    mkdirSync(crashes);
    for (let day = 10; day < 25; day++)
      writeFileSync(join(crashes, `crash-2020-01-${day}T00-00-00-000Z.json`), '{}');
    writeFileSync(join(crashes, 'other.txt'), '');
    assert.equal((await endedBy('setTimeout(() => { throw 1 })')).code, 1);
    const names = readdirSync(crashes).sort();
    assert.equal(names.length, 11);
    assert.equal(names[0], 'crash-2020-01-16T00-00-00-000Z.json');
    assert.match(names[9]!, /^crash-20(2[1-9]|[3-9]\d)/);
  });

  test('security: should end even when no crash file can be written', async () => {
    writeFileSync(crashes, 'a file where the folder would be');
    const { code, output } = await endedBy('setTimeout(() => { throw new TypeError() })');
    assert.equal(code, 1);
    assert.match(output, /"error":"TypeError"/);
    assert.match(output, /could not write a crash file/);
  });
});
