import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { countParsingWork } from '../testing/parsingWork.ts';
import { chooseTracks } from '../tracks.ts';
import { baseOf, controlAddresses, parseSessionDescription, withoutLogin } from './sdp.ts';

test('should read the description of a camera with video and audio', () => {
  const { media, control } = parseSessionDescription(
    [
      'v=0',
      'a=control:rtsp://c/stream/',
      'm=video 0 RTP/AVP 96',
      'a=rtpmap:96 h264/90000',
      'a=fmtp:96 packetization-mode=1; profile-level-id=640028;sprop-parameter-sets=Z2QAKA==,aO48sA==',
      'a=control:trackID=1',
      'm=audio 0 RTP/AVP 97 0',
      'a=rtpmap:97 opus/48000/2',
      'a=control:trackID=2',
    ].join('\r\n'),
  );
  assert.equal(control, 'rtsp://c/stream/');
  assert.deepEqual(
    media.map(({ kind, control: own, formats }) => [kind, own, formats.map((format) => format.codec)]),
    [
      ['video', 'trackID=1', ['H264']],
      ['audio', 'trackID=2', ['OPUS', 'PCMU']],
    ],
  );
  const [video] = media[0]!.formats;
  assert.equal(video!.clockRate, 90_000);
  assert.equal(video!.parameters.get('sprop-parameter-sets'), 'Z2QAKA==,aO48sA==');
  assert.equal(video!.parameters.get('profile-level-id'), '640028');
  assert.deepEqual([media[1]!.formats[0]!.channels, media[1]!.formats[1]!.clockRate], [2, 8000]);
});

test('should return a result for every broken description, and never throw', () => {
  for (const text of [
    '',
    '\0\0',
    'm=',
    'm=video',
    'a=rtpmap:96 H264/90000',
    'm=video 0 RTP/AVP x\na=rtpmap:x',
    'a=fmtp:',
  ]) {
    assert.ok(Array.isArray(parseSessionDescription(text).media), JSON.stringify(text));
  }
});

const SETS = 'sprop-parameter-sets=Z0IAH5WoFAFuQA==,aM48gA==';
const VIDEO = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'a=control:v'];
const sound = (control: string, ...lines: string[]) => [
  'm=audio 0 RTP/AVP 8',
  `a=control:${control}`,
  'a=rtpmap:8 PCMA/8000',
  ...lines,
];
const controlsOf = (...lines: readonly string[]) =>
  parseSessionDescription(lines.join('\r\n')).media.map(({ control }) => control);

test('should leave out the sound that a camera wants to hear', () => {
  // Reolink doorbell: the microphone is AAC, the speaker PCMA.
  const microphone = [
    'm=audio 0 RTP/AVP 97',
    'a=rtpmap:97 MPEG4-GENERIC/16000',
    'a=recvonly',
    'a=control:mic',
  ];
  assert.deepEqual(controlsOf(...VIDEO, 'a=recvonly', ...microphone, ...sound('speaker', 'a=sendonly')), [
    'v',
    'mic',
  ]);
  assert.deepEqual(controlsOf(...VIDEO, ...sound('mic'), ...sound('speaker', 'a=sendonly')), ['v', 'mic']);
  assert.deepEqual(controlsOf(...VIDEO, ...sound('speaker', 'a=sendonly')), ['v']);
  assert.deepEqual(controlsOf(...VIDEO, ...sound('off', 'a=inactive'), ...sound('mic')), ['v', 'mic']);
  assert.deepEqual(controlsOf('a=recvonly', ...VIDEO, ...sound('mic')), ['v', 'mic']);
});

test('should take the picture and sound of a camera that calls what it sends "sendonly"', () => {
  assert.deepEqual(controlsOf(...VIDEO, 'a=sendonly', ...sound('mic', 'a=sendonly')), ['v', 'mic']);
  assert.deepEqual(controlsOf('a=sendonly', ...VIDEO, ...sound('mic')), ['v', 'mic']);
  assert.deepEqual(
    controlsOf(...VIDEO, 'a=sendonly', ...sound('mic', 'a=sendonly'), ...sound('speaker', 'a=recvonly')),
    ['v', 'mic'],
  );
});

