import {
  type MediaStreamTrack,
  RTCPeerConnection,
  type RtpPacket,
  useG722,
  useH264,
  useOPUS,
  usePCMA,
  usePCMU,
} from 'werift';

/** An independent WebRTC receiver for tests: werift's RTCPeerConnection, receive-only, on loopback. */
export class WeriftViewer {
  readonly #connection: RTCPeerConnection;
  /** RTP packets by kind, in order of arrival. */
  readonly received: Record<'video' | 'audio', RtpPacket[]> = { video: [], audio: [] };

  /** @param withAudio whether the offer has an audio line besides the video. */
  constructor(withAudio = true) {
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
    if (withAudio) this.#connection.addTransceiver('audio', { direction: 'recvonly' });
  }

  /** The offer, without any candidate. */
  async offer(): Promise<string> {
    await this.#connection.setLocalDescription(await this.#connection.createOffer());
    return this.#connection.localDescription!.sdp.replaceAll(/^a=(candidate:.*|end-of-candidates)\r\n/gm, '');
  }

  async accept(sdp: string): Promise<void> {
    await this.#connection.setRemoteDescription({ type: 'answer', sdp });
  }

  /** Sends a PLI, as a browser does that cannot decode. */
  async askForKeyFrame(): Promise<void> {
    const transceiver = this.#connection.getTransceivers().find(({ kind }) => kind === 'video');
    await transceiver?.receiver.sendRtcpPLI(this.received.video[0]!.header.ssrc);
  }

  get state(): string {
    return this.#connection.connectionState;
  }

  async close(): Promise<void> {
    // werift's handshake would go on for half a minute when it was cut off.
    for (const { dtls } of this.#connection.dtlsTransports) {
      if (dtls !== undefined) dtls.dtls.flight = Number.MAX_SAFE_INTEGER;
    }
    await this.#connection.close();
  }
}
