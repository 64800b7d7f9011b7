import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { annexB, numberedNal } from '../../video/testing/depacketize.ts';
import { FRAME, group, picture, play, WatchedSource } from '../../video/testing/pictures.ts';
import { aggregate, splitPayload } from './h264.ts';

const KEY = [SPS, PPS, idrSlice()];
/** A slice that is not the first of its picture: first_mb_in_slice is 1. */
const laterSlice = (header: number): Buffer => Buffer.from([header, 0x53, 0x80, 1, 2, 3]);
const fu = (indicator: number, header: number, ...body: number[]): Buffer =>
  Buffer.from([indicator, header, ...body]);

/** NAL units joined by start codes, of three and four bytes in turn. */
const joined = (nals: readonly Buffer[]): Buffer =>
  Buffer.concat(
    nals.flatMap((nal, i) => (i === 0 ? [nal] : [Buffer.alloc(1 + (i % 2) + 1), Buffer.of(1), nal])),
  );

/** A byte stream in fragments that all have the type of its first NAL unit. */
function lying(bytes: Buffer, size: number, type = bytes[0]! & 31): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 1; at < bytes.length; at += size) {
    const flags = (at === 1 ? 0x80 : 0) | (at + size >= bytes.length ? 0x40 : 0) | type;
    parts.push(Buffer.concat([Buffer.from([0x7c, flags]), bytes.subarray(at, at + size)]));
  }
  return parts;
}

test('should take a byte stream in payloads apart, wherever the packets cut it', async () => {
  const idr = numberedNal(0x65, 900);
  const bytes = joined([SPS, PPS, idr, Buffer.concat([laterSlice(0x65), Buffer.alloc(50, 9)])]);
  const forms: [string, Buffer[]][] = [
    ['one packet', [bytes]],
    [
      'leading start codes',
      [Buffer.from([0, 0, 0, 1, ...SPS]), Buffer.from([0, 0, 1, ...PPS]), annexB([idr])],
    ],
    ['a STAP-A of them', [aggregate([annexB([SPS]), joined([PPS, idr])])]],
    ['a start code behind', [Buffer.concat([SPS, Buffer.from([0, 0, 0, 1])]), PPS, idr]],
    // The header of the start code is the one of the fragment.
    ['fragments of type 0', lying(annexB([SPS, PPS, idr]), 200)],
    [
      'fragments that begin with a start code',
      lying(Buffer.concat([Buffer.of(0x67), annexB([SPS, PPS, idr])]), 300),
    ],
    ['fragments of type 1', lying(Buffer.concat([Buffer.of(0x61), annexB([SPS, PPS, idr])]), 300)],
  ];
  for (let size = 2; size < 60; size++) forms.push([`fragments of ${size}`, lying(bytes, size)]);
  for (const [name, payloads] of forms) {
    const watched = new WatchedSource();
    const packets = payloads.map((payload, i) => ({
      timestamp: 0,
      payload,
      marker: i === payloads.length - 1,
    }));
    await play(watched, [packets, picture(FRAME, [deltaSlice()])]);
    const [first] = watched.pictures;
    const wanted = name.startsWith('one') || name.startsWith('fragments of') ? bytes : undefined;
    const hasTwo = wanted !== undefined && !/type/.test(name);
    assert.deepEqual(watched.shape, [`K 7 8 5${hasTwo ? ' 5' : ''}`, '1'], name);
    assert.deepEqual(first!.nals.slice(0, 3), [SPS, PPS, idr], name);
    assert.ok(watched.source.mended.has('annexB'), name);
  }
});

test('should read fragments as they should have been', async () => {
  const body = numberedNal(0x65, 400).subarray(1);
  const forms: Record<string, Buffer[]> = {
    'start and end in one': [fu(0x7c, 0xc5, ...body)],
    'another type in the middle': [
      fu(0x7c, 0x85, ...body.subarray(0, 200)),
      fu(0x7c, 0x47, ...body.subarray(200)),
    ],
    'no end': [fu(0x7c, 0x85, ...body.subarray(0, 200)), fu(0x7c, 0x05, ...body.subarray(200))],
    'reserved bit': [fu(0x7c, 0xa5, ...body.subarray(0, 200)), fu(0x7c, 0x65, ...body.subarray(200))],
  };
  for (const [name, payloads] of Object.entries(forms)) {
    const watched = new WatchedSource([SPS, PPS]);
    const packets = payloads.map((payload, i) => ({
      timestamp: 0,
      payload,
      marker: i === payloads.length - 1,
    }));
    await play(watched, [packets, picture(FRAME, [deltaSlice()]), picture(2 * FRAME, [deltaSlice()])]);
    const [first] = watched.pictures;
    assert.deepEqual(first!.nals.slice(0, 3), [SPS, PPS, numberedNal(0x65, 400)], name);
    assert.deepEqual(watched.shape.slice(1), ['1', '1'], name);
    assert.deepEqual([first!.markers.length, first!.markers[0]], [1, first!.packets - 1], name);
  }
});

test('should read parameter sets that come in fragments', async () => {
  const watched = new WatchedSource();
  const sets = [SPS, PPS].flatMap((nal) => splitPayload(nal, 6));
  await play(watched, [picture(0, [...sets, idrSlice()])]);
  assert.deepEqual(watched.pictures[0]!.nals.slice(0, 2), [SPS, PPS]);
});

test('should drop what no browser decodes', async () => {
  const watched = new WatchedSource();
  await play(watched, group(1, KEY, [], 'right'));
  const useless = {
    'FU-B': fu(0x7d, 0x85, 0, 0, 0x88, 1, 2),
    MTAP16: fu(0x7a, 0, 1, 2, 3),
    'STAP-B': fu(0x79, 0, 1, 0, 2, 0x41, 0x9a),
    'data partition': fu(0x42, 0x9a, 1),
    'type 31': fu(0x1f, 1, 2),
    'type 0': fu(0, 9, 9),
    'forbidden bit': fu(0xc1, 0x9a, 1),
    empty: Buffer.of(0x7c),
    'half a STAP-A': fu(0x78, 0, 9, 1),
    filler: fu(0x0c, 0xff, 0x80),
    orphan: fu(0x7c, 0x05, 1, 2, 3),
  };
  for (const payload of Object.values(useless)) watched.push({ timestamp: FRAME, payload, marker: true });
  await play(watched, [picture(2 * FRAME, [deltaSlice()])]);
  assert.deepEqual(watched.shape, ['K 7 8 5', '1']);
  assert.ok(watched.source.mended.has('unusable'));
});
