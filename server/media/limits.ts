/** Time limits of the media layer in milliseconds; tests make them short. */
export interface MediaLimits {
  /** TCP connection to a camera. */
  readonly connectMs: number;
  /** Each RTSP answer. */
  readonly replyMs: number;
  /** Everything from the connection to PLAY, redirects and logins included. */
  readonly openMs: number;
  /** A camera that sends nothing for so long is shown as stalled. */
  readonly stallMs: number;
  /** A camera that sends nothing for so long, and for three of its pictures, is connected anew. */
  readonly reconnectMs: number;
  /** First pause before a camera is tried again; it doubles with every failure. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** A viewer's ICE and DTLS, from the answer on. */
  readonly handshakeMs: number;
  /** A viewer that gives no sign of life for so long is gone. Browsers send a check every 2 to 5 s. */
  readonly viewerSilentMs: number;
  /** A viewer that asks for a key frame more often than this waits for the camera's next one. */
  readonly replayMs: number;
  /** How long an inspected camera is watched; three times as long while no key frame has come. */
  readonly inspectMs: number;
  /** How often viewers are looked after. */
  readonly tickMs: number;
}

export const defaultMediaLimits: MediaLimits = {
  connectMs: 4_000,
  replyMs: 5_000,
  openMs: 10_000,
  stallMs: 2_000,
  reconnectMs: 5_000,
  retryFirstMs: 500,
  retryMaxMs: 15_000,
  handshakeMs: 10_000,
  viewerSilentMs: 8_000,
  replayMs: 1_000,
  inspectMs: 3_000,
  tickMs: 500,
};
