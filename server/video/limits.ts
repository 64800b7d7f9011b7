/** Time limits of video in milliseconds; tests shorten them. */
export interface MediaLimits {
  /** TCP connection to a camera. */
  readonly connectMs: number;
  /** Each RTSP answer. */
  readonly replyMs: number;
  /** Everything from the connection to PLAY, redirects and logins included. */
  readonly openMs: number;
  /** Time without packets after which a camera that was asked for UDP first is asked for TCP. */
  readonly udpMs: number;
  /** Time without video after which a session counts as stalled. */
  readonly stallMs: number;
  /** Time without a picture (and at least three picture intervals) after which the viewer gets the reason. */
  readonly pictureMs: number;
  /** Time without video (and at least three picture intervals) after which the camera is reconnected. */
  readonly reconnectMs: number;
  /** First pause before a camera is tried again; it doubles with every failure. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** A viewer's ICE and DTLS, from the answer. */
  readonly handshakeMs: number;
  /** Time without a sign of life after which a viewer counts as gone. Browsers send a check every 2 to 5 s. */
  readonly viewerSilentMs: number;
  /** A viewer that asks for a key frame more often than this waits for the camera's next one. */
  readonly replayMs: number;
  /** How long an answer waits for the profile of a camera that does not describe it. */
  readonly profileMs: number;
  /** How long an inspected camera is watched; three times as long while no key frame has come. */
  readonly inspectMs: number;
  /** How long the answer to a viewer who wants to talk waits for what the camera says about it. */
  readonly talkMs: number;
  /** How often viewers are checked. */
  readonly tickMs: number;
}

export const defaultMediaLimits: MediaLimits = {
  connectMs: 4_000,
  replyMs: 5_000,
  openMs: 10_000,
  udpMs: 3_000,
  stallMs: 2_000,
  pictureMs: 5_000,
  reconnectMs: 5_000,
  retryFirstMs: 500,
  retryMaxMs: 15_000,
  handshakeMs: 10_000,
  viewerSilentMs: 8_000,
  replayMs: 1_000,
  profileMs: 500,
  inspectMs: 3_000,
  talkMs: 3_000,
  tickMs: 500,
};
