import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parseClip } from './clip.ts';

const demo = new URL('./demo.h264', import.meta.url);

const SPS = [0x67, 0x42, 0xc0, 0x1f];
const PPS = [0x68, 0xce];
const IDR = [0x65, 0x88];
const SLICE = [0x41, 0x9a];
const SECOND_SLICE = [0x41, 0x1a];
const DELIMITER = [0x09, 0xf0];

function stream(...nals: number[][]): Buffer {
  return Buffer.from(nals.flatMap((nal) => [0, 0, 0, 1, ...nal]));
}

describe('the demo clip', () => {
  it('should be 10 s long at 25 frames a second with a key frame every second', async () => {
    const { frames } = parseClip(await readFile(demo));
    assert.equal(frames.length, 250);
    const keys = frames.flatMap((frame, index) => (frame.isKey ? [index] : []));
    assert.deepEqual(keys, [0, 25, 50, 75, 100, 125, 150, 175, 200, 225]);
  });

  it('should be constrained baseline, level 3.1, which every browser decodes', async () => {
    const { sps } = parseClip(await readFile(demo));
    assert.equal(sps.toString('hex', 1, 4), '42c01f');
  });

  it('should stay below 500 kB', async () => {
    assert.ok((await stat(demo)).size < 500_000);
  });
});

describe('parseClip', () => {
  it('should remove parameter sets and delimiters, and keep the slices of a picture together', () => {
    const clip = parseClip(stream(DELIMITER, SPS, PPS, IDR, DELIMITER, SLICE, SECOND_SLICE));
    assert.deepEqual([...clip.sps], SPS);
    assert.deepEqual([...clip.pps], PPS);
    assert.deepEqual(
      clip.frames.map(({ nals, isKey }) => ({ nals: nals.map((nal) => [...nal]), isKey })),
      [
        { nals: [IDR], isKey: true },
        { nals: [SLICE, SECOND_SLICE], isKey: false },
      ],
    );
  });

  it('should refuse bytes that a decoder cannot begin with', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no video'), stream(SPS, PPS, SLICE), stream(IDR)]) {
      assert.throws(() => parseClip(bytes), /no H\.264 byte stream/);
    }
  });
});
