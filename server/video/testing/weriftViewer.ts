import {
  GenericNack,
  MediaStreamTrack,
  ProtectionProfileAes128CmHmacSha1_80,
  RTCPeerConnection,
  RtcpReceiverInfo,
  RtcpRrPacket,
  RtcpTransportLayerFeedback,
  RtpHeader,
  RtpPacket,
  useG722,
  useH264,
  useOPUS,
  usePCMA,
  usePCMU,
} from 'werift';
import { until } from '../../testing/waiting.ts';
import { closeWerift, takeRepeatedAnswers } from '../../testing/weriftPeer.ts';

/** An independent WebRTC receiver for tests: werift's RTCPeerConnection, receive-only, on loopback. */
export class WeriftViewer {
  readonly #connection: RTCPeerConnection;
  /** RTP packets by kind, in order of arrival. */
  readonly received: Record<'video' | 'audio', RtpPacket[]> = { video: [], audio: [] };

  #voice: MediaStreamTrack | undefined;
  #spoken = 0;

  /** @param audio direction of an audio line besides the video; false: there is none. */
  constructor(audio: boolean | 'sendrecv' = true) {
    this.#connection = new RTCPeerConnection({
      iceServers: [],
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: ['127.0.0.1'],
      iceInterfaceAddresses: { udp4: '127.0.0.1' },
      bundlePolicy: 'max-bundle',
      codecs: {
        video: [useH264()],
        audio: [useOPUS(), usePCMU(), usePCMA(), useG722()],
      },
    });
    this.#connection.onTrack.subscribe((track: MediaStreamTrack) => {
      const packets = this.received[track.kind === 'audio' ? 'audio' : 'video'];
      track.onReceiveRtp.subscribe((packet) => packets.push(packet));
    });
    this.#connection.addTransceiver('video', { direction: 'recvonly' });
    if (audio === true) this.#connection.addTransceiver('audio', { direction: 'recvonly' });
    if (audio !== 'sendrecv') return;
    this.#voice = new MediaStreamTrack({ kind: 'audio' });
    this.#connection.addTransceiver(this.#voice, { direction: 'sendrecv' });
  }

  /** Sends 20 ms of voice. */
  speak(payloadType: number, payload: Buffer): void {
    const [sequenceNumber, timestamp] = [this.#spoken, this.#spoken * 160];
    this.#spoken++;
    this.#voice?.writeRtp(
      new RtpPacket(new RtpHeader({ payloadType, sequenceNumber, timestamp, ssrc: 7 }), payload),
    );
  }

  /** The offer, without any candidate. */
  async offer(): Promise<string> {
    await this.#connection.setLocalDescription(await this.#connection.createOffer());
    return this.#connection.localDescription!.sdp.replaceAll(/^a=(candidate:.*|end-of-candidates)\r\n/gm, '');
  }

  /** From now on it knows SRTP with AES-128-CM and SHA-1 only, as GStreamer does; before `accept`. */
  knowAesCmOnly(): void {
    for (const transport of this.#connection.dtlsTransports) {
      // Private in its types.
      (transport as unknown as { srtpProfiles: number[] }).srtpProfiles = [
        ProtectionProfileAes128CmHmacSha1_80,
      ];
    }
  }

  async accept(sdp: string): Promise<void> {
    takeRepeatedAnswers(this.#connection);
    await this.#connection.setRemoteDescription({ type: 'answer', sdp });
  }

  /** Sends a PLI, as a browser does that cannot decode. */
  async askForKeyFrame(): Promise<void> {
    const transceiver = this.#connection.getTransceivers().find(({ kind }) => kind === 'video');
    await transceiver?.receiver.sendRtcpPLI(this.received.video[0]!.header.ssrc);
  }

  /** Sends receiver reports that say how much of the video was lost, 0 to 1, as browsers do. */
  async reportLoss(share: number): Promise<void> {
    // werift's own reports stop: they would say that nothing is lost.
    for (const { receiver } of this.#connection.getTransceivers()) {
      receiver.runRtcp = async () => {};
      receiver.rtcpRunning = false;
    }
    const ssrc = this.received.video[0]!.header.ssrc;
    const info = { ssrc, fractionLost: Math.min(255, share * 256), packetsLost: 1, highestSequence: 1 };
    const reports = [new RtcpReceiverInfo({ ...info, jitter: 0, lsr: 0, dlsr: 0 })];
    await this.#videoTransport?.sendRtcp([new RtcpRrPacket({ ssrc: 1, reports })]);
  }

  /** Asks for a packet of the video once more. */
  async retry(sequence: number): Promise<void> {
    const mediaSourceSsrc = this.received.video[0]!.header.ssrc;
    const feedback = new GenericNack({ senderSsrc: 1, mediaSourceSsrc, lost: [sequence] });
    await this.#videoTransport?.sendRtcp([new RtcpTransportLayerFeedback({ feedback })]);
  }

  get #videoTransport() {
    return this.#connection.getTransceivers().find(({ kind }) => kind === 'video')?.dtlsTransport;
  }

  /** Drops all further media, so that a bench's viewers cost little; connectivity is kept. */
  ignoreMedia(): void {
    // Percentage of accepted packets, by werift's own switch for tests.
    for (const { config } of this.#connection.dtlsTransports) config.debug = { inboundPacketLoss: 1e-9 };
  }

  /** Whether the panel has ended the connection by close_notify. */
  get hasHeardGoodbye(): boolean {
    return this.#connection.dtlsTransports.some(({ state }) => state === 'closed');
  }

  get state(): string {
    return this.#connection.connectionState;
  }

  /** Resolves once media can flow. @throws Error that says how far ICE and DTLS came: at once where they gave up */
  async connected(): Promise<void> {
    const hasGivenUp = () => ['failed', 'closed'].includes(this.state);
    await until(() => this.state === 'connected' || hasGivenUp(), 'the viewer').catch(() => {});
    if (this.state === 'connected') return;
    const [dtls] = this.#connection.dtlsTransports;
    throw new Error(
      `The viewer is ${this.state}: ICE ${this.#connection.iceConnectionState}, DTLS ${dtls?.state}.`,
    );
  }

  /** From now on it sends and receives nothing, not even a goodbye, as if its machine were switched off. */
  fallSilent(): void {
    for (const { connection } of this.#connection.iceTransports) {
      // Private in its types; the sockets of all its addresses.
      const { protocols } = connection as unknown as { protocols: { close(): Promise<void> }[] };
      for (const protocol of protocols) void protocol.close();
    }
  }

  async close(): Promise<void> {
    await closeWerift(this.#connection);
  }
}
