import { randomUUID } from 'node:crypto';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { GlassEvent, MessageOnGlass } from '../../kiosk/glass/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { MessageEvent } from './contract.ts';
import { pictureAddress } from './picture.ts';
import { MessageQueue, type Queued } from './queue.ts';

/** Where messages are shown: the layer above the kiosk page. */
interface MessageScreen {
  /**
   * Shows this message in place of the one before, or none. Resolves when it is on the screen.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  show(message: MessageOnGlass | null): Promise<void>;
  /** Calls back for what a person does there. @returns the function that ends it */
  onEvent(listener: (event: GlassEvent) => void): () => void;
}

/** What is heard with a message. */
export interface HeardMessage {
  /** Of the message: the events of the sound carry it. */
  readonly id: string;
  /** Name of a sound, or an address. */
  readonly sound: string | null;
  /** What is read out. */
  readonly speak: string | null;
  /** It comes before all others, and repeats until it is ended. */
  readonly isAlarm: boolean;
}

/** Where messages are heard. */
interface MessageSound {
  /** @throws FaceplateError INVALID_REQUEST for what can be no sound */
  assertSound(sound: string): Promise<void>;
  /** Begins, or waits for its turn; failures are its own to tell. @returns the function that ends it; safe to call twice */
  begin(heard: HeardMessage): () => void;
}