test('should find the parameters of the video in another section, or of another payload type', () => {
  const fmtp = `a=fmtp:96 packetization-mode=1;profile-level-id=64001F;${SETS}`;
  const other = 'a=fmtp:97 packetization-mode=1';
  for (const lines of [
    [...VIDEO, 'm=audio 0 RTP/AVP 8', 'a=rtpmap:0 pcma/8000/1', 'a=framerate:25', fmtp],
    ['v=0', fmtp, ...VIDEO],
    [...VIDEO, fmtp.replace(':96', ':97')],
    ['m=video 0 RTP/AVP 96', 'a=control:v', fmtp],
    [...VIDEO, 'a=fmtp: 96', fmtp, 'm=audio 0 RTP/AVP 97', other],
  ]) {
    const { video } = chooseTracks(parseSessionDescription(lines.join('\r\n')));
    assert.equal(video.parameterSets.length, 2, lines.join());
  }
  // Those of a section that has the payload type itself are its own.
  const twice = [...VIDEO, 'm=application 0 RTP/AVP 96', fmtp];
  assert.equal(chooseTracks(parseSessionDescription(twice.join('\n'))).video.parameterSets.length, 0);
});

test('should read descriptions that are hardly SDP', () => {
  for (const text of [
    'm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:trackID=0',
    'v=0\no=- 14665860 31787219 1 IN IP4 10.0.0.7\ns=\ns=x\ni=\ni=y\nt=now-\nc=IN\nm=video 0 RTP/AVP 96\t\na=rtpmap:96\tH264/90000\na=control:trackID=0\nm=application/TP-LINK 0 RTP/AVP smart/1/90000\n',
    'o=- 1001 1 IN\r\nm=vana 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control: trackID=0 \r\nm=audio 0 RTP/AVP 8\t\r\n',
    'm=video 40024 RTP/AVP 35\r\na=rtpmap:35 H264/90000\r\na=control:trackID=0\0',
    `${'a=x-junk:1\r\n'.repeat(1_900)}m=video 0 RTP/AVP 98 96\r\na=rtpmap:96 H264/90000\r\na=control:trackID=0\r\n`,
  ])
    assert.equal(
      chooseTracks(parseSessionDescription(text)).video.media.control.replace('\0', ''),
      'trackID=0',
    );
});

/** The likeliest address of a control attribute. */
const first = (base: string, control: string): string => controlAddresses(base, control, base)[0]!;

test('should resolve control attributes the way cameras mean them', () => {
  const base = 'rtsp://c:554/live';
  for (const [at, control, address] of [
    [base, 'trackID=0', 'rtsp://c:554/live/trackID=0'],
    [`${base}/`, 'trackID=0', 'rtsp://c:554/live/trackID=0'],
    [`${base}?channel=1`, 'track0', 'rtsp://c:554/live?channel=1/track0'],
    ['rtsp://c/1?mode=Live&follow=0/', 'track1', 'rtsp://c/1?mode=Live&follow=0/track1'],
    [base, 'rtsp://c/other/1', 'rtsp://c/other/1'],
    [base, 'rtsp://u:p@192.0.2.1/a?x=1', 'rtsp://c:554/a?x=1'],
    [base, 'rtsp://rtsp://c:554/a', 'rtsp://c:554/a'],
    ['rtsps://c:7441/live', 'rtsp://c:554/other/1', 'rtsps://c:7441/other/1'],
    [base, '?ctype=video', 'rtsp://c:554/live?ctype=video'],
    [`${base}?x=1`, '?ctype=video', 'rtsp://c:554/live?ctype=video'],
    [base, 'ctype=video', 'rtsp://c:554/live/ctype=video'],
    ['rtsp://c/media/1/video/1', '/media/1/video/1', 'rtsp://c/media/1/video/1'],
    ['rtsp://c/', '/media/1/video/1', 'rtsp://c/media/1/video/1'],
    ['rtsp://c', '/media/1/video/1', 'rtsp://c/media/1/video/1'],
    ['rtsp://c', 'track1', 'rtsp://c/track1'],
    [base, '*', base],
    [base, '', base],
  ] as const)
    assert.equal(first(at, control), address, `${control} below ${at}`);
});

