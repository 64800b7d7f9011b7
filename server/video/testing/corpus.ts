import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Inputs for parsers: answers of cameras, their descriptions, and datagrams of both sides. */
export type CorpusKind = 'rtsp' | 'sdp' | 'rtp' | 'stun' | 'rtcp' | 'srtcp';

interface CorpusEntry {
  /** Why the input is here. */
  readonly about: string;
  /** Whether a parser accepts it completely. */
  readonly isTaken: boolean;
  readonly data: Buffer;
}

/**
 * Recorded messages, and interesting mutations of them. A line is `taken` or `refused` and the message, in hex or as a
 * JSON string; the comment above it says what it is.
 */
export function corpusOf(kind: CorpusKind): CorpusEntry[] {
  const entries: CorpusEntry[] = [];
  let about = '';
  for (const line of readFileSync(join(import.meta.dirname, 'corpus', `${kind}.txt`), 'utf8').split('\n')) {
    if (line.startsWith('# ')) about = line.slice(2);
    const [, verdict, text] = /^(taken|refused) (.*)$/.exec(line) ?? [];
    if (text === undefined) continue;
    const data = text.startsWith('"') ? Buffer.from(JSON.parse(text), 'latin1') : Buffer.from(text, 'hex');
    entries.push({ about, isTaken: verdict === 'taken', data });
  }
  return entries;
}
