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
export class Sources {
  readonly #open = new Map<'audio' | 'video', Source>();

  /** @throws DOMException when there is none, or another program uses it. */
  async take(kind: 'audio' | 'video'): Promise<{ track: MediaStreamTrack; release: () => void }> {
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

async function openTrack(kind: 'audio' | 'video'): Promise<MediaStreamTrack> {
  const [track] = (await navigator.mediaDevices.getUserMedia(CONSTRAINTS[kind])).getTracks();
  if (track === undefined) throw new Error('no track');
  return track;
}
