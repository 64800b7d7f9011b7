import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What pip prints when it cannot reach the packages. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|ConnectTimeoutError|Failed to establish a new connection|Network is unreachable/;

/** Runs a program to its end, in a folder of the test, where it may leave any files. */
export async function runProgram(
  cwd: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, output: out + err };
}

/**
 * Makes a Python environment with these packages below a folder, which is made too.
 * @param without what is not tried when pip has no network; said on standard error
 * @returns the folder of its programs; undefined without a network
 */
export async function pythonWith(
  folder: string,
  packages: readonly string[],
  without: string,
): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const bin = join(folder, 'venv/bin');
  const made = await runProgram(folder, 'python3', ['-m', 'venv', 'venv']);
  assert.equal(made.code, 0, made.output);
  const pip = ['install', '--disable-pip-version-check', '--quiet', ...packages];
  const installed = await runProgram(folder, join(bin, 'pip'), pip);
  if (installed.code !== 0 && NO_NETWORK.test(installed.output)) {
    process.stderr.write(`SKIPPED: pip cannot be reached, so ${without}.\n`);
    return undefined;
  }
  assert.equal(installed.code, 0, installed.output);
  return bin;
}
