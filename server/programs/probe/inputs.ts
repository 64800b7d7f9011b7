import type { SysFolders } from './sysFolders.ts';

/** Numbers of include/uapi/linux/input-event-codes.h. */
const PROPERTY_DIRECT = 1;
const REL_X = 0;
const ABS_X = 0;
const ABS_MT_POSITION_X = 0x35;
const KEY_Q = 16;
const KEY_ENTER = 28;
const KEY_P = 25;
const KEY_POWER = 116;
const BTN_MISC = 0x100;

/** What a device of the kernel's input layer seems to be. */
type InputKind = 'touch screen' | 'pointer' | 'keyboard or reader' | 'power button' | 'buttons' | 'other';

/** A device of the kernel's input layer. */
export interface InputFacts {
  readonly node: string;
  /** A name that stays the same over restarts; null: none. */
  readonly stable: string | null;
  readonly name: string;
  readonly kind: InputKind;
  /** Numbers of its keys, where it has few. */
  readonly keys: readonly number[];
}

/** Keys that are listed one by one; a device with more is a keyboard. */
const FEW_KEYS = 32;

/** All input devices. None is opened: nothing is taken from a page. */
export function findInputs(folders: SysFolders): InputFacts[] {
  const stable = new Map([...folders.links('/dev/input/by-path'), ...folders.links('/dev/input/by-id')]);
  return folders
    .list('/sys/class/input')
    .filter((name) => /^event\d+$/.test(name))
    .map((event) => {
      const folder = `/sys/class/input/${event}/device`;
      const bits = (name: string) => bitsOf(folders.text(`${folder}/${name}`) ?? '');
      const keys = bits('capabilities/key');
      const node = `/dev/input/${event}`;
      return {
        node,
        stable: stable.get(node) ?? null,
        name: folders.text(`${folder}/name`) ?? '',
        kind: kindOf({
          keys,
          abs: bits('capabilities/abs'),
          rel: bits('capabilities/rel'),
          properties: bits('properties'),
        }),
        keys: keys.length <= FEW_KEYS ? keys : [],
      };
    });
}

interface Bits {
  readonly keys: readonly number[];
  readonly abs: readonly number[];
  readonly rel: readonly number[];
  readonly properties: readonly number[];
}

function kindOf({ keys, abs, rel, properties }: Bits): InputKind {
  const isTouch =
    abs.includes(ABS_MT_POSITION_X) || (abs.includes(ABS_X) && properties.includes(PROPERTY_DIRECT));
  if (isTouch) return properties.includes(PROPERTY_DIRECT) ? 'touch screen' : 'pointer';
  if (rel.includes(REL_X) || abs.includes(ABS_X)) return 'pointer';
  const hasLetters = [KEY_Q, KEY_P, KEY_ENTER].every((key) => keys.includes(key));
  if (hasLetters) return 'keyboard or reader';
  const plain = keys.filter((key) => key < BTN_MISC);
  if (plain.length === 1 && plain[0] === KEY_POWER) return 'power button';
  return keys.length > 0 ? 'buttons' : 'other';
}

/** The bits of a map as the kernel prints it: hexadecimal words of 64 bits, the highest first, without leading zeros. */
export function bitsOf(map: string): number[] {
  const words = map.split(' ').filter((word) => /^[0-9a-f]+$/i.test(word));
  return words.reverse().flatMap((word, index) => {
    const value = BigInt(`0x${word}`);
    return Array.from({ length: 64 }, (_, bit) => bit)
      .filter((bit) => (value >> BigInt(bit)) & 1n)
      .map((bit) => index * 64 + bit);
  });
}
