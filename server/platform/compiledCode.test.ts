import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

describe('compiled code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-compiled-'));
  after(() => rmSync(folder, { recursive: true }));

  /** Runs a program that is killed, as by a loss of power. @returns what it says before */
  async function run(cache: string | undefined, passed: boolean): Promise<string> {
    const script = `
      import { keepCompiledCode } from ${JSON.stringify(join(import.meta.dirname, 'compiledCode.ts'))};
      let due = () => {};
      keepCompiledCode({ now: () => 0, after: (milliseconds, run) => { due = run; return () => {}; } });
      if (${passed}) due();
      console.log(process.env.NODE_COMPILE_CACHE);
      setInterval(() => {}, 1_000);`;
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, ...(cache && { NODE_COMPILE_CACHE: cache }) },
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    return String(said).trim();
  }

  const kept = (cache: string) =>
    readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

  it('should be on the disk some seconds after the start, also when the power goes then', async () => {
    const early = join(folder, 'early');
    await run(early, false);
    assert.equal(kept(early), 0);
    const late = join(folder, 'late');
    await run(late, true);
    assert.ok(kept(late) > 0);
  });

  it('should not be told to the programs that the service starts', async () => {
    assert.equal(await run(join(folder, 'own'), true), 'undefined');
  });

  it('should need no folder', async () => {
    assert.equal(await run(undefined, true), 'undefined');
  });
});
