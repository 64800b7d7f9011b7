import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, FaceplateError } from '../contract/errors.ts';
import { parseSessionDescription } from './rtsp/sdp.ts';
import { chooseTracks } from './tracks.ts';

const tracksOf = (...lines: string[]) =>
  chooseTracks(parseSessionDescription(['v=0', ...lines].join('\r\n')));
const H264 = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000'];

function refuses(lines: string[], code: ErrorCode, sentence: RegExp): void {
  assert.throws(
    () => tracksOf(...lines),
    (error: unknown) =>
      error instanceof FaceplateError && error.code === code && sentence.test(error.message),
  );
}

test('should choose H.264 and the first audio that needs no transcoding', () => {
  const { video, audio } = tracksOf(
    'm=audio 0 RTP/AVP 97',
    'a=rtpmap:97 MPEG4-GENERIC/48000/2',
    ...H264,
    'a=fmtp:96 profile-level-id=640028;sprop-parameter-sets=Z2QAKA==,aO48sA==',
    'm=audio 0 RTP/AVP 8',
  );
  assert.equal(video.profileLevelId, '640028');
  assert.deepEqual(video.parameterSets, [Buffer.from('67640028', 'hex'), Buffer.from('68ee3cb0', 'hex')]);
  assert.equal(audio?.rtpmap, 'PCMA/8000');
});

test('should leave out audio that browsers do not accept, and still play the video', () => {
  const cases = [
    ['m=audio 0 RTP/AVP 97', 'a=rtpmap:97 MPEG4-GENERIC/16000'],
    ['m=audio 0 RTP/AVP 97', 'a=rtpmap:97 PCMU/16000'],
    ['m=audio 0 RTP/AVP 97', 'a=rtpmap:97 L16/8000'],
  ];
  for (const lines of cases) assert.equal(tracksOf(...H264, ...lines).audio, undefined);
});

test('should choose the H.264 track of a camera that describes H.265 first', () => {
  assert.equal(
    tracksOf('m=video 0 RTP/AVP 98', 'a=rtpmap:98 H265/90000', ...H264).video.format.payloadType,
    96,
  );
});

for (const [codec, name] of [
  ['H265', /H\.265 \(HEVC\).*set this stream to H\.264/],
  ['JPEG', /MJPEG/],
  ['MP4V-ES', /MPEG-4/],
  ['VC1', /VC1/],
] as const) {
  test(`should refuse ${codec} by its name and say what to set`, () => {
    refuses(['m=video 0 RTP/AVP 98', `a=rtpmap:98 ${codec}/90000`], 'UNSUPPORTED_CODEC', name);
  });
}

test('should refuse MJPEG without a=rtpmap and H.264 in interleaved mode', () => {
  refuses(['m=video 0 RTP/AVP 26'], 'UNSUPPORTED_CODEC', /MJPEG/);
  refuses([...H264, 'a=fmtp:96 packetization-mode=2'], 'UNSUPPORTED_CODEC', /mode 2/);
});

test('should say that a path has no video', () => {
  refuses(['m=audio 0 RTP/AVP 0'], 'CAMERA_PROTOCOL', /no video/);
  refuses([], 'CAMERA_PROTOCOL', /no video/);
});

test('security: should not pass on text of the camera as a codec name', () => {
  refuses(['m=video 0 RTP/AVP 98', 'a=rtpmap:98 <img>"\\evil/90000'], 'UNSUPPORTED_CODEC', /sends IMGEVIL,/);
});

const SPS = Buffer.from('6742c01ed900a02ff97011000003000100000300320f162e48', 'hex');
const PPS = Buffer.from('68cb83cb20', 'hex');
const spropOf = (...nals: Buffer[]): string =>
  `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${nals.map((nal) => nal.toString('base64')).join(',')}`;
const START = Buffer.from([0, 0, 0, 1]);

test('should find parameter sets wherever a camera writes them, and none that are none', () => {
  const audio = ['m=audio 0 RTP/AVP 8', 'a=rtpmap:0 pcma/8000/1', 'a=control:track1'];
  const config = Buffer.concat([START, SPS, START, PPS]).toString('hex');
  const cases: [string, string[], Buffer[], boolean][] = [
    ['below the video', [...H264, spropOf(SPS, PPS)], [SPS, PPS], false],
    ['below the sound', [...H264, ...audio, spropOf(SPS, PPS)], [SPS, PPS], true],
    ['above all', [spropOf(SPS, PPS), ...H264], [SPS, PPS], true],
    ['rtpmap below the sound', [H264[0]!, ...audio, H264[1]!, spropOf(SPS, PPS)], [SPS, PPS], true],
    ['start codes in front', [...H264, spropOf(Buffer.concat([START, SPS]), PPS)], [SPS, PPS], true],
    [
      'start codes behind',
      [...H264, spropOf(Buffer.concat([SPS, START]), Buffer.concat([PPS, START]))],
      [SPS, PPS],
      true,
    ],
    ['both in one', [...H264, spropOf(Buffer.concat([SPS, START, PPS]))], [SPS, PPS], true],
    ['only SPS', [...H264, `${spropOf(SPS)},`], [SPS], false],
    ['empty', [...H264, 'a=fmtp:96 packetization-mode=1;sprop-parameter-sets='], [], false],
    ['none', [...H264, 'a=fmtp:96 packetization-mode=1'], [], false],
    ['in hex', [...H264, `a=fmtp:96 packetization-mode=1;config=${config}`], [SPS, PPS], true],
    ['other NAL units', [...H264, spropOf(Buffer.from('06050102', 'hex'), SPS, PPS)], [SPS, PPS], false],
    ['of the sound', [...H264, 'm=audio 0 RTP/AVP 96', spropOf(SPS, PPS)], [], false],
  ];
  for (const [name, lines, sets, isMisplaced] of cases) {
    const { video } = tracksOf(...lines);
    assert.deepEqual(video.parameterSets, sets, name);
    assert.equal(video.areSetsMisplaced, isMisplaced, name);
    assert.equal(video.format.payloadType, 96);
  }
});

test('should read the profile of the SPS where the description has none that can be read', () => {
  for (const level of ['profile-level-id=TeAo', 'profile-level-id=5046314', 'x=1']) {
    const { video } = tracksOf(...H264, `a=fmtp:96 ${level};sprop-parameter-sets=${SPS.toString('base64')}`);
    assert.equal(video.profileLevelId, '42c01e', level);
  }
});
