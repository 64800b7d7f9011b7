import type { Entity, EntityContext } from './entity.ts';
import type { PanelNow } from './panel.ts';
import { slugsOf } from './slug.ts';

/** Buttons beside the glass, and readers of cards and codes: an event for each that has a name. */
export function inputEntities({ now, topics, word }: EntityContext): Entity[] {
  const buttons = now.buttons.map((name): Entity => {
    const key = buttonKey(now, name)!;
    return {
      key,
      platform: 'event',
      name: word('button', name),
      config: { device_class: 'button', event_types: ['down', 'up'], state_topic: topics.own(key) },
    };
  });
  const readers = now.readers.map((name): Entity => {
    const key = readerKey(now, name)!;
    return {
      key,
      platform: 'event',
      name: word('scan', name),
      config: { event_types: ['scan'], state_topic: topics.own(key), icon: 'mdi:barcode-scan' },
    };
  });
  return [...buttons, ...readers];
}

/** The event entity of a button; undefined for one without a name in the board profile. */
export function buttonKey({ buttons }: PanelNow, name: string): string | undefined {
  return keyOf('button', buttons, name);
}

/** The event entity of a reader. */
export function readerKey({ readers }: PanelNow, name: string): string | undefined {
  return keyOf('scan', readers, name);
}

function keyOf(kind: 'button' | 'scan', names: readonly string[], name: string): string | undefined {
  const index = names.indexOf(name);
  return index < 0 ? undefined : `${kind}_${slugsOf(names, kind)[index]}`;
}
