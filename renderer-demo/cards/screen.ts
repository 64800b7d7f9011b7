import type { ContainerEvents } from '../../preload/container.d.ts';
import { container } from '../container.ts';
import { CardStatus, element } from '../dom.ts';
import { latestOnly } from '../latestOnly.ts';

type DisplayState = ContainerEvents['display'];
type Level = 'brightness' | 'volume';

/** The screen and what it says: light, volume, a message above every page, a sound, a voice. */
export function startScreenCard(): void {
  const status = new CardStatus('screen');
  const form = element('screen-form', HTMLFormElement);
  const text = element('screen-text', HTMLInputElement);
  const showBrightness = startSlider('brightness', status);
  const showVolume = startSlider('volume', status);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = (event.submitter as HTMLButtonElement).value;
    void status.attempt(() => say(wanted, text.value));
  });
  element('screen-chime', HTMLButtonElement).addEventListener('click', () => {
    void status.attempt(() => container.call('sound.play', { name: 'chime' }));
  });
  element('screen-dark', HTMLButtonElement).addEventListener('click', () => {
    void status.attempt(() => container.call('display.set', { on: false }));
  });

  container.on('message', ({ action, button }) => {
    if (action === 'pressed') status.say(button === 'yes' ? 'They are coming.' : 'They need a minute.');
  });

  function show({ brightness, volume }: DisplayState): void {
    showBrightness(brightness);
    showVolume(volume);
  }
  container.on('snapshot', ({ display }) => {
    if (display) show(display);
  });
  container.on('display', show);
}

function say(wanted: string, text: string): Promise<unknown> {
  switch (wanted) {
    case 'speak':
      return container.call('sound.speak', { text, chime: true });
    case 'dialog': {
      const buttons = [
        { id: 'yes', label: 'Coming' },
        { id: 'later', label: 'In a minute' },
      ];
      return container.call('message.show', { text, style: 'dialog', seconds: 0, buttons });
    }
    default:
      return container.call('message.show', { text, title: 'Kitchen', seconds: 8 });
  }
}

/** A slider for one level. @returns shows what the panel has; null: it has none */
function startSlider(level: Level, status: CardStatus): (percent: number | null) => void {
  const slider = element(`screen-${level}`, HTMLInputElement);
  const value = element(`screen-${level}-value`, HTMLOutputElement);
  const send = latestOnly(async (percent: number) => {
    await status.attempt(() => container.call('display.set', { [level]: percent }));
  });

  function show(percent: number | null): void {
    slider.disabled = percent === null;
    // A slider must not jump back while a finger moves it.
    if (send.isBusy) return;
    slider.valueAsNumber = percent ?? 0;
    slider.style.setProperty('--level', `${percent ?? 0}%`);
    value.value = percent === null ? '–' : String(percent);
  }

  slider.addEventListener('input', () => {
    send(slider.valueAsNumber);
    slider.style.setProperty('--level', `${slider.value}%`);
    value.value = slider.value;
  });
  return show;
}
