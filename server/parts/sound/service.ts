import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import type { SipEvent } from '../../intercom/sipContract.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import { soundNames } from './contract.ts';
import type { SoundDecoder, SoundDriver, Voice } from './driver.ts';
import { openSound, type SoundPlaces, soundAddress } from './files.ts';
import { type Piece, play } from './player.ts';
import { Job, type SoundHandle, SoundQueue, type SoundRequest, soundMeant } from './queue.ts';
import { tone } from './tones.ts';

export { type SoundHandle, type SoundRequest, soundMeant } from './queue.ts';

interface SoundOptions {
  readonly driver: SoundDriver;
  readonly decoder: SoundDecoder;
  readonly voice: Voice;
  readonly places: SoundPlaces;
  /** Of the panel, for texts that name none. */
  language(): string;
  readonly events: EventBus;
  readonly log: Logger;
}

/**
 * Sounds and speech of the panel: one after the other, silent while somebody speaks over the intercom. How loud the
 * panel is, and whether it is muted, is set elsewhere and holds for all of them.
 */
export class SoundService {
  readonly #options: SoundOptions;
  readonly #part: Device<SoundDriver>;
  readonly #queue: SoundQueue;
  /** Calls of the intercom that ring or are under way. */
  readonly #calls = new Set<string>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: SoundOptions) {
    this.#options = options;
    this.#part = new Device('sound device', options.driver, options.log);
    this.#queue = new SoundQueue({
      play: (job) => this.#play(job),
      onEnded: (job, failure) => this.#ended(job, failure),
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe ??= this.#options.events.onAny((name, payload) => {
      if (name === 'sip') this.#heard(payload as SipEvent);
    });
    // A device that is slow to open does not delay the start: the first sound waits for it.
    void this.#part.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#queue.endAll();
    await this.#part.stop();
    await this.#queue.settled();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, CONFLICT, MEDIA_UNREACHABLE, INVALID_REQUEST */
  async play(params: ParamsOf<'sound.play'>, { signal }: CallContext): Promise<ResultOf<'sound.play'>> {
    if (params.url !== undefined) soundAddress(params.url, this.#options.places);
    return this.#answer(params as SoundRequest, signal);
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, CONFLICT, INVALID_REQUEST */
  async speak(params: ParamsOf<'sound.speak'>, { signal }: CallContext): Promise<ResultOf<'sound.speak'>> {
    const { chime, language, ...spoken } = params;
    if (language !== undefined && (await this.#options.voice.find(language)) === undefined) {
      const sentence = `The panel has no voice for the language ${language}.`;
      throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'language' });
    }
    const request = { ...spoken, ...(language && { language }), ...(chime && { name: 'chime' }) };
    return this.#answer(request as SoundRequest, signal);
  }

  /** Ends everything, for the command `sound.stop`. */
  async silence(): Promise<ResultOf<'sound.stop'>> {
    this.#queue.endAll();
    return { status: 'stopped' };
  }

  /**
   * A sound of another service, such as that of a message; its events carry the given id. Failures are only announced.
   * It does not wait for a free place when it is urgent.
   */
  begin(request: SoundRequest): SoundHandle {
    const job = new Job(request.id ?? randomUUID(), request, true);
    try {
      if (this.#queue.isHeld && !job.lasts) this.#ended(job);
      else this.#queue.add(job);
    } catch (error) {
      this.#ended(job, error);
    }
    return { id: job.id, stop: () => this.#queue.end(job) };
  }

  async #answer(request: SoundRequest, signal: AbortSignal): Promise<{ id: string }> {
    // A caller who has to wait learns at once that there is no loudspeaker.
    await this.#part.use(async () => {});
    signal.throwIfAborted();
    if (this.#queue.isHeld)
      throw new FaceplateError('CONFLICT', 'The intercom is in use. Sounds play again after the call.');
    const isFirst = this.#queue.isFree;
    const job = new Job(randomUUID(), request, !isFirst);
    this.#queue.add(job);
    if (isFirst) {
      const leave = () => {
        if (!job.hasBegun) this.#queue.end(job);
      };
      signal.addEventListener('abort', leave, { once: true });
      await job.begun.finally(() => signal.removeEventListener('abort', leave));
      signal.throwIfAborted();
    }
    return { id: job.id };
  }

  /**
   * What another service wants to play later.
   * @throws FaceplateError INVALID_REQUEST with the given field for what can be no sound
   */
  async assertSound(sound: string, field: string): Promise<void> {
    const { url } = soundMeant(sound);
    if (url === undefined) return;
    const { places } = this.#options;
    try {
      const address = soundAddress(url, places);
      // Only the files of the project can be looked at without asking another machine.
      if (address.origin === places.origin())
        await (await openSound(address, places, AbortSignal.abort())).close();
    } catch {
      const allowed = `${soundNames.join(', ')}, an http or https address, or a file of the active project`;
      const sentence = `There is no sound ${JSON.stringify(sound.slice(0, 100))}. Give one of ${allowed}.`;
      throw new FaceplateError('INVALID_REQUEST', sentence, { field });
    }
  }

  async #play(job: Job): Promise<void> {
    try {
      await this.#perform(job, job.request);
    } catch (error) {
      const { instead: name, url: _failed, ...request } = job.request;
      if (name === undefined || job.signal.aborted) throw error;
      this.#options.log.warn(
        { err: error, sound: job.id, instead: name },
        'sound: could not play, plays another',
      );
      await this.#perform(job, { ...request, name });
    }
  }

  async #perform(job: Job, request: SoundRequest): Promise<void> {
    const { signal } = job;
    const files: FileHandle[] = [];
    try {
      const pieces = await this.#pieces(request, files, signal);
      await this.#part.use((driver) =>
        play(driver, {
          pieces,
          times: request.repeat === 'untilStopped' ? Number.POSITIVE_INFINITY : (request.repeat ?? 1),
          volume: request.volume ?? 100,
          signal,
          onBegun: () => this.#begun(job),
        }),
      );
    } finally {
      for (const file of files) await file.close();
    }
  }

  async #pieces(
    { name, url, text, language }: SoundRequest,
    files: FileHandle[],
    signal: AbortSignal,
  ): Promise<Piece[]> {
    const { places, decoder, voice } = this.#options;
    const pieces: Piece[] = [];
    if (name !== undefined) pieces.push(async () => tone(name));
    if (url !== undefined) {
      const file = await openSound(soundAddress(url, places), places, signal);
      files.push(file);
      pieces.push((round) => decoder.decode(file, round));
    }
    if (text !== undefined) {
      const speaker =
        (await voice.find(language ?? this.#options.language())) ?? (await voice.find('en')) ?? 'en';
      const spoken = spokenText(text);
      pieces.push((round) => voice.speak(spoken, speaker, round));
    }
    return pieces;
  }

  #begun(job: Job): void {
    if (job.hasBegun) return;
    job.begin();
    this.#options.events.emit('sound', { id: job.id, action: 'started' });
  }

  #ended(job: Job, failure?: unknown): void {
    const { events, log } = this.#options;
    // The caller of a sound that failed before its answer has the failure itself.
    if (failure !== undefined && job.isKnown)
      log.warn({ err: failure, sound: job.id }, 'sound: could not play');
    if (job.isKnown) events.emit('sound', { id: job.id, action: failure === undefined ? 'ended' : 'failed' });
  }

  #heard({ event, payload }: SipEvent): void {
    if (event === 'incomingCall' || event === 'callConnected') this.#calls.add(payload.callId);
    else if (event === 'callEnded') this.#calls.delete(payload.callId);
    else return;
    if (this.#calls.size > 0) this.#queue.hold();
    else if (this.#queue.isHeld) this.#queue.release();
  }
}

/**
 * A text as it is read aloud. Speech engines take control characters as commands (Ctrl-A changes the voice, or plays a
 * file) and `[[...]]` as phonemes: here they are text.
 */
function spokenText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, (controls) => (/[\n\r]/.test(controls) ? '\n' : ' '))
    .replace(/\[(?=\[)/g, '[ ');
}
