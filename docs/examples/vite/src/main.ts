import './style.css';
import { requireContainer } from '@faceplate/types';

/** The first relay of the panel. */
const RELAY = 2;

const button = document.querySelector<HTMLButtonElement>('#relay')!;
const message = document.querySelector<HTMLElement>('#message')!;

function start() {
  const panel = requireContainer();
  const show = (level: number) => button.setAttribute('aria-pressed', String(level === 1));
  // First the state of everything, then each change, whoever made it.
  panel.on('snapshot', ({ gpio }) => show(gpio.find(({ pin }) => pin === RELAY)?.level ?? 0));
  panel.on('gpio', ({ pin, level }) => {
    if (pin === RELAY) show(level);
  });
  button.addEventListener('click', () => {
    const level = button.getAttribute('aria-pressed') === 'true' ? 0 : 1;
    panel.call('gpio.write', { pin: RELAY, level }).then(
      () => say(''),
      (error: Error) => say(error.message),
    );
  });
}

function say(text: string) {
  message.textContent = text;
}

try {
  start();
} catch (error) {
  button.disabled = true;
  say((error as Error).message);
}
