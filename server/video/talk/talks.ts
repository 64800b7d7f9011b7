import { FaceplateError } from '../../contract/errors.ts';
import type { SipEvent } from '../../intercom/sipContract.ts';
import { RunningWork } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import type { MediaLimits } from '../limits.ts';
import type { CameraAccess, CameraUrl } from '../rtsp/cameraUrl.ts';
import type { AudioTrack } from '../tracks.ts';
import { BackChannel, type TalkOffer, type VoicePath } from './backChannel.ts';
import { SilenceCheck, VoiceStream } from './voice.ts';

/** The talk ends so long after the last voice, in milliseconds. */
const LINGER_MS = 3_000;
/** After a failure, voice counts as a new try once it has paused for so long, in milliseconds. */
const PAUSE_MS = 500;
/** No try with a login that the camera has refused, in milliseconds: it may lock the user. */
const REFUSED_MS = 60_000;
/** How long what a camera says about its back channel is believed, in milliseconds. */
const BELIEVED_MS = 600_000;
/** Most cameras whose word is remembered; the oldest is dropped first. */
const MAX_REMEMBERED = 64;
/** So long without a packet of any viewer, and the microphone counts as closed, in milliseconds. */
const CLOSED_MS = 400;
const NOTHING: TalkOffer = { tracks: [], codecs: [] };

const OTHER_TALKS = 'Somebody else talks to this camera.';
const IN_CALL = 'The intercom has a call.';

/** What a viewer who may talk does, or why he cannot. */
export type TalkState = 'ready' | 'talking' | 'busy' | 'failed';

/** How one viewer talks to a camera. */
interface TalkerOptions {
  /** The same for all viewers of a camera. */
  readonly key: string;
  /** The format that was agreed on with the viewer. */
  readonly track: AudioTrack;
  /** Bytes of a packet, for codecs with one byte per tick. */
  readonly packetBytes: number;
  /** Makes the way to the camera, for each talk anew. */
  readonly path: (onClosed: (error: FaceplateError) => void) => VoicePath;
  /** The state is another one now. */
  readonly onState: (state: TalkState, reason: string | null) => void;
}

interface TalksOptions {
  readonly access: CameraAccess;
  readonly limits: MediaLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who talks to which camera: one viewer at a time, and none while the intercom has a call. */
export class Talks {
  readonly #options: TalksOptions;
  readonly #floors = new Map<string, Floor>();
  /** What cameras have said, the oldest first. */
  readonly #known = new Map<string, { readonly at: number; readonly offer: Promise<TalkOffer> }>();
  /** Connections that are closing. */
  readonly #ending = new RunningWork();
  #hasCall = false;
  #isPaging = false;

  constructor(options: TalksOptions) {
    this.#options = options;
  }

