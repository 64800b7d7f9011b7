import type { PinState } from '../../preload/container.d.ts';
import { ask, container } from '../container.ts';
import { CardStatus, element, setAbsent } from '../dom.ts';

/** A pin as `gpio.list` tells of it. */
interface Pin {
  readonly pin: number;
  readonly label: string;
  readonly kind: 'io' | 'relay';
}

/** The pins of most panels. */
const USUAL_PINS: readonly Pin[] = [
  { pin: 0, label: 'IO 1', kind: 'io' },
  { pin: 1, label: 'IO 2', kind: 'io' },
  { pin: 2, label: 'Relay 1', kind: 'relay' },
  { pin: 3, label: 'Relay 2', kind: 'relay' },
];

/** The names of the levels 0 and 1. */
const LEVELS = { io: ['LOW', 'HIGH'], relay: ['OPEN', 'CLOSED'] } as const;

type Show = (level: 0 | 1) => void;

/** Writes the pins and relays of the board, and follows them when they change by themselves. */
export function startPinsCard(): void {
  const status = new CardStatus('pins');
  const list = element('pins', HTMLUListElement);
  const levels = new Map<number, 0 | 1>();
  let rows = new Map<number, Show>();

  /** One row for each pin. */
  function fill(pins: readonly Pin[]): void {
    list.replaceChildren();
    rows = new Map(pins.map((pin) => [pin.pin, addRow(list, pin, status)]));
    for (const [pin, level] of levels) rows.get(pin)?.(level);
  }

  const follow = ({ pin, level }: PinState) => {
    levels.set(pin, level);
    rows.get(pin)?.(level);
  };

  fill(USUAL_PINS);
  void container.call('gpio.list').then(
    ({ pins }) => {
      if (!areAlike(pins, USUAL_PINS)) fill(pins);
    },
    () => undefined,
  );
  container.on('snapshot', ({ gpio }) => {
    if (gpio.length === 0) setAbsent('pins', 'This board has no pins.');
    gpio.forEach(follow);
  });
  container.on('gpio', follow);
}

/** Adds the row of a pin to the list. @returns shows a level in it */
function addRow(list: HTMLUListElement, { pin, label, kind }: Pin, status: CardStatus): Show {
  const row = element('pin-row', HTMLTemplateElement).content.cloneNode(true) as DocumentFragment;
  const name = row.querySelector('label')!;
  const level = row.querySelector('span')!;
  const toggle = row.querySelector('input')!;
  name.textContent = label;
  name.htmlFor = toggle.id = toggle.dataset.testid = `pin-${pin}-switch`;
  level.dataset.testid = `pin-${pin}-level`;
  let last: 0 | 1 = 0;

  function show(value: 0 | 1): void {
    last = value;
    toggle.checked = value === 1;
    level.textContent = LEVELS[kind][value];
    level.classList.toggle('high', value === 1);
  }

  toggle.addEventListener('change', async () => {
    const wanted = toggle.checked ? 1 : 0;
    const answer = await status.attempt(() => ask({ action: 'write', pin, level: wanted }));
    show(answer?.level ?? last);
  });

  list.append(row);
  show(0);
  return show;
}

function areAlike(some: readonly Pin[], others: readonly Pin[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ label, kind }, index) => label === others[index]?.label && kind === others[index]?.kind)
  );
}
