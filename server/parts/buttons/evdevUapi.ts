/**
 * Structures and request numbers of the kernel's input devices (include/uapi/linux/input.h), on machines of 64 bits.
 * A test compares them with the kernel's header.
 */
export const EVIOCGRAB = 0x40044590;
/** The keys that are down, as a map of bits; for 96 bytes. */
export const EVIOCGKEY = 0x80604518;
export const KEY_BYTES = 96;

/** Size of struct input_event, and the places in it. */
export const EVENT_SIZE = 24;
export const OFFSET = { type: 16, code: 18, value: 20 };

export const EV_SYN = 0;
export const EV_KEY = 1;
export const SYN_REPORT = 0;
/** The kernel has lost events: the reader was too slow. */
export const SYN_DROPPED = 3;

/** A key that went down or up. */
export interface KeyChange {
  readonly code: number;
  readonly isDown: boolean;
}

interface InputEvent {
  readonly type: number;
  readonly code: number;
  readonly value: number;
}

/** The events in what was read from a device: an array of struct input_event. */
export function inputEvents(read: Buffer): InputEvent[] {
  const events: InputEvent[] = [];
  for (let at = 0; at + EVENT_SIZE <= read.length; at += EVENT_SIZE)
    events.push({
      type: read.readUInt16LE(at + OFFSET.type),
      code: read.readUInt16LE(at + OFFSET.code),
      value: read.readInt32LE(at + OFFSET.value),
    });
  return events;
}

/** The numbers of the bits that are set. */
export function keysIn(map: Buffer): number[] {
  return Array.from({ length: map.length * 8 }, (_, bit) => bit).filter(
    (bit) => (map[bit >> 3]! >> (bit & 7)) & 1,
  );
}
