import { container } from './container.ts';
import type { PlayerState } from './whep.ts';

/** The states of streamBridge, in the words of the card. */
const STATES: Readonly<Record<string, PlayerState>> = {
  connecting: 'connecting',
  playing: 'playing',
  stalled: 'playing',
  failed: 'waiting',
  closed: 'off',
};

/** Plays a camera with `container.streamBridge`: the panel puts the picture over an element, and follows it. */
export class BridgePlayer {
  readonly #divId: string;
  readonly #onState: (state: PlayerState, error?: unknown) => void;
  /** Whether the camera takes voice. */
  canTalk = false;

  /** @param divId the id of the element */
  constructor(divId: string, onState: (state: PlayerState, error?: unknown) => void) {
    this.#divId = divId;
    this.#onState = onState;
    container.streamBridge.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data);
      if (message.action !== 'state' || message.id !== divId) return;
      this.canTalk = message.talk !== undefined && message.talk !== 'none';
      this.#onState(
        STATES[message.state] ?? 'failed',
        message.error && { ...message, message: message.error },
      );
    });
  }

  play(url: string): void {
    this.#post({ action: 'open', id: this.#divId, url, divId: this.#divId, talk: true });
  }

  stop(): void {
    this.#post({ action: 'close', id: this.#divId });
  }

  /** Opens the microphone for the camera, or closes it. Rejects where it cannot be opened. */
  async talk(on: boolean): Promise<void> {
    await container.streamBridge.postMessage(JSON.stringify({ action: 'talk', id: this.#divId, on }));
  }

  setMuted(muted: boolean): void {
    this.#post({ action: muted ? 'mute' : 'unmute', id: this.#divId });
  }

  #post(message: object): void {
    container.streamBridge
      .postMessage(JSON.stringify(message))
      .catch((error) => this.#onState('failed', error));
  }
}
