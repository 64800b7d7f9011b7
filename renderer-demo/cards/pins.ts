import type { PinState } from '../../preload/container.d.ts';
import { ask, container } from '../container.ts';
import { CardStatus, element, setAbsent } from '../dom.ts';

/** The four pins of a panel, and the names of their levels 0 and 1. */
const PINS = [
  { pin: 0, name: 'IO 1', levels: ['LOW', 'HIGH'] },
  { pin: 1, name: 'IO 2', levels: ['LOW', 'HIGH'] },
  { pin: 2, name: 'Relay 1', levels: ['OPEN', 'CLOSED'] },
  { pin: 3, name: 'Relay 2', levels: ['OPEN', 'CLOSED'] },
] as const;

/** Reads and writes IO 1, IO 2, Relay 1 and Relay 2, and follows them when they change by themselves. */
export function startPinsCard(): void {
  const status = new CardStatus('pins');
  const rows = PINS.map(({ pin, name, levels }) => {
    const level = element(`pin-${pin}-level`, HTMLElement);
    const toggle = element(`pin-${pin}-switch`, HTMLInputElement);
    const readButton = element(`pin-${pin}-read`, HTMLButtonElement);
    let last: 0 | 1 = 0;

    function show(value: 0 | 1): void {
      last = value;
      toggle.checked = value === 1;
      level.textContent = levels[value];
      level.classList.toggle('high', value === 1);
    }

    toggle.addEventListener('change', async () => {
      const wanted = toggle.checked ? 1 : 0;
      const answer = await status.attempt(() => ask({ action: 'write', pin, level: wanted }));
      show(answer?.level ?? last);
    });

    readButton.addEventListener('click', async () => {
      const answer = await status.attempt(
        () => ask({ action: 'read', pin }),
        (read) => `${name} is ${levels[read.level]}.`,
      );
      show(answer?.level ?? last);
    });

    return { show };
  });

  const follow = ({ pin, level }: PinState) => rows[pin]?.show(level);
  container.on('snapshot', ({ gpio }) => {
    if (gpio.length === 0) setAbsent('pins', 'This board has no pins.');
    gpio.forEach(follow);
  });
  container.on('gpio', follow);
}
