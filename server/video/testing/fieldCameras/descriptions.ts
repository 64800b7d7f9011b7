import type { Clip } from '../../simulatedCamera/clip.ts';

/** How a camera describes its tracks. The video is `track0`, its sound `track1`, what it takes of us `track2`. */
export type DescriptionForm = keyof typeof FORMS;

interface Parts {
  /** Payload type, and control of the video. */
  readonly control: string;
  readonly profile: string;
  readonly sps: string;
  readonly pps: string;
  /** Value of a=fmtp without its payload type. */
  readonly fmtp: string;
  /** The sets in Annex B. */
  readonly annexB: { readonly sps: string; readonly pps: string };
}

const SESSION = [
  'v=0',
  'o=- 1 1 IN IP4 0.0.0.0',
  's=Media',
  'c=IN IP4 0.0.0.0',
  't=0 0',
  'a=control:*',
] as const;
const PCMA = ['m=audio 0 RTP/AVP 8', 'a=rtpmap:8 PCMA/8000', 'a=control:track1'] as const;
const AAC = [
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 MPEG4-GENERIC/16000',
  'a=fmtp:97 streamtype=5;profile-level-id=15;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1408',
  'a=control:track1',
] as const;

const video = ({ control, fmtp }: Parts, types = '96'): string[] => [
  `m=video 0 RTP/AVP ${types}`,
  'a=rtpmap:96 H264/90000',
  `a=fmtp:96 ${fmtp}`,
  `a=control:${control}`,
];
/** The video with its fmtp replaced. */
const videoWith = (parts: Parts, fmtp: string): string[] => [...SESSION, ...video({ ...parts, fmtp })];
const withSets = (parts: Parts, sets: string, level = parts.profile): string[] =>
  videoWith(parts, `packetization-mode=1;profile-level-id=${level};sprop-parameter-sets=${sets}`);

const FORMS = {
  plain: (parts: Parts) => [...SESSION, ...video(parts)],
  sound: (parts: Parts) => [...SESSION, ...video(parts), ...PCMA],
  soundFirst: (parts: Parts) => [...SESSION, ...PCMA, ...video(parts)],
  videoSendOnly: (parts: Parts) => [...SESSION, ...video(parts), 'a=sendonly'],
  backChannel: (parts: Parts) => [
    ...SESSION,
    ...video(parts),
    'a=recvonly',
    ...AAC,
    'a=recvonly',
    'm=audio 0 RTP/AVP 8',
    'a=control:track2',
    'a=rtpmap:8 PCMA/8000',
    'a=sendonly',
  ],
  // Hikvision: the way back stands behind sound of the same codec.
  backChannelHikvision: (parts: Parts) => [
    ...SESSION,
    ...video(parts),
    'a=recvonly',
    ...PCMA,
    'a=recvonly',
    'm=audio 0 RTP/AVP 8',
    'a=rtpmap:8 PCMA/8000',
    'a=control:track2',
    'a=sendonly',
    'a=Media_header:MEDIAINFO=494D4B48010300000400000111710110401F000000FA0000',
  ],
  backChannelH3c: (parts: Parts) => [
    ...SESSION,
    ...video(parts),
    'm=audio 0 RTP/AVP 0',
    'c=IN',
    'a=sendonly',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:0 PCMU/8000',
    'a=fmtp:0 RTCP=0',
    'a=control:track2',
  ],
  backChannelAvigilon: (parts: Parts) => [
    ...SESSION,
    ...video(parts),
    'm=audio 0 RTP/AVP 0 97',
    'c=SM SM spk0_trackID2',
    'a=rtpmap:0 PCMU/8000',
    'a=sendonly',
    'a=control:track2',
  ],
  twoTypes: (parts: Parts) => [...SESSION, ...video(parts, '98 96')],
  fmtpBelowSound: ({ fmtp }: Parts) => [
    ...SESSION,
    'm=video 0 RTP/AVP 96',
    'a=rtpmap:96 H264/90000',
    'a=control:track0',
    'm=audio 0 RTP/AVP 8',
    'a=rtpmap:0 pcma/8000/1',
    'a=control:track1',
    'a=framerate:25',
    `a=fmtp:96 ${fmtp}`,
  ],
  setsWithStartCodes: (parts: Parts) => withSets(parts, `${parts.annexB.sps},${parts.annexB.pps}`),
  setsWithoutPps: (parts: Parts) => withSets(parts, `${parts.sps},`),
  setsEmpty: (parts: Parts) => withSets(parts, ''),
  setsNone: (parts: Parts) =>
    videoWith(parts, `profile-level-id=${parts.profile};packetization-mode=0`).with(
      2,
      's=HIK Media Server V3.5.43',
    ),
  levelNotHex: (parts: Parts) => withSets(parts, `${parts.sps},${parts.pps}`, 'TeAo'),
  levelOfSevenDigits: (parts: Parts) => withSets(parts, `${parts.sps},${parts.pps}`, '5046314'),
  withoutFmtp: () => [...SESSION, 'm=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'a=control:track0'],
  bare: () => ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'a=control:track0'],
  oddLines: (parts: Parts) => [
    'v=0',
    'o=- 14665860 31787219 1 IN IP4 10.0.0.7',
    's=one',
    's=two',
    'i=one',
    'i=two',
    'c=IN',
    't=now-',
    'm=application/TP-LINK 0 RTP/AVP smart/1/90000',
    'a=rtpmap:95 TP-LINK/90000',
    'm=vana',
    ...video(parts),
    'm=audio 0 RTP/AVP 8\t',
    'a=rtpmap:8 PCMU/8000/1',
    'a=control:track1',
  ],
} satisfies Record<string, (parts: Parts) => readonly string[]>;

/** The description of a clip in one of the forms; its lines end as the camera's other lines do. */
export function describeClip(
  form: DescriptionForm,
  { sps, pps }: Clip,
  control: string,
  lineEnd: string,
): string {
  const base64 = (...bytes: Buffer[]): string => Buffer.concat(bytes).toString('base64');
  const startCode = Buffer.from([0, 0, 0, 1]);
  const profile = sps.toString('hex', 1, 4);
  const sets = `${base64(sps)},${base64(pps)}`;
  const lines = FORMS[form]({
    control,
    profile,
    sps: base64(sps),
    pps: base64(pps),
    fmtp: `packetization-mode=1;profile-level-id=${profile};sprop-parameter-sets=${sets}`,
    annexB: { sps: base64(startCode, sps), pps: base64(pps, startCode) },
  });
  return lines.map((line) => line + lineEnd).join('');
}