  /**
   * What a camera takes; remembered, also that it takes nothing. Never rejects.
   * @param key of the camera
   * @param again whether to ask in any case
   */
  ask(key: string, url: CameraUrl, again = false): Promise<TalkOffer> {
    const { clock } = this.#options;
    const known = this.#known.get(key);
    if (!again && known !== undefined && clock.now() - known.at < BELIEVED_MS) return known.offer;
    const channel = this.channelTo(url);
    const offer = channel.ask().catch((error: unknown) => {
      this.#options.log.info(
        { camera: url.host, err: error },
        'video: a camera says nothing about a back channel',
      );
      // What has to do with the network may be over the next time.
      const isLasting = error instanceof FaceplateError && LASTING.has(error.code);
      if (!isLasting && this.#known.get(key)?.offer === offer) this.#known.delete(key);
      return NOTHING;
    });
    void this.#ending.add(offer);
    this.#known.delete(key);
    this.#known.set(key, { at: clock.now(), offer });
    if (this.#known.size > MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    return offer;
  }

  /** A connection of its own for voice. */
  channelTo(url: CameraUrl, onClosed?: (error: FaceplateError) => void): BackChannel {
    const { access, limits, clock } = this.#options;
    return new BackChannel({ url, access, limits, clock, ...(onClosed && { onClosed }) });
  }

  /** A viewer may talk from now on, until it leaves. */
  join(options: TalkerOptions): Talker {
    let floor = this.#floors.get(options.key);
    if (floor === undefined) {
      const { clock, log } = this.#options;
      floor = new Floor({ clock, log, ends: (ending) => void this.#ending.add(ending) });
      floor.setCall(this.#hasCall || this.#isPaging);
      this.#floors.set(options.key, floor);
    }
    const talker = new Talker(options, floor, () => {
      if (floor.isEmpty && this.#floors.get(options.key) === floor) this.#floors.delete(options.key);
    });
    floor.enter(talker);
    return talker;
  }

  /** What happens to the calls of the intercom, which come before every talk. */
  hearOfCall(event: SipEvent): void {
    const wasInCall = this.#hasCall || this.#isPaging;
    if (event.event === 'callConnected') this.#hasCall = true;
    else if (event.event === 'callEnded' || event.event === 'callFailed') this.#hasCall = false;
    else if (event.event === 'pagingStatusChanged') this.#isPaging = event.payload.activeCount > 0;
    const isInCall = this.#hasCall || this.#isPaging;
    if (isInCall !== wasInCall) for (const floor of this.#floors.values()) floor.setCall(isInCall);
  }

  /** Resolves when all connections are gone; after all viewers have left. */
  async stop(): Promise<void> {
    await this.#ending.done();
  }
}

/** Errors of a camera that does not answer such a question, and will not the next time. */
const LASTING: ReadonlySet<string> = new Set(['CAMERA_PROTOCOL', 'CAMERA_TIMEOUT', 'CAMERA_UNAUTHORIZED']);

/** One viewer who may talk. */
export class Talker {
  readonly options: TalkerOptions;
  readonly #floor: Floor;
  readonly #onLeft: () => void;
  readonly #silence: SilenceCheck;
  #state: TalkState | undefined;
  #reason: string | null = null;
  /** When its last voice came. */
  voiceAt = Number.NEGATIVE_INFINITY;
  /** No try before this moment. */
  refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: TalkerOptions, floor: Floor, onLeft: () => void) {
    this.options = options;
    this.#floor = floor;
    this.#onLeft = onLeft;
    this.#silence = new SilenceCheck(options.track.rtpmap);
  }

  get state(): TalkState {
    return this.#state ?? 'ready';
  }

  /** Takes a packet of the viewer's microphone. */
  speak(packet: RtpPacket): void {
    this.#floor.hear(this, packet, this.#silence.isSilent(packet.payload));
  }

  leave(): void {
    this.#floor.leave(this);
    this.#onLeft();
  }

  become(state: TalkState, reason: string | null = null): void {
    if (this.#state === state && this.#reason === reason) return;
    this.#state = state;
    this.#reason = reason;
    this.options.onState(state, reason);
  }
}

interface FloorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Something closes. */
  readonly ends: (ending: Promise<void>) => void;
}

/** A talk, from the first voice on. */
interface Talk {
  readonly by: Talker;
  readonly voice: VoiceStream;
  readonly path: VoicePath;
  /** When voice came last. */
  heardAt: number;
  cancel: () => void;
}

/** The viewers who may talk to one camera, and the one who does. */
class Floor {
  readonly #options: FloorOptions;
  readonly #talkers = new Set<Talker>();
  #talk: Talk | undefined;
  #isInCall = false;

  constructor(options: FloorOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#talkers.size === 0;
  }

  enter(talker: Talker): void {
    this.#talkers.add(talker);
    if (this.#isInCall) talker.become('busy', IN_CALL);
    else if (this.#talk !== undefined) talker.become('busy', OTHER_TALKS);
    else talker.become('ready');
  }

  leave(talker: Talker): void {
    if (this.#talk?.by === talker) this.#end();
    this.#talkers.delete(talker);
  }

  setCall(isInCall: boolean): void {
    this.#isInCall = isInCall;
    if (isInCall) this.#end('busy', IN_CALL);
    else for (const talker of this.#talkers) talker.become('ready');
  }

  hear(talker: Talker, packet: RtpPacket, isSilent: boolean): void {
    const now = this.#options.clock.now();
    if (!isSilent) {
      const pause = now - talker.voiceAt;
      talker.voiceAt = now;
      const mayBegin = talker.state !== 'failed' || (pause >= PAUSE_MS && now >= talker.refusedUntil);
      if (this.#talk === undefined && !this.#isInCall && mayBegin) this.#begin(talker);
    }
    if (this.#talk?.by !== talker) return;
    if (!isSilent) this.#talk.heardAt = now;
    this.#talk.voice.push(packet);
  }

  #begin(talker: Talker): void {
    const { clock } = this.#options;
    const { track, packetBytes, path: makePath } = talker.options;
    const { clockRate } = track.format;
    const isBytewise = clockRate === 8_000;
    const path = makePath((error) => this.#fail(talk, error));
    const voice = new VoiceStream({ clockRate, packetBytes: isBytewise ? packetBytes : undefined }, clock);
    const talk: Talk = { by: talker, voice, path, heardAt: clock.now(), cancel: () => {} };
    this.#talk = talk;
    for (const other of this.#talkers) if (other !== talker) other.become('busy', OTHER_TALKS);
    this.#watch(talk);
    path.open(track.rtpmap).then(
      ({ format }) => {
        if (this.#talk !== talk) return;
        voice.open(format.payloadType, (packet) => path.send(packet));
        talker.become('talking');
      },
      (error: unknown) => this.#fail(talk, error),
    );
  }

  #watch(talk: Talk): void {
    const { clock } = this.#options;
    const left = talk.heardAt + LINGER_MS - clock.now();
    if (left <= 0) this.#end();
    else talk.cancel = clock.after(left, () => this.#watch(talk));
  }

  #fail(talk: Talk, error: unknown): void {
    if (this.#talk !== talk) return;
    const { clock, log } = this.#options;
    const { by } = talk;
    log.warn({ err: error }, 'video: a camera does not take voice');
    if (error instanceof FaceplateError && error.code === 'CAMERA_UNAUTHORIZED')
      by.refusedUntil = clock.now() + REFUSED_MS;
    by.become('failed', error instanceof FaceplateError ? error.message : 'The camera takes no voice.');
    this.#end();
  }

  /** Ends a talk. @param state of all viewers from now on; one who has failed stays so until his next try */
  #end(state: 'ready' | 'busy' = 'ready', reason: string | null = null): void {
    const talk = this.#talk;
    this.#talk = undefined;
    if (talk !== undefined) {
      talk.cancel();
      talk.voice.stop();
      this.#options.ends(talk.path.close());
    }
    for (const talker of this.#talkers)
      if (state === 'busy' || talker.state !== 'failed') talker.become(state, reason);
  }
}

/**
 * Whether the microphone of the panel is open for a camera: judged by the packets that come, not by what a page says, so
 * that no page can listen unseen.
 */
export class Microphones {
  readonly #clock: Clock;
  readonly #onChange: (isOpen: boolean) => void;
  #heardAt = 0;
  #isOpen = false;
  #cancel = (): void => {};

  constructor(clock: Clock, onChange: (isOpen: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** A packet of a microphone came. */
  hear(): void {
    this.#heardAt = this.#clock.now();
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#onChange(true);
    this.#watch();
  }

  stop(): void {
    this.#cancel();
    if (this.#isOpen) this.#onChange(false);
    this.#isOpen = false;
  }

  #watch(): void {
    const left = this.#heardAt + CLOSED_MS - this.#clock.now();
    if (left <= 0) this.stop();
    else this.#cancel = this.#clock.after(left, () => this.#watch());
  }
}
