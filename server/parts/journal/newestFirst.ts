import type { JournalEntry } from './contract.ts';
import { timeOfLine } from './journalFiles.ts';

/** Batches of lines, from the newest to the oldest. */
type Batches = AsyncGenerator<readonly string[]>;

/** The entries of two journals by their time, older than `before`; each is read only as far as it is asked to. */
export async function* newestFirst(one: Batches, other: Batches, before?: string): AsyncGenerator<string> {
  const [first, second] = [entries(one, before), entries(other, before)];
  try {
    let [a, b] = await Promise.all([first.next(), second.next()]);
    while (!a.done || !b.done) {
      if (b.done || (!a.done && timeOfLine(a.value) > timeOfLine(b.value))) {
        yield a.value as string;
        a = await first.next();
      } else {
        yield b.value;
        b = await second.next();
      }
    }
  } finally {
    await Promise.all([first.return(undefined), second.return(undefined)]);
  }
}

/** Whole ones only: a damaged disk must not hide the rest. */
async function* entries(batches: Batches, before: string | undefined): AsyncGenerator<string> {
  for await (const lines of batches) {
    for (const line of lines) {
      if ((before === undefined || timeOfLine(line) < before) && isEntry(line)) yield line;
    }
  }
}

function isEntry(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as Partial<JournalEntry>).time === 'string';
  } catch {
    return false;
  }
}
