import { TestKiosk } from '../../../kiosk/testing/testKiosk.ts';
import type { IntercomPage } from '../../ports.ts';

/** Runs in the browser: an intercom page whose microphone is a tone and whose camera is a canvas. */
const PAGE = `<!doctype html><title>intercom</title><script>
const audioContext = new AudioContext();
const oscillator = new OscillatorNode(audioContext, { frequency: 1000 });
const microphone = new MediaStreamAudioDestinationNode(audioContext, { channelCount: 1 });
// Not at full scale: G.722 would clip it.
oscillator.connect(new GainNode(audioContext, { gain: 0.3 })).connect(microphone);
oscillator.start();
const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 240 });
const picture = canvas.getContext('2d');
let frame = 0;
setInterval(() => {
  picture.fillStyle = 'hsl(' + (frame++ * 7) % 360 + ' 80% 50%)';
  picture.fillRect(0, 0, 320, 240);
  picture.fillStyle = 'white';
  picture.fillRect((frame * 5) % 300, 100, 20, 20);
}, 66);
const camera = canvas.captureStream(15);
const tracks = { audio: microphone.stream.getAudioTracks()[0], video: camera.getVideoTracks()[0] };
const connections = new Map();

function makeConnection() {
  const peer = new RTCPeerConnection({ iceServers: [] });
  const made = { peer, analyser: undefined, elements: [], soundAt: undefined };
  peer.ontrack = ({ track }) => {
    const stream = new MediaStream([track]);
    const element = document.createElement('video');
    element.muted = true;
    element.autoplay = true;
    element.srcObject = stream;
    document.body.append(element);
    made.elements.push(element);
    if (track.kind !== 'audio') return;
    // The first packet unmutes the track. The statistics would show it up to 50 ms later: that long they are kept.
    track.onunmute = () => { made.soundAt ??= Date.now(); };
    made.analyser = new AnalyserNode(audioContext, { fftSize: 16384 });
    new MediaStreamAudioSourceNode(audioContext, { mediaStream: stream }).connect(made.analyser);
  };
  return made;
}

window.intercom = {
  async connect({ connection, sdp, microphone, camera }) {
    await audioContext.resume();
    const made = connections.get(connection) ?? makeConnection();
    connections.set(connection, made);
    const { peer } = made;
    await peer.setRemoteDescription({ type: 'offer', sdp });
    const wanted = peer.getTransceivers().filter(({ sender, receiver }) =>
      (receiver.track.kind === 'audio' ? microphone : camera) && sender.track === null);
    for (const transceiver of wanted) transceiver.direction = 'sendrecv';
    await peer.setLocalDescription();
    // After the answer, like the built-in page.
    for (const { sender, receiver } of wanted) void sender.replaceTrack(tracks[receiver.track.kind]);
    return peer.localDescription.sdp;
  },
  close(connection) {
    const made = connections.get(connection);
    made?.peer.close();
    for (const element of made?.elements ?? []) element.remove();
    connections.delete(connection);
  },
  /** Hertz of the loudest sound, 0 when there is none. */
  hertz() {
    const { analyser } = [...connections.values()].at(-1);
    if (analyser === undefined) return 0;
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    const loudest = levels.reduce((best, level, index) => (level > levels[best] ? index : best), 0);
    return levels[loudest] < -60 ? 0 : (loudest * audioContext.sampleRate) / analyser.fftSize;
  },
  async firstSoundAt() {
    for (;;) {
      const soundAt = [...connections.values()].at(-1)?.soundAt;
      if (soundAt !== undefined) return soundAt;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  },
  async stats() {
    const { peer } = [...connections.values()].at(-1);
    const found = { state: peer.connectionState, received: {}, sent: {} };
    for (const report of (await peer.getStats()).values()) {
      if (report.type === 'inbound-rtp') found.received[report.kind] = report;
      if (report.type === 'outbound-rtp') found.sent[report.kind] = report;
    }
    return found;
  },
};
</script>`;

/** The fields of the browser's statistics that tests check. */
interface PageStats {
  readonly state: string;
  readonly received: Partial<
    Record<
      'audio' | 'video',
      {
        framesDecoded: number;
        keyFramesDecoded: number;
        packetsReceived: number;
        packetsLost: number;
        concealedSamples: number;
        pliCount: number;
      }
    >
  >;
  readonly sent: Partial<
    Record<
      'audio' | 'video',
      {
        framesEncoded: number;
        packetsSent: number;
        keyFramesEncoded: number;
        pliCount: number;
        targetBitrate: number;
      }
    >
  >;
}

/** A small intercom page in real Chromium: it speaks a tone of 1 kHz and shows a moving box. */
export class ChromiumPage implements IntercomPage {
  onReset = (): void => {};
  readonly #kiosk: TestKiosk;

  private constructor(kiosk: TestKiosk) {
    this.#kiosk = kiosk;
  }

  /** @param t it ends with this test. */
  static async open(t: { after(end: () => unknown): void }): Promise<ChromiumPage> {
    const kiosk = await TestKiosk.open('/intercom', { '/intercom': PAGE });
    t.after(() => kiosk[Symbol.asyncDispose]());
    await kiosk.untilTrue('window.intercom !== undefined');
    return new ChromiumPage(kiosk);
  }

  connect(offer: Parameters<IntercomPage['connect']>[0]): Promise<string> {
    return this.#kiosk.evaluate(`intercom.connect(${JSON.stringify(offer)})`);
  }

  async close(connection: string): Promise<void> {
    await this.#kiosk.evaluate(`intercom.close(${JSON.stringify(connection)})`);
  }

  hertz(): Promise<number> {
    return this.#kiosk.evaluate('intercom.hertz()');
  }

  /** When the first packet that it plays arrived, as `Date.now()`. */
  firstSoundAt(): Promise<number> {
    return this.#kiosk.evaluate('intercom.firstSoundAt()');
  }

  stats(): Promise<PageStats> {
    return this.#kiosk.evaluate('intercom.stats()');
  }

  async play(): Promise<void> {}

  async setVolume(): Promise<void> {}
}
