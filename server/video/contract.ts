import { z } from 'zod';
import { defineCommand } from '../contract/command.ts';
import { noParams } from '../contract/fields.ts';
import { cameraKinds } from './named/settingsContract.ts';
import { cameraErrors, cameraUrl, sessionProfile, viewerSide } from './onvif/onvifContract.ts';

/** Stream sessions at one time. */
export const MAX_STREAM_SESSIONS = 8;

const streamId = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -');

/** The result of an inspection. */
const inspectionCode = z.enum([
  'OK',
  'B_FRAMES',
  'NO_VIDEO',
  'NO_MEDIA',
  'NO_KEY_FRAME',
  ...cameraErrors,
  'CAMERA_TLS',
]);

/** Why a viewer gets no picture. */
const streamProblem = z.strictObject({
  code: inspectionCode.exclude(['OK']),
  error: z.string().describe('one sentence'),
});

/** What a viewer who may talk to a camera does, or why he cannot. */
const talkStates = ['ready', 'talking', 'busy', 'failed'] as const;

export const streamSession = z.strictObject({
  id: streamId,
  url: z.string().describe('host and last element of the path; logins are masked'),
  state: z.enum(['connecting', 'playing', 'stalled']),
  codec: z.string().describe('H264, or empty while connecting'),
  audioCodec: z.string().nullable().describe('null: the camera sends none that WebRTC carries'),
  width: z.int().nullable(),
  height: z.int().nullable(),
  bitrate: z.int().describe('bit/s over the last seconds'),
  packets: z.int(),
  lost: z.int(),
  startedAt: z.string().describe('ISO 8601'),
  firstFrameMs: z
    .int()
    .nullable()
    .describe('milliseconds from POST to the first video packet sent to the viewer'),
  viewers: z.int().describe('sessions that watch the same URL'),
  problem: streamProblem
    .nullable()
    .describe('why the viewer has had no picture for 5 s; null while it gets one'),
  camera: z.string().nullable().describe('its name in streams.cameras; null for an address'),
  talk: z
    .enum(['none', ...talkStates])
    .describe('none: the viewer only listens, or the camera hears nothing'),
  profile: sessionProfile,
});
export type StreamSession = z.infer<typeof streamSession>;

const cameraInspection = z.strictObject({
  ok: z.boolean().describe('whether it plays well in a browser'),
  code: inspectionCode,
  verdict: z.string().describe('one sentence'),
  hint: z.string().describe('what to change; empty when nothing needs a change'),
  mended: z.array(z.string()).describe('what the panel puts right, one sentence each'),
  video: z
    .strictObject({
      codec: z.string(),
      profile: z.string().nullable().describe('such as Main or High'),
      width: z.int().nullable(),
      height: z.int().nullable(),
      fps: z.number().nullable().describe('by the timestamps of the pictures'),
      bFrames: z.boolean(),
      packetization: z.int().nullable().describe('packetization mode of H.264'),
      keyFrames: z.int().describe('received key frames'),
      packets: z.int(),
      lost: z.int(),
      bitrate: z.int().describe('bit/s'),
      transport: z.enum(['tcp', 'udp']).nullable(),
    })
    .nullable(),
  audio: z
    .strictObject({
      codec: z.string(),
      clockRate: z.int(),
      channels: z.int(),
      forwarded: z.boolean().describe('whether browsers can play it unchanged'),
    })
    .nullable(),
  talk: z
    .strictObject({
      codecs: z.array(z.string()).describe('of the sound that it takes, as it names them'),
      playable: z.boolean().describe('whether browsers have one of them'),
      hint: z.string().nullable().describe('what to change; null when nothing needs a change'),
    })
    .nullable()
    .describe('null: it has no loudspeaker for others (ONVIF back channel)'),
});
export type CameraInspection = z.infer<typeof cameraInspection>;

const namedCameraState = z.strictObject({
  name: z.string(),
  host: z.string(),
  talk: z.enum(['auto', 'off', 'together']),
  events: z.array(z.enum(cameraKinds)),
  verdict: z
    .strictObject({ code: inspectionCode, at: z.string().describe('ISO 8601') })
    .nullable()
    .describe('of the last inspection or session since the start; null before it'),
});
export type NamedCameraState = z.infer<typeof namedCameraState>;

/** Its events. */
export const streamEvents = {
  camera: z.strictObject({
    camera: z.string().describe('its name'),
    kind: z.enum(cameraKinds),
    topic: z.string().describe('as the camera writes it'),
    on: z.boolean(),
  }),
  stream: streamSession,
  talk: z.strictObject({
    session: streamId,
    camera: z.string().nullable().describe('its name; null for a camera without one'),
    state: z.enum(talkStates),
    reason: z.string().nullable().describe('one sentence, with busy and failed'),
  }),
};
/** Their use on a broker. */
export const streamBroker = {
  camera: { stateBy: ['camera', 'kind'], eventWhere: { kind: 'visitor' }, without: 'topic' },
  stream: 'none',
  talk: 'none',
} as const;
/** The states that a new listener gets first. */
export const streamSnapshot = {
  streams: z.array(streamSession),
};

