import type { IntercomOffer } from '../../contract/intercomPage.ts';
import { Sources } from './sources.ts';
import type { Speaker } from './speaker.ts';

interface Connection {
  readonly peer: RTCPeerConnection;
  readonly lent: Map<'audio' | 'video', () => void>;
  readonly silence: Set<() => void>;
}

/** The peer connections with the service, one for each call or page. */
export class Connections {
  readonly #speaker: Speaker;
  readonly #sources = new Sources();
  readonly #connections = new Map<string, Connection>();

  readonly #tellProblem: (problem: string) => void;

  /** @param tellProblem gets what a call has to do without */
  constructor(speaker: Speaker, tellProblem: (problem: string) => void) {
    this.#speaker = speaker;
    this.#tellProblem = tellProblem;
  }

  /** Takes an offer, also a second one of the same connection. @returns the SDP answer */
  async connect({ connection: name, sdp, microphone, camera }: IntercomOffer): Promise<string> {
    const connection = this.#connections.get(name) ?? this.#open(name);
    const { peer, lent } = connection;
    await peer.setRemoteDescription({ type: 'offer', sdp });
    for (const transceiver of peer.getTransceivers()) {
      const kind = transceiver.receiver.track.kind as 'audio' | 'video';
      const isWanted = kind === 'audio' ? microphone : camera;
      if (isWanted && !lent.has(kind)) await this.#lend(name, connection, transceiver, kind);
      if (!isWanted && lent.has(kind)) {
        await transceiver.sender.replaceTrack(null);
        lent.get(kind)?.();
        lent.delete(kind);
      }
    }
    await peer.setLocalDescription();
    const answer = peer.localDescription?.sdp;
    if (answer === undefined) throw new Error('The connection was closed.');
    return answer;
  }

  close(name: string): void {
    const connection = this.#connections.get(name);
    if (connection === undefined) return;
    this.#connections.delete(name);
    connection.peer.close();
    for (const end of [...connection.silence, ...connection.lent.values()]) end();
  }

  #open(name: string): Connection {
    const peer = new RTCPeerConnection({ iceServers: [] });
    const connection: Connection = { peer, lent: new Map(), silence: new Set() };
    this.#connections.set(name, connection);
    peer.addEventListener('track', ({ track, receiver }) => {
      // A conversation: late sound is useless.
      receiver.jitterBufferTarget = 0;
      if (track.kind === 'audio') connection.silence.add(this.#speaker.hear(track));
    });
    return connection;
  }

  /** A panel without microphone or camera still hears and sees. */
  async #lend(
    name: string,
    connection: Connection,
    transceiver: RTCRtpTransceiver,
    kind: 'audio' | 'video',
  ): Promise<void> {
    const source = await this.#sources.take(kind).catch((error: unknown) => {
      this.#tellProblem(`No ${kind === 'audio' ? 'microphone' : 'camera'} for the call: ${error}`);
      return undefined;
    });
    if (source === undefined) return;
    if (this.#connections.get(name) !== connection || connection.lent.has(kind)) return source.release();
    connection.lent.set(kind, source.release);
    await transceiver.sender.replaceTrack(source.track);
    transceiver.direction = 'sendrecv';
  }
}
