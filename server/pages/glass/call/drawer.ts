import type {
  CallAction,
  CallOnGlass,
  GlassOrder,
  MicrophoneOnGlass,
} from '../../../kiosk/glass/contract.ts';
import { areaOf, button, type Drawer, element, Heed, icon, type Need, type Tell } from '../drawer.ts';

const texts = {
  en: {
    ringing: 'Incoming call',
    answering: 'Connecting…',
    connected: 'Connected',
    broadcast: 'Announcement',
    answered: 'Answer',
    ignored: 'Ignore',
    hungUp: 'Hang up',
    openedDoor: 'Open door',
    opening: 'The door is being opened…',
    opened: 'The door was opened.',
    failed: 'The door could not be opened.',
    microphone: 'The microphone is on',
  },
  de: {
    ringing: 'Eingehender Anruf',
    answering: 'Verbindung wird hergestellt …',
    connected: 'Verbunden',
    broadcast: 'Durchsage',
    answered: 'Annehmen',
    ignored: 'Ignorieren',
    hungUp: 'Auflegen',
    openedDoor: 'Tür öffnen',
    opening: 'Die Tür wird geöffnet …',
    opened: 'Die Tür wurde geöffnet.',
    failed: 'Die Tür ließ sich nicht öffnen.',
    microphone: 'Das Mikrofon ist an',
  },
  es: {
    ringing: 'Llamada entrante',
    answering: 'Conectando…',
    connected: 'Conectado',
    broadcast: 'Aviso',
    answered: 'Contestar',
    ignored: 'Ignorar',
    hungUp: 'Colgar',
    openedDoor: 'Abrir la puerta',
    opening: 'Abriendo la puerta…',
    opened: 'La puerta se ha abierto.',
    failed: 'No se pudo abrir la puerta.',
    microphone: 'El micrófono está activado',
  },
};

/**
 * A call that came in. While it rings it is in the middle of the screen; once it is answered it makes room in a corner, and
 * the page can be used. No press counts that was meant for what was there before: it would open a microphone or a door.
 */