export const streamCommands = {
  'stream.open': defineCommand({
    summary:
      'Open a camera, by its address or its name, for a WebRTC viewer: offer in, answer out; as JSON, or as WHEP has it.',
    access: { scope: 'control', http: 'loopback', page: 'allowed' },
    params: z
      .strictObject({
        id: streamId,
        url: cameraUrl,
        sdp: z.string().min(1).max(262_144),
        width: viewerSide
          .optional()
          .describe('of the picture in CSS pixels x device pixel ratio, with height'),
        height: viewerSide.optional(),
      })
      .refine(
        ({ width, height }) => (width === undefined) === (height === undefined),
        'needs both width and height, or none',
      ),
    result: z.strictObject({
      sdp: z.string(),
      talk: z.enum(['none', 'ready']).describe('ready: the viewer may talk; its offer asked for it'),
      profile: sessionProfile,
    }),
    errors: [
      ...cameraErrors,
      'NOT_FOUND',
      'SESSION_LIMIT',
      // Replaced or closed while the camera was still connecting.
      'CONFLICT',
    ],
    timeoutMs: 20_000,
    http: {
      method: 'POST',
      path: '/api/stream/whep/:id',
      bodyLimit: 256 * 1024,
      // WHEP, draft-ietf-wish-whep.
      text: { type: 'application/sdp', field: 'sdp', query: ['url', 'width', 'height'], answer: 'sdp' },
    },
    page: [{ kind: 'action', object: 'streamBridge', action: 'open' }],
  }),
  'stream.size': defineCommand({
    summary: 'Tell how large a stream is shown: an ONVIF camera then sends the profile that fits.',
    access: { scope: 'control', http: 'loopback', page: 'allowed' },
    params: z.strictObject({ id: streamId, width: viewerSide, height: viewerSide }),
    result: z.strictObject({
      profile: sessionProfile.describe('the choice for this size; null where the session has no profiles'),
    }),
    errors: [...cameraErrors, 'SESSION_NOT_FOUND'],
    timeoutMs: 20_000,
    http: { method: 'POST', path: '/api/stream/whep/:id/size', bodyLimit: 1024 },
    page: [{ kind: 'action', object: 'streamBridge', action: 'size' }],
  }),
  'stream.close': defineCommand({
    summary: 'End a stream session.',
    access: { scope: 'control', http: 'loopback', page: 'allowed' },
    params: z.strictObject({ id: z.string() }),
    result: z.strictObject({ status: z.literal('stopped') }),
    errors: ['SESSION_NOT_FOUND'],
    http: { method: 'DELETE', path: '/api/stream/whep/:id', bodyLimit: 1024 },
    page: [{ kind: 'action', object: 'streamBridge', action: 'close' }],
  }),
  'stream.inspect': defineCommand({
    summary: 'What a camera offers and sends, with a verdict and what to change in the camera.',
    access: { scope: 'control', http: 'token' },
    reads: true,
    params: z.strictObject({ url: cameraUrl }),
    result: cameraInspection,
    errors: ['SESSION_LIMIT', 'NOT_FOUND'],
    timeoutMs: 25_000,
    http: { method: 'GET', path: '/api/stream/inspect', query: ['url'] },
  }),
  'stream.cameras.named': defineCommand({
    summary: 'The cameras of streams.cameras, by name and without logins.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ cameras: z.array(namedCameraState) }),
    http: { method: 'GET', path: '/api/stream/cameras/named' },
  }),
  'stream.sessions': defineCommand({
    summary: 'The stream sessions.',
    access: { scope: 'view', http: 'loopback' },
    params: noParams,
    result: z.strictObject({ sessions: z.array(streamSession), max: z.int() }),
    http: { method: 'GET', path: '/api/stream/sessions', bodyLimit: 1024 },
  }),
};

/** The types of `container.streamBridge`, whose messages the page script (preload/streamBridge.ts) answers itself. */
export const streamTypes = `/** Why a camera shows no picture, as \`GET /api/stream/inspect\` says it. */
export type StreamProblemCode = ${streamProblem.shape.code.options.map((code) => `'${code}'`).join(' | ')};

/** Where a camera is shown: over the element with this id, or in fractions (0..1) of the screen. */
export type StreamPlace = { divId: string } | { rect: { x: number; y: number; w: number; h: number } };

/** Messages of \`streamBridge.postMessage\`. A stream begins muted. */
export type StreamAction =
  | ({ action: 'open'; id: string; url: string; /** Whether the page wants to talk to the camera. */ talk?: boolean } & StreamPlace)
  | ({ action: 'resize'; id: string } & StreamPlace)
  | { action: 'close' | 'mute' | 'unmute'; id: string }
  | { action: 'volume'; id: string; volume: number }
  /** The microphone, from the press to the release of a button. */
  | { action: 'talk'; id: string; on: boolean }
  | { action: 'closeAll' };

export interface StreamResult {
  status: 'ok';
  action: StreamAction['action'];
  id?: string;
  /** Of closeAll: how many. */
  closed?: number;
}

/**
 * Reaches \`onmessage\` and the message listeners, as a JSON string, when the state of a stream changes. \`error\` and \`code\`
 * say why there is no picture: always with \`failed\`, with the other states while none has come for 5 s.
 */
export interface StreamStateMessage {
  action: 'state';
  id: string;
  state: 'connecting' | 'playing' | 'stalled' | 'failed' | 'closed';
  error?: string;
  code?: ContainerErrorCode | StreamProblemCode;
  /** Of a stream that was opened with \`talk\`: whether the camera takes voice, and who talks. */
  talk?: 'none' | ${talkStates.map((state) => `'${state}'`).join(' | ')};
  /** Why it is busy or has failed, one sentence. */
  talkReason?: string;
}

export interface StreamBridge {
  /** Sends one action as JSON, such as \`{"action":"open","id":"door","url":"rtsp://…","divId":"door-box"}\`. */
  postMessage(json: string): Promise<StreamResult>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}
`;
