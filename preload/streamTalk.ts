import type { Sender, StreamTalk, TalkFactory } from './streamTools.ts';

interface Track {
  stop(): void;
}
/** The parts of the page's global object that the microphone needs. */
interface TalkGlobal {
  /** Without `mediaDevices` in a page that is not secure. */
  readonly navigator?: {
    readonly mediaDevices?: { getUserMedia(wanted: object): Promise<{ getTracks(): Track[] }> };
  };
  faceplateTalk?: TalkFactory | undefined;
}

/**
 * Provides the maker of microphones to offerStreams, which removes it from the page before the page's first script. Copied
 * into the page as text, like installBridge: it must not use anything outside itself.
 * @param page the global object; null means the one the function runs in.
 */
export function offerTalk(page: TalkGlobal | null): void {
  const scope = page ?? (globalThis as unknown as TalkGlobal);
  const devices = scope.navigator?.mediaDevices;
  const openMicrophone = devices?.getUserMedia.bind(devices);
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

  scope.faceplateTalk = (failure): StreamTalk => {
    let state = 'none';
    let reason: string | null = null;
    let sender: Sender | undefined;
    /** While the page presses. */
    let pressed: object | undefined;
    let microphone: Track[] = [];

    const stop = (tracks: readonly Track[]) => {
      for (let i = 0; i < tracks.length; i++) tracks[i]!.stop();
    };

    const release = () => {
      pressed = undefined;
      stop(microphone);
      microphone = [];
      sender?.replaceTrack(null).catch(() => {});
    };

    return {
      fields: () => (reason === null ? { talk: state } : { talk: state, talkReason: reason }),
      ready: (to) => {
        sender = to;
        if (state === 'none') state = 'ready';
      },
      hear: (event) => {
        state = event.state;
        reason = event.reason;
        return sender !== undefined;
      },
      end: () => {
        release();
        sender = undefined;
        state = 'none';
        reason = null;
      },
      release,
      press: async () => {
        const to = sender;
        if (to === undefined)
          throw failure('The camera takes no voice, or has not answered yet.', 'UNSUPPORTED_HARDWARE', 'id');
        if (openMicrophone === undefined)
          throw failure(
            'This page may not use a microphone: see kiosk.secureOrigins.',
            'UNSUPPORTED_HARDWARE',
          );
        if (pressed !== undefined) return;
        const press = {};
        pressed = press;
        try {
          const tracks = (await openMicrophone({ audio })).getTracks();
          // Released meanwhile.
          if (pressed !== press) stop(tracks);
          else {
            microphone = tracks;
            await to.replaceTrack(tracks[0]!);
          }
        } catch (error) {
          if (pressed === press) release();
          const isRefused = (error as { name?: string }).name === 'NotAllowedError';
          throw isRefused
            ? failure('This page may not use the microphone.', 'FORBIDDEN')
            : failure('There is no microphone that works.', 'UNSUPPORTED_HARDWARE');
        }
      },
    };
  };
}
