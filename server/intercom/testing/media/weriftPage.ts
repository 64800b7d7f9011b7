import {
  MediaStreamTrack,
  RTCPeerConnection,
  RtcpPayloadSpecificFeedback,
  RtpHeader,
  RtpPacket,
  useG722,
  useH264,
  useOPUS,
  usePCMA,
  usePCMU,
} from 'werift';
import { closeWerift, takeRepeatedAnswers } from '../../../testing/weriftPeer.ts';
import type { IntercomPage } from '../../ports.ts';

type Kind = 'audio' | 'video';

/** One connection of the page: what it received, and its microphone and camera. */
export class WeriftConnection {
  readonly received: Record<Kind, RtpPacket[]> = { audio: [], video: [] };
  readonly offers: string[] = [];
  /** Key frames that the panel asked the camera for. */
  keyFramesWanted = 0;
  readonly #connection: RTCPeerConnection;
  readonly #tracks = new Map<Kind, MediaStreamTrack>();
  readonly #sequences: Record<Kind, number> = { audio: 0, video: 0 };
  #answering: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#connection = new RTCPeerConnection({
      iceServers: [],
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: ['127.0.0.1'],
      iceInterfaceAddresses: { udp4: '127.0.0.1' },
      bundlePolicy: 'max-bundle',
      codecs: {
        // As Chromium spells it.
        video: [useH264({ mimeType: 'video/H264' })],
        audio: [useOPUS(), usePCMU(), usePCMA(), useG722()],
      },
    });
    this.#connection.onTrack.subscribe((track) => {
      const packets = this.received[track.kind === 'audio' ? 'audio' : 'video'];
      track.onReceiveRtp.subscribe((packet) => packets.push(packet));
    });
  }

  answer(sdp: string, sends: Record<Kind, boolean>): Promise<string> {
    const answer = this.#answering.then(() => this.#answer(sdp, sends));
    this.#answering = answer.catch(() => {});
    return answer;
  }

  async #answer(sdp: string, sends: Record<Kind, boolean>): Promise<string> {
    this.offers.push(sdp);
    await this.#connection.setRemoteDescription({ type: 'offer', sdp });
    if (this.offers.length === 1) takeRepeatedAnswers(this.#connection);
    for (const transceiver of this.#connection.getTransceivers()) {
      const kind: Kind = transceiver.kind === 'audio' ? 'audio' : 'video';
      const takes = new RegExp(`m=${kind}[\\s\\S]*?a=(sendrecv|recvonly)`).test(sdp);
      if (!sends[kind] || !takes || this.#tracks.has(kind)) continue;
      const track = new MediaStreamTrack({ kind });
      this.#tracks.set(kind, track);
      await transceiver.sender.replaceTrack(track);
      // werift gives feedback to the transceiver that receives from the feedback sender's SSRC, which is the receiver.
      transceiver.receiver.onRtcp.subscribe((packet) => {
        if (packet instanceof RtcpPayloadSpecificFeedback && packet.feedback.count === 1)
          this.keyFramesWanted++;
      });
      transceiver.setDirection(sdp.includes('a=recvonly') ? 'sendonly' : 'sendrecv');
    }
    await this.#connection.setLocalDescription(await this.#connection.createAnswer());
    return this.#connection.localDescription!.sdp;
  }

  /** It has reached the panel, although nothing is encrypted yet. */
  get hasPath(): boolean {
    return ['connected', 'completed'].includes(this.#connection.iceConnectionState);
  }

  get isConnected(): boolean {
    return this.#connection.connectionState === 'connected';
  }

  /** Sends a packet of the microphone or the camera. */
  send(kind: Kind, timestamp: number, payload: Buffer, marker = false): void {
    const sequenceNumber = ++this.#sequences[kind] & 0xffff;
    const header = new RtpHeader({ sequenceNumber, timestamp, marker, payloadType: 96, ssrc: 1 });
    this.#tracks.get(kind)?.writeRtp(new RtpPacket(header, payload));
  }

  async askForKeyFrame(): Promise<void> {
    const transceiver = this.#connection.getTransceivers().find(({ kind }) => kind === 'video');
    await transceiver?.receiver.sendRtcpPLI(this.received.video[0]!.header.ssrc);
  }

  async close(): Promise<void> {
    // If werift is closed in the middle of an answer, it never ends that answer and keeps the sockets bound for it.
    await this.#answering;
    await closeWerift(this.#connection);
  }
}

/** An intercom page without a browser: werift's peer connections, an independent implementation. */
export class WeriftPage implements IntercomPage {
  onReset = (): void => {};
  readonly connections = new Map<string, WeriftConnection>();
  /** Every `connect`, in order. */
  readonly asked: { connection: string; microphone: boolean; camera: boolean }[] = [];
  /** `connect` fails, as it does while the page is missing. */
  isMissing = false;

  async connect({
    connection,
    sdp,
    microphone,
    camera,
  }: Parameters<IntercomPage['connect']>[0]): Promise<string> {
    this.asked.push({ connection, microphone, camera });
    if (this.isMissing) throw new Error('the page is not there');
    const known = this.connections.get(connection) ?? new WeriftConnection();
    this.connections.set(connection, known);
    return known.answer(sdp, { audio: microphone, video: camera });
  }

  async close(connection: string): Promise<void> {
    const known = this.connections.get(connection);
    this.connections.delete(connection);
    await known?.close();
  }

  /** The latest connection. */
  get latest(): WeriftConnection {
    const latest = [...this.connections.values()].at(-1);
    if (latest === undefined) throw new Error('the page has no connection');
    return latest;
  }

  /** Ends everything at once, like the death of its process. */
  async crash(): Promise<void> {
    const all = [...this.connections.values()];
    this.connections.clear();
    await Promise.all(all.map((connection) => connection.close()));
  }

  async play(): Promise<void> {}

  async setVolume(): Promise<void> {}
}
