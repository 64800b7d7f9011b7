import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Clock } from '../../platform/clock.ts';
import { type Clip, ClipPlayer, parseClip } from './clip.ts';

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

/** Time that only the test moves. */
class ManualClock implements Clock {
  #now = 1_000;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get pending(): number {
    return this.#timers.length;
  }

  /** Lets `ms` pass at once, as when the machine slept, then runs what has become due. */
  jump(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter((timer) => timer.at <= this.#now);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#now);
    for (const timer of due) timer.run();
  }
}

const nal = (value: number) => Buffer.from([value, value]);
/** Four pictures of 100 ms, every second one a key frame. */
const clip: Clip = {
  sps: nal(0x67),
  pps: nal(0x68),
  frames: [10, 11, 12, 13].map((value, index) => ({ nals: [nal(value)], isKey: index % 2 === 0 })),
};

function newPlayer() {
  const clock = new ManualClock();
  const sink = {
    sent: [] as { number: number; nals: number[] }[],
    full: false,
    send(nals: readonly Buffer[], number: number) {
      this.sent.push({ number, nals: nals.map((unit) => unit[0]!) });
    },
    isFull() {
      return this.full;
    },
  };
  return {
    clock,
    sink,
    player: new ClipPlayer(clip, 10, sink, clock),
    numbers: () => sink.sent.map((s) => s.number),
  };
}

describe('ClipPlayer', () => {
  it('should send the first picture at once and each other one when it is due', () => {
    const { clock, player, numbers } = newPlayer();
    player.start();
    assert.deepEqual(numbers(), [0]);
    clock.jump(99);
    assert.deepEqual(numbers(), [0]);
    clock.jump(1);
    assert.deepEqual(numbers(), [0, 1]);
    clock.jump(250);
    assert.deepEqual(numbers(), [0, 1, 2, 3], 'a late timer catches up');
    clock.jump(50);
    assert.deepEqual(numbers(), [0, 1, 2, 3, 4], 'and does not shift what follows');
  });

  it('should count on over the loop, and put the parameter sets before every key frame', () => {
    const { clock, player, sink } = newPlayer();
    player.start();
    for (let i = 0; i < 5; i++) clock.jump(100);
    assert.deepEqual(sink.sent, [
      { number: 0, nals: [0x67, 0x68, 10] },
      { number: 1, nals: [11] },
      { number: 2, nals: [0x67, 0x68, 12] },
      { number: 3, nals: [13] },
      { number: 4, nals: [0x67, 0x68, 10] },
      { number: 5, nals: [11] },
    ]);
  });

  it('should skip pictures for a slow receiver and continue with a key frame', () => {
    const { clock, player, sink, numbers } = newPlayer();
    player.start();
    sink.full = true;
    clock.jump(100);
    clock.jump(100);
    sink.full = false;
    clock.jump(100);
    clock.jump(100);
    clock.jump(100);
    assert.deepEqual(numbers(), [0, 4, 5]);
  });

  it('should not send pictures from the time when the machine slept', () => {
    const { clock, player, numbers } = newPlayer();
    player.start();
    clock.jump(60_050);
    assert.equal(numbers()[1], 592, 'the first key frame that is at most a second late');
    assert.equal(numbers().at(-1), 600);
  });

  it('should hold no timer once it is stopped, even when the receiver stops it', () => {
    const { clock, player, sink, numbers } = newPlayer();
    player.start();
    player.stop();
    player.stop();
    assert.equal(clock.pending, 0);
    sink.send = () => player.stop();
    player.start();
    assert.equal(clock.pending, 0);
    assert.deepEqual(numbers(), [0]);
  });
});
