/** `waiting`: connected or about to be, but without a picture. `failed`: stopped until somebody presses play. */
export type PlayerState = 'off' | 'connecting' | 'playing' | 'waiting' | 'failed';

/** A failure of the panel's stream API, with its code. */
class StreamError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Another try does not help here: something has to be changed first, and wrong passwords can lock a camera. */
const FINAL_CODES = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'UNSUPPORTED_CODEC',
  'CAMERA_UNAUTHORIZED',
];
/** Delays between attempts in milliseconds; the last one repeats. */
const RETRY_MS = [1000, 2000, 5000, 10_000];
/** How long a connection may be `disconnected` before a new one is made. */
const DISCONNECTED_MS = 3000;

/** Plays one camera in a video element over WebRTC (WHEP), and tries again after a failure. */
export class WhepPlayer {
  readonly #video: HTMLVideoElement;
  readonly #endpoint: string;
  readonly #onState: (state: PlayerState, error?: unknown) => void;
  #url = '';
  #connection: RTCPeerConnection | undefined;
  /** Where the microphone goes; undefined while the camera takes no voice. */
  #voice: RTCRtpSender | undefined;
  /** While somebody talks: the microphone, once it is open. */
  #press: Promise<MediaStream> | undefined;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param id names the session on the panel: 1 to 64 of `A-Z a-z 0-9 . _ -`, one for each viewer. */
  constructor(video: HTMLVideoElement, id: string, onState: (state: PlayerState, error?: unknown) => void) {
    this.#video = video;
    this.#endpoint = `/api/stream/whep/${id}`;
    this.#onState = onState;
    // The panel would notice, but only after some seconds.
    addEventListener('pagehide', () => this.stop());
  }

  /** @param url `rtsp://` or `rtsps://` address of the camera. */
  play(url: string): void {
    this.#url = url;
    this.#attempts = 0;
    void this.#connect();
  }

  stop(): void {
    const wasOpen = this.#connection !== undefined;
    this.#close();
    // keepalive: the request outlives the page.
    if (wasOpen) void fetch(this.#endpoint, { method: 'DELETE', keepalive: true }).catch(() => {});
    this.#onState('off');
  }

  /** Whether the camera takes voice. */
  get canTalk(): boolean {
    return this.#voice !== undefined;
  }

  /** Opens the microphone for the camera, or closes it. Rejects where it cannot be opened. */
  async talk(on: boolean): Promise<void> {
    const before = this.#press;
    this.#press = undefined;
    const old = await before?.catch(() => undefined);
    for (const track of old?.getTracks() ?? []) track.stop();
    if (!on) return this.#voice?.replaceTrack(null);
    const press = navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true },
    });
    this.#press = press;
    const [track] = (await press).getTracks();
    // Released meanwhile: that has stopped it.
    if (this.#press === press) await this.#voice?.replaceTrack(track ?? null);
  }

  async #connect(): Promise<void> {
    this.#close();
    this.#onState('connecting');
    const connection = new RTCPeerConnection({ iceServers: [] });
    this.#connection = connection;
    try {
      connection.addTransceiver('video', { direction: 'recvonly' });
      // "sendrecv": this page wants to talk, if the camera listens.
      const { sender } = connection.addTransceiver('audio', { direction: 'sendrecv' });
      const stream = new MediaStream();
      connection.addEventListener('track', ({ track }) => stream.addTrack(track));
      connection.addEventListener('connectionstatechange', () => this.#watch(connection));
      this.#video.srcObject = stream;
      this.#video.requestVideoFrameCallback(() => this.#onFirstFrame(connection));

      await connection.setLocalDescription();
      // Stopped meanwhile: a POST behind the DELETE would open a session that nobody watches.
      if (this.#connection !== connection) return;
      const { sdp, talk } = await this.#exchange(connection.localDescription!.sdp);
      if (this.#connection !== connection) return;
      if (talk === 'ready') {
        this.#voice = sender;
        this.#onState('connecting');
      }
      await connection.setRemoteDescription({ type: 'answer', sdp });
    } catch (error) {
      if (this.#connection === connection) this.#fail(error);
    }
  }

  /** Sends our offer. @returns the panel's answer, and whether the camera takes voice. */
  async #exchange(offer: string): Promise<{ sdp: string; talk: 'none' | 'ready' }> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: this.#url, sdp: offer }),
    });
    const answer = await response.json();
    if (!response.ok) throw new StreamError(answer.error, answer.code);
    return answer;
  }

  #onFirstFrame(connection: RTCPeerConnection): void {
    if (this.#connection !== connection) return;
    this.#attempts = 0;
    this.#onState('playing');
  }

  #watch(connection: RTCPeerConnection): void {
    if (this.#connection !== connection) return;
    clearTimeout(this.#timer);
    const lost = () => this.#fail(new Error('The connection to the panel was lost.'));
    if (connection.connectionState === 'failed' || connection.connectionState === 'closed') lost();
    else if (connection.connectionState === 'disconnected') this.#timer = setTimeout(lost, DISCONNECTED_MS);
  }

  #fail(error: unknown): void {
    this.#close();
    if (error instanceof StreamError && FINAL_CODES.includes(error.code)) {
      this.#onState('failed', error);
      return;
    }
    this.#onState('waiting', error);
    const wait = RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)]!;
    this.#timer = setTimeout(() => void this.#connect(), wait);
  }

  #close(): void {
    clearTimeout(this.#timer);
    void this.talk(false).catch(() => {});
    this.#voice = undefined;
    this.#connection?.close();
    this.#connection = undefined;
    this.#video.srcObject = null;
  }
}
