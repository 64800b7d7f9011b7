import type { FileHandle } from 'node:fs/promises';

/** Bytes of a file that say what it is. */
const HEAD_BYTES = 512;
/** Bytes of the header of an ID3v2 tag, which precedes the sound of an MP3 file. */
const TAG_HEADER = 10;
/** Tags that are passed over. */
const MOST_TAGS = 8;

/** The kinds of sounds that are played, by what the first bytes of such a file hold. */
const HEADS = {
  wav: /^RIFF.{4}WAVE/s,
  opus: /^OggS.*OpusHead/s,
  vorbis: /^OggS.*vorbis/s,
  flac: /^fLaC/,
  // The frame header of MPEG audio, layer 3 or 2.
  mpeg: /^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/,
} as const;

export type SoundKind = keyof typeof HEADS;

export const soundKinds = Object.keys(HEADS) as readonly SoundKind[];

/** The sound in a file: its kind, and the bytes that are decoded. */
export interface SoundInFile {
  readonly kind: SoundKind;
  readonly start: number;
  readonly size: number;
}

/**
 * Finds the sound in a file by its first bytes. The tags before an MP3 are passed over here, so that nothing that
 * decodes has to read them.
 * @returns undefined when it is no sound that can be played
 */
export async function findSound(file: FileHandle): Promise<SoundInFile | undefined> {
  const { size } = await file.stat();
  let start = 0;
  for (let tag = 0; tag <= MOST_TAGS; tag++) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, start);
    const head = buffer.subarray(0, bytesRead);
    const skipped = tagBytes(head);
    if (skipped === 0) {
      const text = head.toString('latin1');
      // What follows a tag may begin with filling; the parser looks for the first frame.
      const kind = tag > 0 ? 'mpeg' : soundKinds.find((name) => HEADS[name].test(text));
      return kind && bytesRead > 0 ? { kind, start, size: size - start } : undefined;
    }
    start += skipped;
  }
  return undefined;
}

/** The length of the ID3v2 tag that begins here (id3.org, ID3v2.4, section 3.1); 0 without one. */
function tagBytes(head: Buffer): number {
  if (head.length < TAG_HEADER || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Four numbers of 7 bits.
  const size = head.subarray(6, 10).reduce((sum, byte) => (sum << 7) | (byte & 0x7f), 0);
  const hasFooter = (head[5]! & 0x10) !== 0;
  return TAG_HEADER + size + (hasFooter ? TAG_HEADER : 0);
}
