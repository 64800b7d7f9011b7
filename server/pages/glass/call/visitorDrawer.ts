import type { GlassOrder, VisitorOnGlass } from '../../../kiosk/glass/contract.ts';
import { button, type Drawer, element, Heed, type Need, type Tell } from '../drawer.ts';
import { CallPicture } from './drawer.ts';

const texts = {
  en: {
    rings: 'Somebody rings',
    talk: 'Hold to talk',
    talking: 'You can talk',
    ignore: 'Ignore',
    noMicrophone: 'The microphone does not work.',
  },
  de: {
    rings: 'Jemand klingelt',
    talk: 'Zum Sprechen halten',
    talking: 'Sie können sprechen',
    ignore: 'Ignorieren',
    noMicrophone: 'Das Mikrofon geht nicht.',
  },
  es: {
    rings: 'Alguien llama',
    talk: 'Mantener para hablar',
    talking: 'Puede hablar',
    ignore: 'Ignorar',
    noMicrophone: 'El micrófono no funciona.',
  },
};

/**
 * Somebody at a camera: its picture, a button to talk and one to ignore. The microphone is open while the button is held;
 * from the first press on the visitor is heard.
 */
export class VisitorDrawer implements Drawer<'visitor'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  readonly #heed: Heed;
  readonly #picture: CallPicture;
  #drawn = '';
  #id = '';
  #problem = '';
  /** While the button is held. */
  #press: Promise<MediaStream> | undefined;

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
    this.#heed = new Heed(box);
    this.#picture = new CallPicture(
      (id, offer, sdp) => tell({ slot: 'visitor', id, did: 'offered', offer, sdp }),
      true,
    );
    box.tabIndex = -1;
  }

  draw(visitor: VisitorOnGlass | null, { language }: GlassOrder): Need | null {
    const box = this.#box;
    if (visitor === null) {
      if (this.#id !== '') this.#release();
      this.#id = this.#drawn = '';
      this.#heed.end();
      this.#picture.stop();
      this.#picture.video.muted = true;
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    box.hidden = false;
    box.className = 'sheet call ringing';
    const isNew = visitor.id !== this.#id;
    this.#id = visitor.id;
    if (isNew) this.#problem = '';
    this.#write(visitor, language);
    if (isNew) {
      this.#heed.begin();
      box.focus();
    }
    this.#picture.play(visitor.id, visitor.picture);
    return { area: 'screen', focus: true };
  }

  /** Writes what differs: a button under a finger stays the same. */
  #write({ camera, talk, reason }: VisitorOnGlass, language: string): void {
    const words = texts[language as keyof typeof texts] ?? texts.en;
    const drawn = JSON.stringify([camera, talk === 'none', language]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      const row = element('div', { class: 'buttons' });
      row.append(button(words.ignore, { class: 'ignored' }, () => {}));
      row.firstElementChild!.addEventListener('click', (event) => {
        if (this.#heed.counts(event)) this.#tell({ slot: 'visitor', id: this.#id, did: 'ignored' });
      });
      if (talk !== 'none') row.append(this.#talkButton(words));
      this.#box.replaceChildren(
        this.#picture.video,
        element('p', { class: 'state' }, words.rings),
        element('h1', { id: 'visitor-camera', dir: 'auto' }, camera),
        element('p', { class: 'said', role: 'status' }),
        row,
      );
    }
    const line = this.#box.querySelector('.said')!;
    const said = this.#problem || reason || (talk === 'talking' ? words.talking : '');
    if (line.textContent !== said) line.textContent = said;
  }

  #talkButton(words: (typeof texts)['en']): HTMLButtonElement {
    const made = button(words.talk, { class: 'answered' }, () => {});
    const press = (event: Event) => {
      if (this.#press === undefined && this.#heed.counts(event)) void this.#hold(words);
    };
    made.addEventListener('pointerdown', (event) => {
      made.setPointerCapture(event.pointerId);
      press(event);
    });
    made.addEventListener('keydown', (event) => {
      if (event.key === ' ' || event.key === 'Enter') press(event);
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture', 'keyup', 'blur'])
      made.addEventListener(end, () => this.#release());
    return made;
  }

  async #hold(words: (typeof texts)['en']): Promise<void> {
    const audio = { echoCancellation: true, noiseSuppression: true };
    const press = navigator.mediaDevices.getUserMedia({ audio });
    this.#press = press;
    this.#picture.video.muted = false;
    this.#tell({ slot: 'visitor', id: this.#id, did: 'pressed' });
    try {
      const [track] = (await press).getTracks();
      // Released meanwhile: that has stopped it.
      if (this.#press === press && track !== undefined) await this.#picture.speak(track);
      this.#problem = '';
    } catch {
      this.#problem = words.noMicrophone;
      this.#box.querySelector('.said')!.textContent = this.#problem;
    }
  }

  #release(): void {
    const press = this.#press;
    this.#press = undefined;
    if (press === undefined) return;
    this.#picture.speak(null).catch(() => {});
    press.then(
      (stream) => {
        for (const track of stream.getTracks()) track.stop();
      },
      () => {},
    );
    this.#tell({ slot: 'visitor', id: this.#id, did: 'released' });
  }
}
