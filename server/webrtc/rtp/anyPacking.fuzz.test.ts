import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { annexB } from '../../video/testing/depacketize.ts';
import { type Sent, WatchedSource } from '../../video/testing/pictures.ts';
import { aggregate, isPps, isSps, splitByteStream, splitPayload } from './h264.ts';

const FRAME = 3_600;
const AUD = Buffer.from([9, 0xf0]);
const SEI = Buffer.from([6, 5, 1, 2, 0x80]);

const clip = splitByteStream(readFileSync(new URL('../../video/simulatedCamera/demo.h264', import.meta.url)));
const sps = clip.find(isSps)!;
const pps = clip.find(isPps)!;
/** The slices of the clip, a picture each, and slices behind the first that only look so. */
const slices = clip.filter((nal) => [1, 5].includes(nal[0]! & 31));
const laterSlice = (of: Buffer, length: number): Buffer =>
  Buffer.concat([Buffer.from([of[0]!, 0x53]), Buffer.alloc(length, 0x91)]);

/** How a camera packs a group of NAL units. */
type Packing =
  | 'single'
  | 'fragments'
  | 'lying'
  | 'startAndEnd'
  | 'aggregate'
  | 'stream'
  | 'streamInFragments';
const packings: readonly Packing[] = [
  'single',
  'fragments',
  'lying',
  'startAndEnd',
  'aggregate',
  'stream',
  'streamInFragments',
];

/** Fragments of `size` bytes, the start and the end in one where it is small, whose type is that of the first byte. */
function fragments(bytes: Buffer, size: number, liesBehind = false): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 1; at < bytes.length; at += size) {
    const type = liesBehind && at > 1 ? 9 : bytes[0]! & 31;
    const flags = (at === 1 ? 0x80 : 0) | (at + size >= bytes.length ? 0x40 : 0) | type;
    parts.push(Buffer.concat([Buffer.from([(bytes[0]! & 0x60) | 28, flags]), bytes.subarray(at, at + size)]));
  }
  return parts;
}

function pack(nals: readonly Buffer[], packing: Packing, size: number): Buffer[] {
  const isSmall = Buffer.concat(nals).length < 60_000;
  if (packing === 'aggregate' && isSmall) return [aggregate(nals)];
  const stream = annexB(nals);
  if (packing === 'stream' && isSmall) return [size % 2 === 0 ? stream : stream.subarray(4)];
  if (packing === 'streamInFragments') return fragments(size % 2 === 0 ? stream : stream.subarray(4), size);
  if (packing === 'lying') return nals.flatMap((nal) => fragments(nal, size, true));
  if (packing === 'startAndEnd') return nals.flatMap((nal) => fragments(nal, 60_000));
  if (packing === 'fragments') return nals.flatMap((nal) => splitPayload(nal, size + 2));
  return [...nals];
}

const camera = fc.record({
  marks: fc.constantFrom('right', 'never', 'packets', 'nals', 'sets'),
  sets: fc.constantFrom('each', 'before', 'own', 'described'),
  hasAud: fc.boolean(),
  hasSei: fc.boolean(),
  later: fc.nat(3),
  first: fc.nat(0xffffffff),
  pictures: fc.array(
    fc.record({
      groups: fc.integer({ min: 1, max: 4 }),
      packing: fc.constantFrom(...packings),
      size: fc.integer({ min: 20, max: 3_000 }),
    }),
    { minLength: 6, maxLength: 30 },
  ),
});

type Camera = typeof camera extends fc.Arbitrary<infer T> ? T : never;

/** The packets of each picture, and its slices. */
function packetsOf({ marks, sets, hasAud, hasSei, later, first, pictures }: Camera) {
  // A camera that marks within pictures is known by its first key frame, so that packs as the others do.
  const isEven = marks === 'packets' || marks === 'nals';
  return pictures.map((varied, index) => {
    const { packing, size } = isEven ? pictures[0]! : varied;
    const evenGroups = pictures[0]!.groups > 1 ? Number.POSITIVE_INFINITY : 1;
    const groups = isEven ? evenGroups : varied.groups;
    const timestamp = (first + index * FRAME) >>> 0;
    const slice = slices[index]!;
    const isKey = (slice[0]! & 31) === 5;
    const own = [slice, ...Array.from({ length: later }, (_, i) => laterSlice(slice, 5 + 700 * i))];
    const head = isKey && sets !== 'described' ? [sps, pps] : [];
    const isApart = sets === 'before' || sets === 'own';
    const nals = [...(hasAud ? [AUD] : []), ...(isApart ? [] : head), ...(hasSei ? [SEI] : []), ...own];
    const packets: Sent[] = [];
    const setsAt = sets === 'own' ? timestamp - 1_000 : timestamp - FRAME;
    if (isApart)
      for (const payload of head) packets.push({ timestamp: setsAt, payload, marker: marks !== 'never' });
    const step = Math.max(1, Math.ceil(nals.length / groups));
    for (let at = 0; at < nals.length; at += step) {
      const payloads = pack(nals.slice(at, at + step), packing, size);
      for (const [i, payload] of payloads.entries()) {
        const endsNals = i === payloads.length - 1;
        const isLast = endsNals && at + step >= nals.length;
        const marker =
          marks === 'packets' ||
          isLast ||
          (marks === 'nals' && endsNals) ||
          (marks === 'sets' && isSps(payload));
        packets.push({ timestamp, payload, marker: marks !== 'never' && marker });
      }
    }
    return { packets, slices: own, isKey };
  });
}

test('should make the same pictures of a clip, however a camera packs and marks it', async () => {
  await fc.assert(
    fc.asyncProperty(camera, async (made) => {
      const pictures = packetsOf(made);
      const watched = new WatchedSource(made.sets === 'described' ? [sps, pps] : []);
      for (const { packets } of pictures) {
        for (const packet of packets) watched.push(packet);
        watched.clock.stall(40);
      }
      await watched.clock.advance(100);
      const shown = watched.pictures;
      assert.equal(shown.length, pictures.length);
      for (const [i, { slices, isKey }] of pictures.entries()) {
        const { nals, markers, packets, timestamp, startsKeyFrame } = shown[i]!;
        const ofSlices = nals.filter((nal) => [1, 5].includes(nal[0]! & 31));
        assert.ok(
          ofSlices.length === slices.length && ofSlices.every((nal, n) => nal.equals(slices[n]!)),
          `picture ${i}`,
        );
        assert.equal(timestamp, (made.first + i * FRAME) >>> 0);
        assert.equal(startsKeyFrame, isKey);
        if (isKey)
          assert.deepEqual(
            nals.filter((nal) => isSps(nal) || isPps(nal)),
            [sps, pps],
          );
        const last = nals.at(-1)![0]! & 31;
        assert.ok(last !== 12 || made.marks === 'never' || i === 0, `filler behind picture ${i}`);
        assert.deepEqual(markers, [packets - 1], `markers of picture ${i}`);
      }
    }),
    { numRuns: 150 },
  );
});
