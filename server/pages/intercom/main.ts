import type { IntercomOffer, IntercomReply, IntercomRequest } from '../../intercom/pageContract.ts';
import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import { Speaker } from './speaker.ts';

// The hidden page that owns the microphone, the camera and the speaker of calls. It has its own process, so that calls
// continue when the project's page reloads or crashes. The service controls it, request by request.

type Kind = 'audio' | 'video';

/** A source that a connection has, or that is being opened for it; `end` gives it back. */
interface Loan {
  end: () => void;
}

interface Connection {
  readonly peer: RTCPeerConnection;
  readonly lent: Map<Kind, Loan>;
  readonly silence: Set<() => void>;
}

/** The peer connections with the service, one for each call or page. */
class Connections {
  readonly #speaker: Speaker;
  readonly #sources = new Sources();
  readonly #connections = new Map<string, Connection>();

  readonly #tellProblem: (problem: string) => void;

  /** @param tellProblem gets what a call has to do without */
  constructor(speaker: Speaker, tellProblem: (problem: string) => void) {
    this.#speaker = speaker;
    this.#tellProblem = tellProblem;
  }

  /**
   * Takes an offer, also a second one of the same connection. The sources open after the answer: a camera takes a
   * second, and the remote party is heard meanwhile. @returns the SDP answer
   */
  async connect({ connection: name, sdp, microphone, camera }: IntercomOffer): Promise<string> {
    const connection = this.#connections.get(name) ?? this.#open(name);
    const { peer, lent } = connection;
    await peer.setRemoteDescription({ type: 'offer', sdp });
    const wanted: [Kind, RTCRtpSender][] = [];
    for (const transceiver of peer.getTransceivers()) {
      const { sender } = transceiver;
      const kind = transceiver.receiver.track.kind as Kind;
      const loan = lent.get(kind);
      if (kind === 'audio' ? microphone : camera) {
        transceiver.direction = 'sendrecv';
        if (loan === undefined) wanted.push([kind, sender]);
      } else if (loan !== undefined) {
        lent.delete(kind);
        await sender.replaceTrack(null);
        loan.end();
      }
    }
    await peer.setLocalDescription();
    const answer = peer.localDescription?.sdp;
    if (answer === undefined || this.#connections.get(name) !== connection)
      throw new Error('The connection was closed.');
    for (const [kind, sender] of wanted) void this.#lend(connection, kind, sender);
    return answer;
  }

  close(name: string): void {
    const connection = this.#connections.get(name);
    if (connection === undefined) return;
    this.#connections.delete(name);
    connection.peer.close();
    for (const end of connection.silence) end();
    for (const { end } of connection.lent.values()) end();
    connection.lent.clear();
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
  async #lend({ lent }: Connection, kind: Kind, sender: RTCRtpSender): Promise<void> {
    const loan: Loan = { end: () => {} };
    lent.set(kind, loan);
    try {
      const { track, release } = await this.#sources.take(kind);
      // Not wanted any more.
      if (lent.get(kind) !== loan) return release();
      loan.end = release;
      await sender.replaceTrack(track);
    } catch (error) {
      if (lent.get(kind) !== loan) return;
      loan.end();
      lent.delete(kind);
      this.#tellProblem(`No ${kind === 'audio' ? 'microphone' : 'camera'} for the call: ${error}`);
    }
  }
}

interface Source {
  readonly track: Promise<MediaStreamTrack>;
  users: number;
}

const CONSTRAINTS: Readonly<Record<'audio' | 'video', MediaStreamConstraints>> = {
  // A panel has its loudspeaker next to the microphone.
  audio: {
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
  },
  video: { video: { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 15, max: 30 } } },
};

/** Microphone and camera: open while they are used, and shared by all users. */
class Sources {
  readonly #open = new Map<'audio' | 'video', Source>();

  /** @throws DOMException when there is none, or another program uses it. */
  async take(kind: Kind): Promise<{ track: MediaStreamTrack; release: () => void }> {
    const source = this.#open.get(kind) ?? { track: openTrack(kind), users: 0 };
    this.#open.set(kind, source);
    source.users++;
    const release = () => {
      if (--source.users > 0) return;
      if (this.#open.get(kind) === source) this.#open.delete(kind);
      void source.track.then((track) => track.stop()).catch(() => {});
    };
    try {
      const track = await source.track;
      // Unplugged: the next call tries again.
      track.onended = () => this.#open.get(kind) === source && this.#open.delete(kind);
      return { track, release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

async function openTrack(kind: Kind): Promise<MediaStreamTrack> {
  const [track] = (await navigator.mediaDevices.getUserMedia(CONSTRAINTS[kind])).getTracks();
  if (track === undefined) throw new Error('no track');
  return track;
}

const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
const speaker = new Speaker();
const tell = (reply: IntercomReply) => faceplateHost.post(JSON.stringify(reply));
const connections = new Connections(speaker, (problem) => tell({ problem }));

async function run(request: IntercomRequest): Promise<string | null> {
  switch (request.do) {
    case 'connect':
      return connections.connect(request);
    case 'close':
      connections.close(request.connection);
      return null;
    case 'play':
      await speaker.play(request.tone);
      return null;
    case 'volume':
      speaker.volume = request.volume;
      return null;
  }
}

faceplateHost.listen(async (json) => {
  const request = JSON.parse(json) as IntercomRequest;
  try {
    tell({ id: request.id, result: await run(request) });
  } catch (error) {
    tell({ id: request.id, error: (error as Error).message });
  }
});
tell({ ready: true });