export class CallDrawer implements Drawer<'call'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  readonly #heed: Heed;
  readonly #picture: CallPicture;
  /** The call and its phase that are shown. */
  #drawn = '';

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
    this.#heed = new Heed(box);
    this.#picture = new CallPicture((id, offer, sdp) =>
      tell({ slot: 'call', id, did: 'offered', offer, sdp }),
    );
    box.tabIndex = -1;
  }

  draw(call: CallOnGlass | null, { language }: GlassOrder): Need | null {
    const box = this.#box;
    if (call === null) {
      this.#drawn = '';
      this.#heed.end();
      this.#picture.stop();
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    const isConnected = call.phase === 'connected';
    const drawn = `${call.id} ${call.phase}`;
    const isNew = drawn !== this.#drawn;
    this.#drawn = drawn;
    box.hidden = false;
    box.className = `sheet call ${isConnected ? 'connected' : 'ringing'}`;
    box.setAttribute('role', isConnected ? 'group' : 'alertdialog');
    if (isConnected) box.removeAttribute('aria-modal');
    else box.setAttribute('aria-modal', 'true');
    this.#write(call, language);
    if (isNew) {
      this.#heed.begin();
      // No button has the focus: somebody who is typing answers nothing.
      if (call.phase === 'ringing') box.focus();
    }
    if (call.hasVideo) this.#picture.play(call.id, call.picture);
    else this.#picture.stop();
    if (isConnected) return { area: areaOf(box), focus: false };
    return { area: 'screen', focus: true };
  }

  /** Writes what differs: the picture goes on, and a button under a finger stays the same. */
  #write({ phase, caller, isBroadcast, hasVideo, door }: CallOnGlass, language: string): void {
    const words = texts[language as keyof typeof texts] ?? texts.en;
    const state = isBroadcast && phase !== 'answering' ? words.broadcast : words[phase];
    const said = door === null || door === 'closed' ? '' : words[door];
    const actions: readonly CallAction[] = [
      ...(phase === 'ringing' ? (['ignored'] as const) : []),
      ...(door === null ? [] : (['openedDoor'] as const)),
      ...(phase === 'ringing' ? (['answered'] as const) : (['hungUp'] as const)),
    ];
    const drawn = JSON.stringify([state, caller, hasVideo, actions, language]);
    if (this.#box.dataset.drawn !== drawn || this.#box.childElementCount === 0) {
      this.#box.dataset.drawn = drawn;
      const row = element('div', { class: 'buttons' });
      for (const action of actions) row.append(button(words[action], { class: action }, () => {}));
      for (const [at, action] of actions.entries())
        row.children[at]!.addEventListener('click', (event) => this.#press(event, action));
      this.#box.replaceChildren(
        ...(hasVideo ? [this.#picture.video] : []),
        element('p', { id: 'call-state', class: 'state' }, state),
        element('h1', { id: 'call-caller', dir: 'auto' }, caller),
        element('p', { class: 'said', role: 'status' }),
        row,
      );
    }
    const line = this.#box.querySelector('.said')!;
    if (line.textContent !== said) line.textContent = said;
    for (const one of this.#box.querySelectorAll<HTMLButtonElement>('.openedDoor'))
      one.disabled = door === 'opening';
  }

  #press(event: Event, did: CallAction): void {
    const [id] = this.#drawn.split(' ');
    if (this.#heed.counts(event)) this.#tell({ slot: 'call', id: id!, did });
  }
}

const MICROPHONE = 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM5 11a7 7 0 0 0 14 0M12 18v3';

/** The mark of an open microphone, at the upper edge. */
export class MicrophoneDrawer implements Drawer<'microphone'> {
  readonly #box: HTMLElement;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  draw(microphone: MicrophoneOnGlass | null, { language }: GlassOrder): Need | null {
    const box = this.#box;
    const isShown = microphone?.isOpen === true;
    if (box.hidden !== !isShown || box.lang !== language) {
      const words = texts[language as keyof typeof texts] ?? texts.en;
      box.lang = language;
      box.className = 'microphone';
      box.replaceChildren(...(isShown ? [icon(MICROPHONE), words.microphone] : []));
      box.hidden = !isShown;
    }
    return isShown ? { area: areaOf(box), focus: false } : null;
  }
}

/** Delays between attempts in milliseconds; the last one repeats. */
const RETRY_MS = [500, 1_000, 2_000, 5_000];
/** How long a connection may be `disconnected` before a new one is made. */
const DISCONNECTED_MS = 3_000;

/** The picture of a caller, without sound, from the service over WebRTC. It is tried again while the call lasts. */
export class CallPicture {
  readonly video: HTMLVideoElement;
  readonly #offer: (id: string, offer: number, sdp: string) => void;
  readonly #talks: boolean;
  /** Where the microphone goes. */
  #voice: RTCRtpSender | undefined;
  #id: string | undefined;
  #connection: RTCPeerConnection | undefined;
  /** A page that came back after a crash takes no answer that was meant for the one before. */
  #number = Math.floor(performance.timeOrigin);
  /** The offer whose answer was taken. */
  #answered = 0;
  #attempts = 0;
  #timer: number | undefined;

  /**
   * @param offer sends an offer for this call to the service
   * @param talks whether sound goes both ways
   */
  constructor(offer: (id: string, offer: number, sdp: string) => void, talks = false) {
    this.#offer = offer;
    this.#talks = talks;
    this.video = element('video', { autoplay: '', playsinline: '' });
    this.video.muted = true;
  }

  /** @param answer of the service, if there is one */
  play(id: string, answer: CallOnGlass['picture']): void {
    if (id !== this.#id) {
      this.stop();
      this.#id = id;
      void this.#connect();
    } else if (answer?.offer === this.#number && this.#answered !== this.#number) {
      this.#answered = this.#number;
      const { sdp } = answer;
      if (sdp === null) this.#again();
      else this.#connection?.setRemoteDescription({ type: 'answer', sdp }).catch(() => this.#again());
    }
    // An element that was moved in the page has paused.
    if (this.video.paused) this.video.play().catch(() => {});
  }

  /** Sends this microphone, or nothing. */
  async speak(track: MediaStreamTrack | null): Promise<void> {
    await this.#voice?.replaceTrack(track);
  }

  stop(): void {
    this.#id = undefined;
    this.#attempts = 0;
    this.#close();
  }

  #close(): void {
    window.clearTimeout(this.#timer);
    this.#connection?.close();
    this.#connection = undefined;
    this.video.srcObject = null;
  }

  #again(): void {
    this.#close();
    const delay = RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)];
    this.#timer = window.setTimeout(() => void this.#connect(), delay);
  }

  async #connect(): Promise<void> {
    const id = this.#id;
    const connection = new RTCPeerConnection({ iceServers: [] });
    this.#connection = connection;
    const isCurrent = () => this.#connection === connection;
    const media = new MediaStream();
    connection.addTransceiver('video', { direction: 'recvonly' });
    this.#voice = this.#talks
      ? connection.addTransceiver('audio', { direction: 'sendrecv' }).sender
      : undefined;
    connection.addEventListener('track', ({ track }) => media.addTrack(track));
    connection.addEventListener('connectionstatechange', () => {
      if (!isCurrent()) return;
      window.clearTimeout(this.#timer);
      const { connectionState } = connection;
      if (connectionState === 'connected') this.#attempts = 0;
      else if (connectionState === 'failed' || connectionState === 'closed') this.#again();
      else if (connectionState === 'disconnected')
        this.#timer = window.setTimeout(() => isCurrent() && this.#again(), DISCONNECTED_MS);
    });
    this.video.srcObject = media;
    await connection.setLocalDescription();
    if (isCurrent() && id !== undefined) this.#offer(id, ++this.#number, connection.localDescription!.sdp);
  }
}
