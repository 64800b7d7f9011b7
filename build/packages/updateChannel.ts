import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface Entry {
  readonly version: string;
  readonly boards: readonly string[];
  readonly url: string;
  readonly sha256: string;
  readonly size: number;
}

/** Puts a file into `channel.json` beside it, which panels read (`update.channel`). Removes the entries of missing files. */
export async function addToChannel(
  file: string,
  { version, board }: { version: string; board: string },
): Promise<void> {
  const folder = dirname(file);
  const url = basename(file);
  const others = channelOf(folder).filter(
    (entry) => entry.url !== url && existsSync(join(folder, entry.url)),
  );
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sha256 = hash.digest('hex');
  const entry: Entry = { version, boards: [board], url, sha256, size: statSync(file).size };
  const list = [...others, entry].sort((a, b) => (a.url < b.url ? -1 : 1));
  writeFileSync(join(folder, 'channel.json.new'), `${JSON.stringify(list, null, 2)}\n`);
  renameSync(join(folder, 'channel.json.new'), join(folder, 'channel.json'));
}

function channelOf(folder: string): Entry[] {
  const path = join(folder, 'channel.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Entry[]) : [];
}
