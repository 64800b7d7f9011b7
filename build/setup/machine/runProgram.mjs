// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { onSignal } from './onSignal.mjs';

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
    /** @type {NodeJS.Signals[]} */
    const passed = ['SIGINT', 'SIGTERM'];
    const stops = passed.map((signal) => onSignal([signal], () => child.kill(signal)));
    const hangUp = () => child.kill('SIGTERM');
    process.on('SIGHUP', hangUp);
    const finish = () => {
      for (const stop of stops) stop();
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
