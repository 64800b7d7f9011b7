// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** The same signal within this time, in milliseconds, counts once: a terminal and npm both pass on Ctrl+C. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a program in our place: it has our terminal, gets our signals, and its exit status is ours.
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>} exit status; 128 + number for a program that a signal killed
 */
export function runProgram(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', ...options });
    let last = { signal: '', at: 0 };
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      const now = Date.now();
      if (last.signal !== signal || now - last.at > SAME_SIGNAL_MS) child.kill(signal);
      last = { signal, at: now };
    };
    /** @type {NodeJS.Signals[]} */
    const passed = ['SIGINT', 'SIGTERM'];
    const hangUp = () => child.kill('SIGTERM');
    for (const signal of passed) process.on(signal, pass);
    process.on('SIGHUP', hangUp);
    const finish = () => {
      for (const signal of passed) process.off(signal, pass);
      process.off('SIGHUP', hangUp);
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      finish();
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}
