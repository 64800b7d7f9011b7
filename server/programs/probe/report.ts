import type { ChipFacts, MachineFacts } from './machine.ts';

/** What was found, for people: one heading for each kind of thing. */
export function report(facts: MachineFacts): string {
  const {
    model,
    vendorNodes,
    gpioChips,
    leds,
    backlights,
    serialPorts,
    rtcs,
    soundCards,
    sensors,
    inputs,
    unread,
  } = facts;
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Nodes of the vendor’s panels', vendorNodes],
    ['GPIO chips', gpioChips.flatMap(chipLines)],
    [
      'LEDs',
      leds.map(({ folder, colours, maxBrightness }) => row(folder, colours?.join(' '), upTo(maxBrightness))),
    ],
    ['Light of the screen', backlights.map(({ folder, maxBrightness }) => row(folder, upTo(maxBrightness)))],
    [
      'Serial ports',
      serialPorts.map(({ node, stable, driver, isConsole, isRs485 }) =>
        row(node, driver, isRs485 && 'RS-485', isConsole && 'the console of the kernel', stable),
      ),
    ],
    [
      'Real-time clocks',
      rtcs.map(({ folder, name, wakes, isSystemClock }) =>
        row(
          folder,
          name,
          wakes ? 'can wake the machine' : 'cannot wake the machine',
          isSystemClock && 'sets the time',
        ),
      ),
    ],
    [
      'Sound cards',
      soundCards.map(({ id, plays, records }) => row(id, plays && 'plays', records && 'records')),
    ],
    ['Sensors', sensors.map(({ folder, name, measures }) => row(folder, name, measures.join(' and ')))],
    [
      'Inputs',
      inputs.map(({ node, stable, name, kind, keys }) =>
        row(node, kind, name, keys.length > 0 && `keys ${keys.join(' ')}`, stable),
      ),
    ],
    ['Could not be read (try as root)', unread],
  ];
  const told = parts.map(
    ([title, rows]) => `${title}\n${rows.length === 0 ? '  none\n' : rows.map(indented).join('')}`,
  );
  return `${model ?? 'This machine tells no model'}\n\n${told.join('\n')}`;
}

function chipLines({ path, label, lines }: ChipFacts): string[] {
  const shown = lines.filter(({ name, holder }) => name !== '' || holder !== null);
  return [
    row(
      path,
      label,
      `${lines.length} lines`,
      shown.length < lines.length && 'those without name and holder left out',
    ),
    ...shown.map(({ offset, name, holder, direction }) =>
      row(
        `  ${String(offset).padStart(3)} ${name || '(no name)'}`,
        direction,
        holder !== null && `held by ${holder || 'somebody'}`,
      ),
    ),
  ];
}

const indented = (line: string) => `  ${line}\n`;

function row(...facts: readonly (string | null | undefined | false)[]): string {
  return facts.filter((fact) => fact).join('  ');
}

function upTo(maxBrightness: number | null): string | null {
  return maxBrightness === null ? null : `0 to ${maxBrightness}`;
}
