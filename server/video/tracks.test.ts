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
