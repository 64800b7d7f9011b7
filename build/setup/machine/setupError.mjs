import { join } from 'node:path';

/** A reason to stop that the person at the keyboard can fix: printed without a stack. */
export class SetupError extends Error {}

/**
 * Runs a setup program: a SetupError becomes one message and exit status 1.
 * @param {() => Promise<number>} program resolves with the exit status
 */
export async function runSetup(program) {
  try {
    process.exitCode = await program();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Prints one line of progress. To standard error: standard output holds only the program's own lines. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * The environment for programs of this project: `node` and the packages' programs are found first.
 * @param {string} root
 */
export function environmentFor(root) {
  return { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
}
