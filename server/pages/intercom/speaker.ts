import type { IntercomTone } from '../../intercom/pageContract.ts';

/** Gain ramp of everything audible at its start and end: a step would click. */
const FADE_S = 0.02;
/** Loudness of the panel's own tones beside voices. */
const TONE_GAIN = 0.25;

/** A tone: these frequencies in Hz together for `on` seconds, then `off` seconds of silence, repeated. */
interface Pattern {
  readonly steps: readonly { readonly hertz: readonly number[]; readonly on: number; readonly off: number }[];
  readonly repeats: boolean;
}

const PATTERNS: Readonly<Record<Exclude<IntercomTone, 'none'>, Pattern>> = {
  ring: {
    repeats: true,
    steps: [
      { hertz: [659, 784], on: 0.35, off: 0.05 },
      { hertz: [523, 659], on: 0.6, off: 1.6 },
    ],
  },
  // Ringing and busy tones of telephones in Europe (ETSI TR 101 041-2): 425 Hz.
  ringback: { repeats: true, steps: [{ hertz: [425], on: 1, off: 4 }] },
  busy: { repeats: true, steps: [{ hertz: [425], on: 0.5, off: 0.5 }] },
  'auto-answer': {
    repeats: false,
    steps: [
      { hertz: [880], on: 0.18, off: 0.08 },
      { hertz: [1175], on: 0.3, off: 0 },
    ],
  },
};

/** The panel's loudspeaker: voices of calls and our own tones, with one volume for all. */
export class Speaker {
  readonly #context = new AudioContext({ latencyHint: 'interactive' });
  readonly #master = new GainNode(this.#context, { gain: 1 });
  readonly #voices = new Set<MediaStreamAudioSourceNode>();
  #tone: { stop(): void } | undefined;

  constructor() {
    this.#master.connect(this.#context.destination);
    this.#rest();
  }

  /** 0 to 1, for everything audible. */
  set volume(volume: number) {
    this.#master.gain.setTargetAtTime(volume, this.#context.currentTime, FADE_S);
  }

  /** Starts a tone and ends the one before; a tone that does not repeat is over when this resolves. */
  async play(tone: IntercomTone): Promise<void> {
    this.#tone?.stop();
    this.#tone = undefined;
    if (tone === 'none') return this.#rest();
    const starting = { stop: () => {} };
    this.#tone = starting;
    await this.#context.resume();
    // A later request has overtaken this one.
    if (this.#tone !== starting) return;
    const playing = this.#begin(PATTERNS[tone]);
    this.#tone = playing;
    await playing.over;
    if (PATTERNS[tone].repeats || this.#tone !== playing) return;
    this.#tone = undefined;
    this.#rest();
  }

  /** Plays a voice. @returns the function that stops it */
  hear(track: MediaStreamTrack): () => void {
    void this.#context.resume();
    const stream = new MediaStream([track]);
    // Chromium decodes a remote track only while an element plays it as well.
    const element = new Audio();
    element.muted = true;
    element.srcObject = stream;
    void element.play().catch(() => {});
    const source = new MediaStreamAudioSourceNode(this.#context, { mediaStream: stream });
    source.connect(this.#master);
    this.#voices.add(source);
    return () => {
      source.disconnect();
      element.srcObject = null;
      this.#voices.delete(source);
      this.#rest();
    };
  }

  /** A panel is silent nearly all the time: meanwhile it must not keep the sound card busy. */
  #rest(): void {
    if (this.#tone === undefined && this.#voices.size === 0) void this.#context.suspend();
  }

  /** `over` resolves at once for a tone that repeats. */
  #begin({ steps, repeats }: Pattern): { stop(): void; over: Promise<void> } {
    const gain = new GainNode(this.#context, { gain: 0 });
    gain.connect(this.#master);
    const oscillators = new Set<OscillatorNode>();
    let timer = 0;
    const end = Promise.withResolvers<void>();
    const schedule = (start: number): void => {
      let at = start;
      for (const { hertz, on, off } of steps) {
        gain.gain.setTargetAtTime(TONE_GAIN / hertz.length, at, FADE_S / 4);
        gain.gain.setTargetAtTime(0, at + on - FADE_S, FADE_S / 4);
        for (const frequency of hertz) {
          const oscillator = new OscillatorNode(this.#context, { frequency });
          oscillator.connect(gain);
          oscillator.start(at);
          oscillator.stop(at + on);
          oscillators.add(oscillator);
          oscillator.onended = () => oscillators.delete(oscillator);
        }
        at += on + off;
      }
      const wait = (at - this.#context.currentTime) * 1000;
      if (repeats) timer = window.setTimeout(() => schedule(at), wait - 100);
      else timer = window.setTimeout(end.resolve, wait);
    };
    schedule(this.#context.currentTime + FADE_S);
    const stop = () => {
      clearTimeout(timer);
      for (const oscillator of oscillators) oscillator.disconnect();
      gain.disconnect();
      end.resolve();
    };
    return { stop, over: repeats ? Promise.resolve() : end.promise };
  }
}