/** Where pictures come from. */
interface MessagePictures {
  /** Bytes of an address of a stranger, bounded in size and time. @throws when it cannot be fetched */
  fetch(address: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** What the panel does meanwhile. */
interface MessagePanel {
  /** Whether the schedule lets it sleep. */
  isAsleep(): boolean;
  /** Calls back when it falls asleep or wakes. @returns the function that ends it */
  onPower(listener: () => void): () => void;
  /** Wakes it as a touch does, and keeps it awake. @returns the function that ends it; safe to call twice */
  hold(): () => void;
}

interface MessageOptions {
  readonly screen: MessageScreen;
  readonly panel: MessagePanel;
  readonly sound: MessageSound;
  readonly pictures: MessagePictures;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly log: Logger;
}

type Action = MessageEvent['action'];

/** A message that is shown or waits. */
interface Message extends Queued {
  readonly params: ParamsOf<'message.show'>;
  /** Milliseconds that it is still shown; null until it is dismissed. */
  leftMs: number | null;
  /** As `MessageOnGlass.image`; undefined until it is asked for. */
  image: string | null | undefined;
  /** Ends its sound; undefined until it has begun. */
  endSound: (() => void) | undefined;
  /** Its id on the glass: a touch never counts for a message that replaced the one that was touched. */
  readonly key: string;
}

/** A message that is shown, or on its way to the screen. */
interface Shown {
  readonly message: Message;
  readonly since: number;
  readonly placed: Promise<void>;
  /** Ends timer and picture. */
  readonly end: () => void;
}

/** Messages of callers above every page: one is shown, the others wait. */
export class MessageService {
  readonly #options: MessageOptions;
  readonly #queue = new MessageQueue<Message>();
  #shown: Shown | undefined;
  #isStopped = false;
  #isSettling = false;
  #ends: (() => void)[] = [];
  #release = (): void => {};

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { screen, panel } = this.#options;
    this.#ends = [screen.onEvent((event) => this.#hear(event)), panel.onPower(() => this.#settle())];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#ends.splice(0)) end();
    for (const { endSound } of this.#queue.clear()) endSound?.();
    this.#takeDown();
    this.#hold(() => {});
  }

  /**
   * Answers when the message is on the screen, or waits for another.
   * @throws FaceplateError INVALID_REQUEST (no such sound), CONFLICT (20 wait already), UNSUPPORTED_HARDWARE (no screen)
   */
  async show(params: ParamsOf<'message.show'>): Promise<ResultOf<'message.show'>> {
    if (params.sound !== undefined) await this.#options.sound.assertSound(params.sound);
    if (this.#isStopped) throw new FaceplateError('SHUTTING_DOWN');
    const id = params.id ?? randomUUID();
    const isAlarm = params.level === 'alarm';
    const old = this.#queue.byId(id);
    const next = this.#queue.nextTurn();
    const turn = old !== undefined && old.isAlarm === isAlarm ? old.turn : next;
    const key = String(next);
    const leftMs = params.seconds === 0 ? null : params.seconds * 1_000;
    const message: Message = {
      id,
      isAlarm,
      turn,
      key,
      params,
      leftMs,
      image: undefined,
      endSound: undefined,
    };
    const pushedOut = this.#queue.add(message, this.#options.panel.isAsleep());
    if (old !== undefined) this.#tellEnd(old, 'replaced');
    if (pushedOut !== undefined) this.#tellEnd(pushedOut, 'dismissed');
    this.#settle();
    if (this.#shown?.message === message) {
      try {
        await this.#shown.placed;
      } catch (error) {
        if (this.#queue.remove(message)) this.#settle();
        throw error;
      }
    }
    return { id };
  }

  /** @throws FaceplateError NOT_FOUND */
  async remove({ id }: ParamsOf<'message.remove'>): Promise<ResultOf<'message.remove'>> {
    const message = this.#queue.byId(id);
    if (message === undefined)
      throw new FaceplateError('NOT_FOUND', 'No message with this id is shown or waits.');
    this.#end(message, 'dismissed');
    return { status: 'removed' };
  }

  #hear(event: GlassEvent): void {
    const shown = this.#shown;
    if (event.slot !== 'message' || shown === undefined || event.id !== shown.message.key) return;
    const { message } = shown;
    const buttons = message.params.buttons ?? [];
    if (event.did === 'dismissed') {
      // With buttons one of them is the answer: nothing else ends it.
      if (buttons.length === 0) this.#end(message, 'dismissed');
    } else if (buttons.some(({ id }) => id === event.button)) this.#end(message, 'pressed', event.button);
  }

  #end(message: Message, action: Action, button?: string): void {
    if (!this.#queue.remove(message)) return;
    this.#tellEnd(message, action, button);
    this.#settle();
  }

  /** What was never on the screen was never shown: only its end is announced. */
  #tellEnd({ id, isAlarm, endSound }: Message, action: Action, button?: string): void {
    // What is read out may last longer than the message.
    if (isAlarm || action !== 'expired') endSound?.();
    this.#options.events.emit('message', { id, action, ...(button !== undefined && { button }) });
  }

  /** Shows the message whose turn it is. */
  #settle(): void {
    // A hold may wake the panel, whose event calls this again at once: the outer call does the work.
    if (this.#isStopped || this.#isSettling) return;
    this.#isSettling = true;
    try {
      this.#showFirst();
    } finally {
      this.#isSettling = false;
    }
  }

  #showFirst(): void {
    const { panel, screen, log } = this.#options;
    const isAsleep = panel.isAsleep();
    const first = this.#queue.first(isAsleep);
    if (first === undefined) {
      if (this.#shown === undefined) return;
      // One that has expired may still be read out; one that waits for the morning may not.
      if (isAsleep) this.#shown.message.endSound?.();
      this.#takeDown();
      screen
        .show(null)
        .catch((error: unknown) => log.debug({ err: error }, 'messages: could not hide the message'));
      this.#hold(() => {});
    } else if (first !== this.#shown?.message) {
      this.#takeDown();
      this.#hold(panel.hold());
      this.#putUp(first);
    } else if (isAsleep) this.#hold(panel.hold());
  }

  /** A new hold begins before the old one ends: the screen stays on between two messages. */
  #hold(end: () => void): void {
    this.#release();
    this.#release = end;
  }

  #putUp(message: Message): void {
    const { clock, screen } = this.#options;
    const placed = screen.show(onGlass(message));
    this.#beginSound(message);
    const ends = [this.#beginPicture(message)];
    if (message.leftMs !== null) ends.push(clock.after(message.leftMs, () => this.#end(message, 'expired')));
    const end = () => {
      for (const each of ends) each();
    };
    const shown: Shown = { message, since: clock.now(), placed, end };
    this.#shown = shown;
    placed.then(
      () => {
        if (this.#shown !== shown) return;
        this.#options.events.emit('message', { id: message.id, action: 'shown' });
      },
      // The caller hears of it.
      () => {},
    );
  }

  /** It ends or makes room; the rest of its time is remembered. */
  #takeDown(): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    this.#shown = undefined;
    shown.end();
    const { message, since } = shown;
    if (message.leftMs !== null)
      message.leftMs = Math.max(0, message.leftMs - (this.#options.clock.now() - since));
  }

  #beginSound(message: Message): void {
    const { sound = null, speak = false, title, text } = message.params;
    if ((sound === null && !speak) || message.endSound !== undefined) return;
    const said = title === undefined ? text : `${title}. ${text}`;
    message.endSound = this.#options.sound.begin({
      id: message.id,
      sound,
      speak: speak ? said : null,
      isAlarm: message.isAlarm,
    });
  }

  /** The text does not wait for its picture. */
  #beginPicture(message: Message): () => void {
    const address = message.params.image;
    if (address === undefined || message.image !== undefined) return () => {};
    const { pictures, screen, log } = this.#options;
    const leaving = new AbortController();
    pictures
      .fetch(address, leaving.signal)
      .then(async (bytes) => {
        message.image = pictureAddress(bytes);
        if (this.#shown?.message === message) await screen.show(onGlass(message));
      })
      .catch((error: unknown) => {
        if (leaving.signal.aborted) return;
        message.image = null;
        log.info({ err: error, message: message.id }, 'messages: could not load the picture');
      });
    return () => leaving.abort();
  }
}

function onGlass(message: Message): MessageOnGlass {
  const { title = null, text, level, style, buttons = [] } = message.params;
  return { id: message.key, title, text, level, style, image: message.image ?? null, buttons };
}
