import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { ClosedPorts } from '../../platform/net/checkedRequest.ts';
import type { CallContext } from '../callContext.ts';
import { type DownloadOptions, download } from '../download.ts';

/** Room on the disk for one file. It ends with `release`, however much was written. */
interface Room {
  /** Bytes that are written next. @throws FaceplateError STORAGE_FULL */
  take(bytes: number): Promise<void>;
  release(): void;
}

/** A new file for an archive, and what bounds it. */
interface ArchivePlace {
  /** Path of a file that is not there yet. */
  readonly path: string;
  /** Aborts when the caller is gone or the projects end. */
  readonly signal: AbortSignal;
  /** Claims room; undefined when the size is not known. @throws FaceplateError STORAGE_FULL */
  claim(bytes: number | undefined): Promise<Room>;
}

/** What a fetch needs from the projects. */
interface ProjectInstaller {
  /**
   * Installs the archive that `write` puts in its place. The place is gone afterwards, also after a crash.
   * @param write gives the SHA-256 of the file in hex
   * @throws FaceplateError INVALID_REQUEST, CONFLICT (another project has the id), STORAGE_FULL, and what `write` throws;
   * nothing changed then
   */
  installWritten(
    name: string,
    write: (place: ArchivePlace) => Promise<string>,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.install'>>;
  /** @throws FaceplateError PROJECT_NOT_FOUND, STORAGE_FULL */
  activate(params: { id: string }): Promise<unknown>;
}

/** Longest wait of a panel that got the call with others, in milliseconds: a server is not asked by a thousand at once. */
const SPREAD_MS = 30_000;
/** Largest archive, in bytes: that of an upload. */
const ARCHIVE_LIMIT = 512 * 1024 * 1024;
/** Time between two events of the same state, in milliseconds. */
const EVENT_EVERY_MS = 500;

interface ProjectFetchOptions {
  readonly projects: ProjectInstaller;
  readonly closedPorts: () => ClosedPorts;
  /** Certificate authorities that https is judged by, as PEM. */
  readonly authorities: () => readonly string[];
  readonly events: Pick<EventBus, 'emit'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1, for tests. */
  readonly random?: () => number;
  readonly lookup?: DownloadOptions['lookup'];
}

type State = EventPayload<'project'>['state'];

/** Fetches projects from an address, one at a time, and installs them as an upload. */
export class ProjectFetchService {
  readonly #options: ProjectFetchOptions;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: ProjectFetchOptions) {
    this.#options = options;
  }

  /** Ends a running fetch, with SHUTTING_DOWN for its caller. */
  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    await this.#running?.catch(() => {});
  }

  /**
   * @throws FaceplateError CONFLICT (another fetch is running, another project has the id), UPDATE_FAILED, TOO_LARGE,
   * INVALID_REQUEST (`sha256` differs, or what an upload is refused for), STORAGE_FULL; nothing changed then
   */
  async fetch(
    params: ParamsOf<'projects.fetch'>,
    { signal, isOneOfMany = false }: CallContext,
  ): Promise<ResultOf<'projects.fetch'>> {
    if (this.#running) throw new FaceplateError('CONFLICT', 'A project is being fetched already.');
    const ends = AbortSignal.any([signal, this.#stopping.signal]);
    const running = this.#fetch(params, isOneOfMany, ends);
    this.#running = running;
    try {
      return await running;
    } catch (error) {
      throw ends.aborted ? ends.reason : error;
    } finally {
      this.#running = undefined;
    }
  }

  async #fetch(
    { url, sha256, name, activate }: ParamsOf<'projects.fetch'>,
    isOneOfMany: boolean,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.fetch'>> {
    const { projects, events, clock, log, random = Math.random } = this.#options;
    const progress = new Progress(name, events, clock);
    try {
      signal.throwIfAborted();
      progress.tell('fetching');
      if (isOneOfMany) await pause(random() * SPREAD_MS, clock, signal);
      signal.throwIfAborted();
      const write = async (place: ArchivePlace): Promise<string> => {
        const digest = await this.#download(url, place, progress);
        if (digest !== sha256.toLowerCase())
          throw new FaceplateError(
            'INVALID_REQUEST',
            'The SHA-256 of the archive is another one. Nothing was changed.',
            { field: 'sha256' },
          );
        progress.tell('unpacking');
        return digest;
      };
      const installed = await projects.installWritten(name, write, signal);
      if (activate && !installed.active) await projects.activate({ id: installed.id });
      progress.tell('installed');
      return { ...installed, active: installed.active || activate };
    } catch (error) {
      progress.tell('failed');
      // The address may hold a login or a signature.
      log.warn({ project: name, host: new URL(url).host, err: error }, 'projects: could not fetch a project');
      throw error;
    }
  }

  #download(url: string, place: ArchivePlace, progress: Progress): Promise<string> {
    const { closedPorts, authorities, clock, lookup } = this.#options;
    return download(url, place, {
      what: 'archive',
      limitBytes: ARCHIVE_LIMIT,
      closedPorts: closedPorts(),
      authorities: authorities(),
      clock,
      ...(lookup && { lookup }),
      onProgress: (received, total) => progress.received(received, total),
    });
  }
}

/** Announces how far a fetch is: each state at once, bytes at a bounded rate. */
class Progress {
  readonly #name: string;
  readonly #events: Pick<EventBus, 'emit'>;
  readonly #clock: Clock;
  #received = 0;
  #total: number | null = null;
  #toldAt = 0;

  constructor(name: string, events: Pick<EventBus, 'emit'>, clock: Clock) {
    this.#name = name;
    this.#events = events;
    this.#clock = clock;
  }

  tell(state: State): void {
    this.#toldAt = this.#clock.now();
    this.#events.emit('project', {
      name: this.#name,
      state,
      received: this.#received,
      total: this.#total,
    });
  }

  received(received: number, total: number | null): void {
    this.#received = received;
    this.#total = total;
    if (this.#clock.now() - this.#toldAt >= EVENT_EVERY_MS) this.tell('fetching');
  }
}
