import { createInterface } from 'node:readline';
import { runCommandLine } from './commandLine.ts';
import { plain } from './terminal.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupted.abort(new Error(`ended by ${signal}`)));
// A reader that has enough, such as head, is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const exit = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (line) => void process.stderr.write(`${plain(line)}\n`),
  readLine,
  env: process.env,
  signal: interrupted.signal,
});
process.exitCode = exit;
// Nothing that is still open may hold the program: what follows has ended.
process.stdout.write('', () => process.exit());

async function readLine(question: string): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  if (process.stdin.isTTY) process.stderr.write(question);
  for await (const line of reader) {
    reader.close();
    return line;
  }
  return undefined;
}
