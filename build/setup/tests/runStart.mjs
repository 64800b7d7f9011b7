import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** For tests: runs the `npm start` of a project to its end, with nothing of this environment but PATH. */
export async function runStart({ project, flags = [], args, env = {} }) {
  const child = spawn(process.execPath, [...flags, join(project, 'build/setup/start.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: project, ...env },
  });
  const [out, messages, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { out: out.trim(), messages, code, pid: child.pid };
}