test('should have further addresses for cameras that mean a control attribute otherwise', () => {
  assert.deepEqual(controlAddresses('rtsp://c/live/', '/trackID=1', 'rtsp://c/live'), [
    'rtsp://c/trackID=1',
    'rtsp://c/live/trackID=1',
  ]);
  assert.deepEqual(controlAddresses('rtsp://c/a/b?x=1', 't', 'rtsp://c/z'), [
    'rtsp://c/a/b?x=1/t',
    'rtsp://c/a/b/t?x=1',
    'rtsp://c/z/t',
    'rtsp://c/a/t',
  ]);
});

test('should not let a control attribute break the request line', () => {
  assert.equal(first('rtsp://c/', 'a b\tc'), 'rtsp://c/a%20b%20c');
});

test('should mend a Content-Base that is no address, and stay at the host that it is connected to', () => {
  const request = 'rtsp://10.0.0.5:8554/live';
  for (const [given, base, isMended] of [
    [undefined, request, false],
    ['', request, false],
    ['rtsp://10.0.0.5:8554/live/', 'rtsp://10.0.0.5:8554/live/', false],
    ['rtsp://rtsp://10.0.0.5:8554/live/', 'rtsp://10.0.0.5:8554/live/', true],
    ['10.0.0.5:8554/live/', 'rtsp://10.0.0.5:8554/live/', true],
    ['cam.local/live/', 'rtsp://10.0.0.5:8554/live/', true],
    ['rtsp://::ffff:10.0.0.123/onvif/profile.1/', 'rtsp://10.0.0.5:8554/onvif/profile.1/', true],
    ['rtsp://127.0.0.1:554/camera', 'rtsp://10.0.0.5:8554/camera', true],
    ['rtsp://u:p@192.0.2.1/base/', 'rtsp://10.0.0.5:8554/base/', true],
    ['rtsp://cam.local/a', 'rtsp://10.0.0.5:8554/a', false],
    ['/live/', 'rtsp://10.0.0.5:8554/live/', true],
    ['live/', request, true],
    ['*', request, false],
  ] as const)
    assert.deepEqual(baseOf(given, request), { base, isMended }, given);
  assert.equal(baseOf('rtsp://cam:554/x', 'rtsp://cam/x').base, 'rtsp://cam:554/x');
});

test('should remove the login from an address and nothing else', () => {
  assert.equal(withoutLogin('rtsp://u:p%40@c:1/a@b?x=@'), 'rtsp://c:1/a@b?x=@');
  assert.equal(withoutLogin('rtsp://c/a@b'), 'rtsp://c/a@b');
});

/** A video line with this many formats, and this many lines about them. */
function manyFormats(formats: number, lines: number): string {
  const payloadTypes = Array.from({ length: formats }, (_, index) => index + 32);
  const fmtp = (index: number): string => `a=fmtp:${(index % formats) + 32} packetization-mode=1`;
  return [
    'v=0',
    `m=video 0 RTP/AVP ${payloadTypes.join(' ')}`,
    ...payloadTypes.map((payloadType) => `a=rtpmap:${payloadType} H264/90000`),
    ...Array.from({ length: lines }, (_, index) => fmtp(index)),
  ].join('\r\n');
}

test('security: should refuse a description of too many lines, formats or media lines', () => {
  const refuses = (text: string, what: RegExp): void =>
    assert.throws(
      () => parseSessionDescription(text),
      (error: unknown) =>
        error instanceof FaceplateError && error.code === 'CAMERA_PROTOCOL' && what.test(error.message),
    );
  assert.equal(parseSessionDescription(manyFormats(64, 1_900)).media[0]!.formats.length, 64);
  refuses(manyFormats(64, 2_000), /more than 2000 lines/);
  refuses(manyFormats(65, 1), /more than 64 formats/);
  refuses('m=video 0 RTP/AVP 96\r\n'.repeat(33), /more than 32 media lines/);
});

test('security: should read each line of a description once, however many formats it has', () => {
  const workOf = (formats: number): number => {
    const text = manyFormats(formats, 1_800);
    return countParsingWork(() => parseSessionDescription(text));
  };
  const one = workOf(1);
  assert.ok(workOf(64) < 1.5 * one, `${workOf(64)} steps for 64 formats, ${one} for one`);
});

test('security: should keep no more parameter sets of a camera than pictures need', () => {
  const sets = Array.from({ length: 5_000 }, () => 'Z0IB').join(',');
  const text = `m=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 sprop-parameter-sets=${sets}`;
  assert.equal(chooseTracks(parseSessionDescription(text)).video.parameterSets.length, 16);
});
