import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';

/** Longest run of a command in milliseconds; then its process group is killed and the exit code is 124. */
export const TERMINAL_LIMIT_MS = 30_000;
/** Most bytes of each output stream in the answer. */
export const TERMINAL_STREAM_LIMIT = 1024 * 1024;

export const terminalCommands = {
  'terminal.exec': defineCommand({
    summary: 'Run a shell command on the panel and return what it printed.',
    access: { scope: 'terminal', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({ command: z.string().min(1).max(16_384) }),
    result: z.strictObject({
      command: z.string(),
      stdout: z.string(),
      stderr: z.string(),
      exitCode: z.int(),
      duration: z.string().regex(/^\d+ms$/),
      timedOut: z.boolean(),
      truncated: z.literal(true).optional().describe('present when a stream was longer than 1 MiB'),
    }),
    errors: ['FORBIDDEN', 'HARDWARE_ERROR'],
    timeoutMs: TERMINAL_LIMIT_MS + 5_000,
    http: { method: 'POST', path: '/api/remote/terminal/exec' },
  }),
};
