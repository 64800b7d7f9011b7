import type { ChipFacts, LedFacts, MachineFacts, SerialFacts } from './machine.ts';

/** Most pins and ports that a profile may have. */
const MOST = 32;

/** A part of a profile: what it says, and why. */
type Part = Readonly<Record<string, unknown>> | undefined;

/**
 * A first profile for the machine. Each part says in `$comment` how sure it is. A pin stays an input until somebody writes
 * it: a guess moves no motor.
 */
export function firstProfile(facts: MachineFacts): Readonly<Record<string, unknown>> {
  const serial = facts.serialPorts.filter(({ isConsole }) => !isConsole).slice(0, MOST);
  return {
    $comment: [
      `Written by faceplate-probe for ${facts.model ?? 'a machine that tells no model'}. Nothing in it was tried: docs/boards.md says how.`,
      ...leftOut(facts),
    ],
    name: nameOf(facts.model),
    ...given('gpio', gpio(facts)),
    ...given('led', led(facts)),
    ...given('buttons', buttons(facts)),
    ...given('climate', climate(facts)),
    ...(serial.length > 0 && { serial: serial.map(port) }),
    ...given('rtc', rtc(facts)),
    power: { driver: 'logind' },
    apps: { driver: 'desktop' },
  };
}

function given(name: string, part: Part) {
  return part === undefined ? {} : { [name]: part };
}

function nameOf(model: string | null): string {
  const name = (model ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64);
  return name === '' ? 'my-panel' : name.replace(/-+$/, '');
}

/** What is there, but not in the profile. */
function leftOut({ serialPorts, gpioChips, vendorNodes }: MachineFacts): string[] {
  const consoles = serialPorts.filter(({ isConsole }) => isConsole).map(({ node }) => node);
  const isBlind =
    !vendorNodes.includes('/dev/gpio_control') &&
    gpioChips.length > 0 &&
    gpioChips.every((chip) => pinsOn(chip).length === 0);
  return [
    ...consoles.map((node) => `${node} is left out: the kernel prints there.`),
    ...(isBlind
      ? [
          'The GPIO chips are left out: no free line has a name that tells of a relay, an output or an input. The list of faceplate-probe shows all lines; the manual of the board says which one is on which connector.',
        ]
      : []),
  ];
}

interface NamedLine {
  readonly name: string;
  readonly isOutput: boolean;
}

const OUTPUT_NAME = /relay|^(?:rl|rly|do|dout|out|output)[-_ ]?\d/i;
const INPUT_NAME = /^(?:di|din|in|input)[-_ ]?\d/i;

/** Free lines whose name tells what is wired to them: outputs last, as on a shipped panel. */
function pinsOn({ lines }: ChipFacts): NamedLine[] {
  const seen = new Set<string>();
  return lines
    .flatMap(({ name, holder }) => {
      const isOutput = OUTPUT_NAME.test(name);
      if (holder !== null || seen.has(name) || !(isOutput || INPUT_NAME.test(name))) return [];
      seen.add(name);
      return [{ name, isOutput }];
    })
    .toSorted((one, other) => Number(one.isOutput) - Number(other.isOutput))
    .slice(0, MOST);
}

function gpio({ vendorNodes, gpioChips }: MachineFacts): Part {
  if (vendorNodes.includes('/dev/gpio_control'))
    return {
      $comment:
        'The node of the RK3576 and RK3566 panels. Other systems have one of this name that speaks otherwise: then the part is absent.',
      driver: 'gpio_control',
      path: '/dev/gpio_control',
    };
  const [best] = gpioChips
    .map((chip) => ({ path: chip.path, pins: pinsOn(chip) }))
    .toSorted((one, other) => other.pins.length - one.pins.length);
  if (best === undefined || best.pins.length === 0) return undefined;
  return {
    $comment: [
      'Guessed from the names of the lines. Direction both: an input until it is written. Try each one, then set direction to input or output, and for outputs activeLow where level 1 is the low voltage.',
      'The number of a chip may change when another one joins.',
    ],
    driver: 'gpiochip',
    path: best.path,
    labels: best.pins.map(({ name }) => name),
    relays: best.pins.flatMap(({ isOutput }, pin) => (isOutput ? [pin] : [])),
    lines: best.pins.map(({ name, isOutput }) => ({ name, direction: isOutput ? 'both' : 'input' })),
  };
}

function led({ vendorNodes, leds }: MachineFacts): Part {
  if (vendorNodes.includes('/dev/ledjni'))
    return {
      $comment: 'If a colour of 16 already looks full, set scale to 15.',
      driver: 'ledjni',
      path: '/dev/ledjni',
    };
  const many = leds.find(({ colours }) =>
    ['red', 'green', 'blue'].every((colour) => colours?.includes(colour)),
  );
  if (many !== undefined)
    return { $comment: 'An LED with three colours.', driver: 'sysfs', path: many.folder };
  const three = leds.flatMap((red) => {
    const others = (['green', 'blue'] as const).map((colour) => sameLed(leds, red, colour));
    const [green, blue] = others;
    return green !== undefined && blue !== undefined
      ? [{ red: red.folder, green: green.folder, blue: blue.folder }]
      : [];
  })[0];
  if (three === undefined) return undefined;
  return {
    $comment: 'Three LEDs whose names differ by the colour only: see whether they are one.',
    driver: 'sysfs',
    path: three,
  };
}

/** The LED of another colour beside a red one. */
function sameLed(leds: readonly LedFacts[], red: LedFacts, colour: string): LedFacts | undefined {
  if (!red.name.includes('red')) return undefined;
  return leds.find(({ name }) => name === red.name.replace('red', colour));
}

/** Keys of the board itself. Readers are not guessed: a page may want what they type. */
function buttons({ inputs }: MachineFacts): Part {
  const keys = inputs.find(({ kind, name }) => kind === 'buttons' && /^(?:gpio|adc)-keys/.test(name));
  if (keys === undefined) return undefined;
  return {
    $comment: `Keys ${keys.keys.join(', ')}: give them names with keys, such as {"${keys.keys[0] ?? 59}": "Bell"}.`,
    driver: 'evdev',
    path: keys.stable ?? keys.node,
  };
}

/** A sensor with humidity is one of the air; temperature alone is mostly that of a chip. */
function climate({ sensors }: MachineFacts): Part {
  const best = sensors.find(({ measures }) => measures.includes('humidity'));
  if (best === undefined) return undefined;
  return {
    $comment: `${best.name || 'A sensor'}: see whether it measures the air of the room.`,
    driver: best.driver,
    path: best.folder,
  };
}

function port({ node, stable, isRs485, driver }: SerialFacts): Part {
  return {
    ...(isRs485 && {
      $comment: 'The device tree says RS-485. Set rs485 to false when the transceiver switches by itself.',
    }),
    ...(stable !== null && { $comment: 'The path stays the same wherever it is plugged in.' }),
    port: node,
    ...(driver?.startsWith('cdc_acm') || stable !== null
      ? { label: 'USB' }
      : isRs485
        ? { label: 'RS-485' }
        : {}),
    path: stable ?? node,
    ...(isRs485 && { rs485: true }),
  };
}

function rtc({ rtcs }: MachineFacts): Part {
  const waking = rtcs.filter(({ wakes }) => wakes);
  const best = waking.find(({ isSystemClock }) => isSystemClock) ?? waking[0];
  return best && { driver: 'wakealarm', path: best.folder };
}
